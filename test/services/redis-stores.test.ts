/** What several gateways keep in one Redis. */
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemTimers } from "../../src/foundation/timers.js";
import { RecentValues } from "../../src/gateway/conversations/recent-values.js";
import { RedisStore } from "../../src/gateway/storage/redis-store.js";
import { itStores } from "../contracts/store.contract.js";
import { RedisServer } from "./redis-server.js";

const TTL_MS = 60_000;

let server: RedisServer;
let direct: Redis;
const opened: RedisStore[] = [];
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

function open(): RedisStore {
  const store = new RedisStore(server.url);
  opened.push(store);
  return store;
}

describe("Recent values in Redis", () => {
  const gateway = () =>
    new RecentValues<{ readonly model: string }>({
      kind: "conversation",
      ttlMs: TTL_MS,
      maxBytes: 1_000_000,
      store: open(),
      now: Date.now,
      timers: systemTimers,
    });

  it("are shared by gateways, expire by themselves, and are the gateway's own while Redis is away", async () => {
    const [here, there] = [gateway(), gateway()];
    // A client of Redis that has just been opened may still be connecting.
    const arrives = (model: string) =>
      expect
        .poll(async () => {
          here.remember("one", { model });
          return (await there.find("one"))?.model;
        })
        .toBe(model);
    await arrives("large");
    const left = await direct.pttl("sextant:conversation:one");
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(TTL_MS);
    await server.kill();
    here.remember("other", { model: "large" });
    expect(await here.find("other")).toEqual({ model: "large" });
    expect(await there.find("other")).toBeUndefined();
    await server.start();
    await arrives("small");
  });
});

describe("A Redis store", () => {
  itStores(open);

  it("forgets an entry when its time has passed, by itself", async () => {
    const store = open();
    await store.put({ kind: "session", key: "one" }, "there", { ttlMs: 60_000 });
    await store.update({ kind: "session", key: "one" }, () => "changed");
    const left = await direct.pttl("sextant:session:one");
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
    await store.update({ kind: "session", key: "one" }, () => "longer", { ttlMs: 120_000 });
    expect(await direct.pttl("sextant:session:one")).toBeGreaterThan(60_000);
    await direct.pexpire("sextant:session:one", 0);
    expect(await store.get({ kind: "session", key: "one" })).toBeUndefined();
  });

  it("keeps the newest of a kind that is bounded, and all of others", async () => {
    const store = open();
    for (const key of ["one", "two", "three", "two", "four"]) {
      await store.put({ kind: "response", key }, key, { kept: 2, ttlMs: 60_000 });
      await store.put({ kind: "session", key }, key);
    }
    const keys = async (kind: string) => (await direct.keys(`sextant:${kind}:*`)).sort();
    expect(await keys("response")).toEqual(["sextant:response:four", "sextant:response:two"]);
    expect(await keys("session")).toHaveLength(4);
    expect(await direct.pttl("sextant:kept:response")).toBeGreaterThan(0);
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
