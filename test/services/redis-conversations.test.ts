import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemTimers } from "../../src/foundation/timers.js";
import type { ConversationMemory } from "../../src/gateway/conversations/conversation-memory.js";
import { LocalConversations } from "../../src/gateway/conversations/local-conversations.js";
import { openConversations } from "../../src/gateway/conversations/open-memories.js";
import { RedisStore } from "../../src/gateway/conversations/redis-store.js";
import { SharedConversations } from "../../src/gateway/conversations/shared-conversations.js";
import { recordAt } from "../gateway/conversations/record-for-test.js";
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

const opened: ConversationMemory[] = [];
afterEach(async () => {
  for (const memory of opened.splice(0)) await memory.close();
});

/** One gateway. */
async function gateway(): Promise<ConversationMemory> {
  const memory = await openConversations(
    { stickyTtlMs: 60_000, redisUrl: server.url },
    { now: Date.now, timers: systemTimers },
  );
  opened.push(memory);
  return memory;
}

describe("Conversations in Redis", () => {
  it("are shared by gateways, and expire by themselves", async () => {
    const [here, there] = [await gateway(), await gateway()];
    const key = randomUUID();
    const record = recordAt(Date.now());
    await expect
      .poll(
        async () => {
          here.remember(key, record);
          return there.find(key);
        },
        { timeout: 20_000 },
      )
      .toEqual(record);
    const left = await direct.pttl(`sextant:conversation:${key}`);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
  });

  it("are unknown when another version has written something else", async () => {
    const store = new RedisStore(server.url, "conversation");
    const key = randomUUID();
    await direct.set(`sextant:conversation:${key}`, '{"model": 1}');
    await expect
      .poll(
        () =>
          store.get(key).then(
            () => "asked",
            () => "away",
          ),
        { timeout: 20_000 },
      )
      .toBe("asked");
    const local = new LocalConversations({ ttlMs: 60_000, now: Date.now });
    const shared = new SharedConversations({ store, local, ttlMs: 60_000, timers: systemTimers });
    expect(await shared.find(key)).toBeUndefined();
    await shared.close();
  });

  it("are those of the gateway itself while Redis is away, and shared again afterwards", async () => {
    const [here, there] = [await gateway(), await gateway()];
    const key = randomUUID();
    await server.kill();
    here.remember(key, recordAt(Date.now()));
    expect(await here.find(key)).toMatchObject({ model: "large" });
    expect(await there.find(key)).toBeUndefined();
    await server.start();
    await expect
      .poll(
        async () => {
          here.remember(key, recordAt(Date.now(), { model: "small" }));
          return (await there.find(key))?.model;
        },
        { timeout: 20_000 },
      )
      .toBe("small");
  });
});
