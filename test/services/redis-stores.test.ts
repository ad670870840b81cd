/** What several gateways keep in one Redis: conversations, responses, pauses, administrative events, alerts. */
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemTimers } from "../../src/foundation/timers.js";
import type { ConversationMemory } from "../../src/gateway/conversations/conversation-memory.js";
import { LocalConversations } from "../../src/gateway/conversations/local-conversations.js";
import { openConversations, openResponses } from "../../src/gateway/conversations/open-memories.js";
import { RedisStore } from "../../src/gateway/conversations/redis-store.js";
import {
  type KeptValue,
  RESPONSE_TTL_MS,
  type ResponseMemory,
} from "../../src/gateway/conversations/response-memory.js";
import { SharedConversations } from "../../src/gateway/conversations/shared-conversations.js";
import { RedisStore as Store } from "../../src/gateway/storage/redis-store.js";
import { itStores } from "../contracts/store.contract.js";
import { recordAt } from "../gateway/conversations/record-for-test.js";
import { RESPONSE_SETTINGS } from "../gateway/conversations/responses-for-test.js";
import { folderForTest } from "../support/folders.js";
import { RedisServer } from "./redis-server.js";

const KEY = "some-key";
const TTL_MS = 60_000;
const CLOCK = { now: Date.now, timers: systemTimers };

let server: RedisServer;
let direct: Redis;
const opened: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  server = await RedisServer.start();
  direct = new Redis(server.url);
  direct.on("error", () => {});
});
beforeEach(() => direct.flushall());
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
afterAll(async () => {
  direct.disconnect();
  await server.stop();
});

describe("Conversations in Redis", () => {
  async function gateway(): Promise<ConversationMemory> {
    const memory = await openConversations({ redisUrl: server.url }, CLOCK);
    opened.push(memory);
    return memory;
  }

  /** Remembers it until another gateway finds it: a client of Redis that has just been opened may still be connecting. */
  const arrives = (model: string, [here, there]: readonly ConversationMemory[]) =>
    expect
      .poll(async () => {
        here?.remember(KEY, recordAt(Date.now(), { model }));
        return (await there?.find(KEY))?.model;
      })
      .toBe(model);

  it("are shared by gateways, expire by themselves, and are the gateway's own while Redis is away", async () => {
    const gateways = [await gateway(), await gateway()] as const;
    await arrives("large", gateways);
    const left = await direct.pttl(`sextant:conversation:${KEY}`);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(3_600_000);
    const [here, there] = gateways;
    await server.kill();
    here.remember("other", recordAt(Date.now()));
    expect(await here.find("other")).toMatchObject({ model: "large" });
    expect(await there.find("other")).toBeUndefined();
    await server.start();
    await arrives("small", gateways);
  });

  it("are unknown when another version has written something else", async () => {
    const store = new RedisStore(server.url, "conversation");
    await direct.set(`sextant:conversation:${KEY}`, '{"model": 1}');
    const isAsked = () => store.get(KEY).then(Boolean, () => false);
    await expect.poll(isAsked).toBe(true);
    const local = new LocalConversations({ ttlMs: TTL_MS, now: Date.now });
    const shared = new SharedConversations({ store, local, ttlMs: TTL_MS, timers: systemTimers });
    opened.push(shared);
    expect(await shared.find(KEY)).toBeUndefined();
  });
});

describe("Responses in Redis", () => {
  /** One gateway, with a data folder of its own. */
  async function gateway({ traceContent = true } = {}): Promise<ResponseMemory> {
    const places = { dataDir: folderForTest(), redisUrl: server.url };
    const memory = await openResponses({ ...RESPONSE_SETTINGS, ...places, traceContent }, CLOCK);
    opened.push(memory);
    return memory;
  }

  const stored = (): KeptValue => ({
    kind: "stored",
    key: KEY,
    value: { id: "resp_1", provider: "openai", model: "gpt-5.6-luna", keptAtMs: Date.now() },
  });
  const ITEM: KeptValue = { kind: "item", key: KEY, value: { id: "msg_1", type: "message" } };

  const arrives = (kept: KeptValue, { here, there }: Record<"here" | "there", ResponseMemory>) =>
    expect
      .poll(() => {
        here.keep(kept);
        return there.find(kept.kind, kept.key);
      })
      .toEqual(kept.value);

  it("and items of them are found by other gateways, and expire by themselves; what was deleted is gone for all", async () => {
    const gateways = { here: await gateway(), there: await gateway() };
    const kept = stored();
    await arrives(kept, gateways);
    await arrives(ITEM, gateways);
    for (const [kind, ttlMs] of [
      ["stored", RESPONSE_TTL_MS.stored],
      ["item", RESPONSE_TTL_MS.item],
    ] as const) {
      const left = await direct.pttl(`sextant:response:${kind}:${KEY}`);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(ttlMs);
    }
    gateways.here.keep({ ...kept, value: { ...kept.value, deleted: true } } as KeptValue);
    await expect.poll(() => gateways.there.find("stored", KEY)).toBeUndefined();
    expect(await gateways.here.find("stored", KEY)).toBeUndefined();
  });

  it("have no items where content is not to be stored: these stay with the gateway that made them", async () => {
    const [here, there] = [await gateway({ traceContent: false }), await gateway({ traceContent: false })];
    await arrives(stored(), { here, there });
    here.keep(ITEM);
    expect(await here.find("item", KEY)).toMatchObject({ id: "msg_1" });
    expect(await there.find("item", KEY)).toBeUndefined();
    expect(await direct.exists(`sextant:response:item:${KEY}`)).toBe(0);
  });

  it("are those of the gateway itself while Redis is away, and shared again afterwards", async () => {
    const gateways = { here: await gateway(), there: await gateway() };
    const kept = stored();
    await server.kill();
    gateways.here.keep(kept);
    expect(await gateways.here.find("stored", KEY)).toEqual(kept.value);
    expect(await gateways.there.find("stored", KEY)).toBeUndefined();
    await server.start();
    await arrives(kept, gateways);
  });
});

describe("A Redis store", () => {
  const open = () => {
    const store = new Store(server.url);
    opened.push(store);
    return store;
  };
  itStores(open);

  it("forgets an entry when its time has passed, by itself", async () => {
    const store = open();
    await store.put({ kind: "session", key: "one" }, "there", { ttlMs: 60_000 });
    const left = await direct.pttl("sextant:session:one");
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
    await direct.pexpire("sextant:session:one", 0);
    expect(await store.get({ kind: "session", key: "one" })).toBeUndefined();
  });

  it("that is away says so, with the remedy", async () => {
    const store = open();
    await server.kill();
    await expect(store.get({ kind: "pauses", key: "all" })).rejects.toThrow(
      /^Redis cannot be reached \(\w+\)\. Start it, or correct SEXTANT_REDIS_URL, and try again\.$/,
    );
    await server.start();
  });
});
