import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RESOLVE_AFTER_MS } from "../../../../src/gateway/features/alerts/alert-state.js";
import {
  AlertWatch,
  type AlertWatchOptions,
  type ProviderHealth,
} from "../../../../src/gateway/features/alerts/alert-watch.js";
import type { AlertFacts } from "../../../../src/gateway/features/alerts/conditions.js";
import { alertsSchema } from "../../../../src/gateway/features/alerts/settings.js";
import { FakeAccessLog } from "../../../fakes/access-log.js";
import { FakeClock } from "../../../fakes/clock.js";
import { MemoryStore } from "../../../fakes/store.js";

const EVERY_MS = 60_000;
const STATE = { kind: "alerts", key: "state" };
const { rules } = alertsSchema.parse({});
const webhook = { name: "ops", form: "json", url: "http://hooks.example/ops", secret: undefined } as const;

/** What the webhook was sent, and what it answers next: 200 unless a test says otherwise. */
interface Sent {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly held_back: number;
}
let sent: Sent[] = [];
let answers: (() => Response)[] = [];
const receive: typeof fetch = async (_url, init) => {
  sent.push(JSON.parse(String(init?.body)));
  return (answers.shift() ?? (() => new Response("ok")))();
};

/** What all processes share. */
let shared: MemoryStore;
let clock: FakeClock;
let log: FakeAccessLog;
let failed = 0;
let isTraceStoreDown = false;
/** Ids of what operators paused. */
let paused: ReadonlySet<string>;
let ids = 0;
const watches: AlertWatch[] = [];
beforeEach(() => {
  [sent, answers, failed, isTraceStoreDown] = [[], [], 0, false];
  paused = new Set();
  shared = new MemoryStore();
  clock = new FakeClock();
  log = new FakeAccessLog();
});
afterEach(async () => {
  for (const watch of watches.splice(0)) await watch.close();
});

const facts = async (): Promise<Omit<AlertFacts, "providers">> => ({
  budgets: [],
  keys: [],
  spend: null,
  requests: isTraceStoreDown ? null : [{ by: "all", name: "", all: 100, failed, shareBefore: null }],
});

/** A process of the fleet. */
function started({
  health = {},
  store = shared,
}: {
  health?: ProviderHealth;
  store?: AlertWatchOptions["store"];
} = {}) {
  const watch = new AlertWatch(
    { webhooks: [webhook], rules },
    {
      store,
      facts,
      timers: clock,
      now: clock.now,
      fetch: receive,
      log,
      everyMs: EVERY_MS,
      health: () => health,
      isPaused: ({ id }) => paused.has(id),
      newId: () => String(++ids),
    },
  );
  watches.push(watch);
  return watch;
}

/** An interval passes, and all processes look. */
async function pass(...processes: readonly AlertWatch[]): Promise<void> {
  clock.advance(EVERY_MS);
  for (const process of processes) await process.look();
}
/** A process that found too many errors. */
async function alerted(): Promise<AlertWatch> {
  const one = started();
  failed = 60;
  await pass(one);
  return one;
}
/** For the alert of that. */
const SILENCE = { rule: "error_rate", subject: "all requests", reason: "known", by: "key_1" } as const;
const told = () => sent.map(({ type, title }) => `${type.replace("alert.", "")}: ${title}`);

it("What holds now is asked of all instances, without a turn and without a message", async () => {
  const [one, two] = [{ lab: { called: 2, out: 0 } }, { lab: { called: 2, out: 2 } }].map((health) =>
    started({ health }),
  );
  failed = 60;
  const titles = async () => (await one?.conditions())?.conditions.map(({ title }) => title);
  expect(await titles()).toEqual(["High error rate"]);
  await two?.look();
  sent = [];
  expect(await titles()).toEqual(["High error rate", "Provider lab is down"]);
  expect((await one?.conditions({ ...rules, error_rate: false }))?.conditions).toHaveLength(1);
  expect(sent).toEqual([]);
});

