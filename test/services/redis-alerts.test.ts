import { afterAll, beforeAll, expect, it } from "vitest";
import { textInRedis } from "../../src/foundation/redis-text.js";
import { alertsSchema } from "../../src/gateway/alerts/alert-settings.js";
import { AlertWatch } from "../../src/gateway/alerts/alert-watch.js";
import { FakeAccessLog } from "../fakes/access-log.js";
import { FakeClock } from "../fakes/clock.js";
import { RedisServer } from "./redis-server.js";

const EVERY_MS = 60_000;
let server: RedisServer;
beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(() => server.stop());

it("Gateways on one Redis send an alert once, whichever of them looks", async () => {
  const clock = new FakeClock();
  const sent: string[] = [];
  const log = new FakeAccessLog();
  let ids = 0;
  const fleet = Array.from({ length: 3 }, () => {
    const webhooks = [{ name: "ops", form: "json", url: "http://hooks.example", secret: undefined }] as const;
    return new AlertWatch(
      { webhooks, rules: alertsSchema.parse({}).rules },
      {
        ...{
          store: textInRedis(server.url, { key: "sextant:alerts", keptMs: 60_000 }),
          timers: clock,
          now: clock.now,
          log,
          everyMs: EVERY_MS,
        },
        facts: async () => ({ budgets: [], keys: [], spend: null, requests: { all: 50, failed: 50 } }),
        health: () => ({}),
        newId: () => String(++ids),
        fetch: async (_url, init) => {
          sent.push(JSON.parse(String(init?.body)).type);
          return new Response("ok");
        },
      },
    );
  });
  for (let interval = 0; interval < 4; interval++) {
    clock.advance(EVERY_MS);
    await Promise.all(fleet.map((one) => one.look()));
  }
  expect(sent).toEqual(["alert.fired"]);
  expect((await fleet[2]?.state())?.firing).toHaveLength(1);
  expect(log.lines).toEqual([]);
  for (const one of fleet) await one.close();
});
