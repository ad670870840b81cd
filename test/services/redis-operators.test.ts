/** Pauses and administrative events of several instances, in one Redis. */
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { textInRedis } from "../../src/foundation/redis-text.js";
import { COMMAND_LINE } from "../../src/gateway/audit/event.js";
import { EventLog } from "../../src/gateway/audit/event-log.js";
import { RedisEvents } from "../../src/gateway/audit/redis-events.js";
import { PauseList } from "../../src/gateway/pauses/pause-list.js";
import { itKeepsPauses, pauseOf, START_MS } from "../contracts/pause-store.contract.js";
import { RedisServer } from "./redis-server.js";

let server: RedisServer;
let direct: Redis;
beforeAll(async () => {
  server = await RedisServer.start();
  direct = new Redis(server.url);
  direct.on("error", () => {});
});
beforeEach(() => direct.flushall());
afterAll(async () => {
  direct.disconnect();
  await server.stop();
});

describe("Pauses in Redis", () => {
  const open = () => textInRedis(server.url, { key: "sextant:pause-list" });
  itKeepsPauses(open);

  it("stay in force while Redis cannot be asked", async () => {
    const pauses = new PauseList(open(), {
      now: () => START_MS,
      newId: () => "1",
    });
    await pauses.add(pauseOf());
    await server.kill();
    await expect(pauses.refresh()).rejects.toThrow();
    expect(pauses.list()).toHaveLength(1);
    await server.start();
    await pauses.close();
  });
});

it("Events of all instances stand in one list of Redis, the oldest given up first", async () => {
  let ids = 0;
  const open = () =>
    new EventLog(new RedisEvents(server.url, 2), {
      now: () => START_MS,
      newId: () => `${++ids}`,
      log: { warn() {} },
    });
  const [one, other] = [open(), open()];
  const act = { actor: COMMAND_LINE, target: { type: "key", id: "key_1", name: null }, details: {} } as const;
  for (const log of [one, other, one]) await log.record({ ...act, kind: "key.updated" });
  expect((await other.list({}, 10)).events.map(({ id }) => id)).toEqual(["event_3", "event_2"]);
  await Promise.all([one.close(), other.close()]);
});