describe("An alert", () => {
  it("fires once and resolves once in a fleet of processes, however often they look", async () => {
    const fleet = [started(), started(), started()];
    for (let interval = 0; interval < 5; interval++) {
      failed = interval < 2 ? 0 : 60;
      clock.advance(EVERY_MS);
      await Promise.all(fleet.map((process) => process.look()));
    }
    expect(told()).toEqual(["fired: High error rate"]);
    failed = 0;
    for (let interval = 0; interval < 8; interval++) await pass(...fleet);
    expect(told()).toEqual(["fired: High error rate", "resolved: High error rate"]);
    const { firing, recent } = await (fleet[0] as AlertWatch).state();
    expect([firing, recent.length]).toEqual([[], 2]);
  });

  it("of a condition that comes and goes fires once, and resolves when it stays away", async () => {
    const one = started();
    for (let interval = 0; interval < 30; interval++) {
      failed = interval % 3 === 0 ? 60 : 0;
      await pass(one);
    }
    expect(told()).toEqual(["fired: High error rate"]);
    failed = 0;
    for (let waited = 0; waited <= RESOLVE_AFTER_MS; waited += EVERY_MS) await pass(one);
    expect(told()).toEqual(["fired: High error rate", "resolved: High error rate"]);
  });

  it("that is silenced tells no webhook, and fires again when the silence ends before it does", async () => {
    const one = await alerted();
    await one.silence({ ...SILENCE, endsMs: clock.now() + 3 * EVERY_MS });
    for (let interval = 0; interval < 4; interval++) await pass(one);
    expect(told()).toEqual(["fired: High error rate", "fired: High error rate"]);
    const { id } = await one.silence({ ...SILENCE, endsMs: null });
    failed = 0;
    for (let waited = 0; waited <= RESOLVE_AFTER_MS; waited += EVERY_MS) await pass(one);
    expect(told()).toHaveLength(2);
    const { silences, recent } = await one.state();
    expect([silences, recent.length, await one.unsilence(id)]).toEqual([[], 3, undefined]);
  });

  it.each([
    ["cannot be seen", 60, true],
    ["does not hold", 0, false],
  ])("whose condition %s when its silence ends fires again once it is seen", async (_, failing, isDown) => {
    const one = await alerted();
    const { id } = await one.silence({ ...SILENCE, endsMs: clock.now() + EVERY_MS });
    [failed, isTraceStoreDown] = [failing, isDown];
    await pass(one);
    await pass(one);
    expect([told().length, await one.unsilence(id)]).toEqual([1, undefined]);
    [failed, isTraceStoreDown] = [60, false];
    await pass(one);
    await pass(one);
    expect(told()).toEqual(["fired: High error rate", "fired: High error rate"]);
    expect((await one.state()).silences).toEqual([]);
  });

  it("of what operators paused does not fire, and stays as it is, with its silence", async () => {
    const health = { lab: { called: 2, out: 2 }, other: { called: 1, out: 0 } };
    const one = started({ health });
    await pass(one);
    await one.silence({ ...SILENCE, rule: "provider_down", subject: "lab", endsMs: null });
    paused = new Set(["lab", "other"]);
    health.lab.out = 0;
    health.other.out = 1;
    for (let waited = 0; waited <= RESOLVE_AFTER_MS; waited += EVERY_MS) await pass(one);
    const { firing, silences } = await one.state();
    expect([firing.map(({ subject }) => subject), silences.length]).toEqual([["lab"], 1]);
    paused = new Set();
    await pass(one);
    expect(told()).toEqual(["fired: Provider lab is down", "fired: Provider other is down"]);
    expect((await one.state()).recent.map(({ type }) => type)).toContain("alert.resolved");
  });

  it("stays as it is while its facts cannot be asked", async () => {
    const one = await alerted();
    isTraceStoreDown = true;
    for (let interval = 0; interval < 20; interval++) await pass(one);
    expect(told()).toEqual(["fired: High error rate"]);
    expect((await one.state()).firing).toHaveLength(1);
  });

  it("of a provider counts what all processes found, whichever looks", async () => {
    const seeing = started({ health: { lab: { called: 2, out: 2 } } });
    const others = [started({ health: { lab: { called: 1, out: 0 } } }), started()];
    for (let interval = 0; interval < 3; interval++) await pass(...others, seeing);
    expect(told()).toEqual(["fired: Provider lab is down"]);
  });

  it("is sent again with the same id until the webhook takes it, later each time", async () => {
    const one = started();
    answers = [() => new Response("", { status: 500 }), () => new Response("", { status: 503 })];
    failed = 60;
    const waits: number[] = [];
    for (let interval = 0; interval < 6; interval++) {
      const before = sent.length;
      await pass(one);
      if (sent.length > before) waits.push(interval);
    }
    expect(waits).toEqual([0, 1, 2]);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
    expect((await one.state()).waiting).toEqual([]);
    expect((await one.state()).last.ops).toMatchObject({ ok: true, status: "HTTP 200" });
  });

  it("waits as long as the webhook asks", async () => {
    answers = [() => new Response("", { status: 429, headers: { "retry-after": "170" } })];
    const one = await alerted();
    await pass(one);
    await pass(one);
    expect(sent).toHaveLength(1);
    await pass(one);
    expect(sent).toHaveLength(2);
  });

  it("that the webhook refuses is given up at once, and logged without the address", async () => {
    answers = [() => new Response("no_service", { status: 404 })];
    const one = await alerted();
    for (let interval = 0; interval < 3; interval++) await pass(one);
    expect(sent).toHaveLength(1);
    expect(log.of("warn")).toEqual(["an alert was not sent"]);
    expect(JSON.stringify(log.lines)).not.toContain("hooks.example");
  });

  it("of a process that died while it was sending is sent by another one, and the address is not in the store", async () => {
    let isDead = false;
    answers = [
      () => {
        isDead = true;
        throw new Error("the process is gone");
      },
    ];
    const update: MemoryStore["update"] = (...change) =>
      isDead ? new Promise(() => {}) : shared.update(...change);
    const first = started({ store: { name: shared.name, get: (entry) => shared.get(entry), update } });
    failed = 60;
    clock.advance(EVERY_MS);
    void first.look();
    await expect.poll(() => sent.length).toBe(1);
    watches.pop();
    const second = started();
    await pass(second);
    await pass(second);
    expect(sent).toHaveLength(2);
    expect(sent[0]?.id).toBe(sent[1]?.id);
    expect(await shared.get(STATE)).not.toContain("hooks.example");
  });

  it("comes in time where a second process looks in between", async () => {
    const [one, two] = [started(), started()];
    await pass(one);
    failed = 60;
    clock.advance(EVERY_MS / 2);
    await two.look();
    expect(sent).toEqual([]);
    clock.advance(EVERY_MS / 2);
    await one.look();
    expect(told()).toEqual(["fired: High error rate"]);
  });

  it("fires again after its state was damaged, which is in the log, once", async () => {
    const watch = await alerted();
    await shared.put(STATE, "{");
    await pass(watch, watch);
    await pass(watch);
    expect(told()).toEqual(["fired: High error rate", "fired: High error rate"]);
    expect(log.of("warn")).toEqual([expect.stringContaining("state of alerts is damaged")]);
  });

  it("is held back when a webhook was sent twenty within an hour; the next says how many were", async () => {
    const down = { called: 1, out: 1 };
    const health: Record<string, typeof down> = {};
    for (let at = 0; at < 30; at++) health[`p${at}`] = down;
    const one = started({ health });
    await pass(one);
    await pass(one);
    expect(sent.map(({ held_back: held }) => held)).toEqual(Array.from({ length: 20 }, () => 0));
    clock.advance(3_600_000);
    failed = 60;
    await pass(one);
    expect(sent.slice(20)).toMatchObject([{ title: "High error rate", held_back: 10 }]);
  });
});

it("Rules are looked at without webhooks, and webhooks of new settings are told at once", async () => {
  const one = started();
  one.use({ webhooks: [], rules });
  failed = 60;
  await pass(one);
  failed = 0;
  for (let waited = 0; waited <= RESOLVE_AFTER_MS; waited += EVERY_MS) await pass(one);
  expect([sent, (await one.state()).recent.length]).toEqual([[], 2]);
  one.use({ webhooks: [webhook], rules });
  failed = 60;
  clock.advance(EVERY_MS);
  await expect.poll(() => told()).toEqual(["fired: High error rate"]);
});

it("A test reaches the named webhook, and says what it answered", async () => {
  const one = started();
  one.use({ webhooks: [webhook, { ...webhook, name: "other" }], rules });
  answers = [() => new Response("", { status: 403 })];
  const refused = { webhook: "other", ok: false, status: "HTTP 403", latencyMs: 0 };
  expect(await one.test("other")).toEqual([refused]);
  expect(await one.test(undefined)).toMatchObject([
    { webhook: "ops", ok: true },
    { webhook: "other", ok: true },
  ]);
  expect(await one.test("none")).toEqual([]);
  expect(sent[0]).toMatchObject({ type: "alert.test", rule: "test" });
});
