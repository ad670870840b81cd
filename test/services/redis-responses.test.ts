import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemTimers } from "../../src/foundation/timers.js";
import { openResponses } from "../../src/gateway/conversations/open-memories.js";
import type { KeptValue, ResponseMemory } from "../../src/gateway/conversations/response-memory.js";
import { RESPONSE_SETTINGS } from "../gateway/conversations/responses-for-test.js";
import { RedisServer } from "./redis-server.js";

let server: RedisServer;
let direct: Redis;
beforeAll(async () => {
  server = await RedisServer.start();
  direct = new Redis(server.url);
  direct.on("error", () => {});
});
afterAll(async () => {
  direct.disconnect();
  await server.stop();
});

const opened: { readonly memory: ResponseMemory; readonly folder: string }[] = [];
afterEach(async () => {
  for (const { memory, folder } of opened.splice(0)) {
    await memory.close();
    rmSync(folder, { recursive: true });
  }
});

/** One gateway, with a data folder of its own. */
async function gateway({ traceContent = true } = {}): Promise<ResponseMemory> {
  const folder = mkdtempSync(join(tmpdir(), "sextant-responses-"));
  const memory = await openResponses(
    { ...RESPONSE_SETTINGS, dataDir: folder, redisUrl: server.url, traceContent },
    { now: Date.now, timers: systemTimers },
  );
  opened.push({ memory, folder });
  return memory;
}

const storedAt = (key: string): KeptValue => ({
  kind: "stored",
  key,
  value: { id: "resp_1", provider: "openai", model: "gpt-5.6-luna", keptAtMs: Date.now() },
});
const itemAt = (key: string): KeptValue => ({ kind: "item", key, value: { id: "msg_1", type: "message" } });

/** Keeps until another gateway finds it: a client of Redis that has just been opened may still be connecting. */
const arrives = (kept: KeptValue, { here, there }: Record<"here" | "there", ResponseMemory>) =>
  expect
    .poll(
      () => {
        here.keep(kept);
        return there.find(kept.kind, kept.key);
      },
      { timeout: 20_000 },
    )
    .toEqual(kept.value);

describe("Responses in Redis", () => {
  it("and items of them are found by other gateways, and expire by themselves", async () => {
    const gateways = { here: await gateway(), there: await gateway() };
    const key = randomUUID();
    await arrives(storedAt(key), gateways);
    await arrives(itemAt(key), gateways);
    const left = [
      await direct.pttl(`sextant:response:stored:${key}`),
      await direct.pttl(`sextant:response:item:${key}`),
    ];
    expect(left.map((ms) => ms > 0)).toEqual([true, true]);
    expect(left[0]).toBeLessThanOrEqual(RESPONSE_SETTINGS.storedResponsesTtlMs);
    expect(left[1]).toBeLessThanOrEqual(RESPONSE_SETTINGS.responseItemsTtlMs);
  });

  it("that were deleted are gone for all", async () => {
    const gateways = { here: await gateway(), there: await gateway() };
    const kept = storedAt(randomUUID());
    await arrives(kept, gateways);
    const { here, there } = gateways;
    here.keep({ ...kept, value: { ...kept.value, deleted: true } } as KeptValue);
    await expect.poll(() => there.find("stored", kept.key)).toBeUndefined();
    expect(await here.find("stored", kept.key)).toBeUndefined();
  });

  it("have no items where content is not to be stored: these stay with the gateway that made them", async () => {
    const [here, there] = [await gateway({ traceContent: false }), await gateway({ traceContent: false })];
    const key = randomUUID();
    await arrives(storedAt(key), { here, there });
    here.keep(itemAt(key));
    expect(await here.find("item", key)).toMatchObject({ id: "msg_1" });
    expect(await there.find("item", key)).toBeUndefined();
    expect(await direct.exists(`sextant:response:item:${key}`)).toBe(0);
  });

  it("are those of the gateway itself while Redis is away, and shared again afterwards", async () => {
    const gateways = { here: await gateway(), there: await gateway() };
    const kept = storedAt(randomUUID());
    await server.kill();
    gateways.here.keep(kept);
    expect(await gateways.here.find("stored", kept.key)).toEqual(kept.value);
    expect(await gateways.there.find("stored", kept.key)).toBeUndefined();
    await server.start();
    await arrives(kept, gateways);
  });
});
