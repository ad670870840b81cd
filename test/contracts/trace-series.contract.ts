import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { zoneOffsets } from "../../src/foundation/time-zone.js";
import type { TraceDimension } from "../../src/gateway/traces/series.js";
import type { ArgumentOf, TraceFilter, TraceScope, TraceStore } from "../../src/gateway/traces/store.js";
import type { Trace } from "../../src/gateway/traces/trace.js";
import { MemoryTraceStore } from "../fakes/trace-store.js";
import { anyDimension, anyScope, FILTERS, filterBy, tracesOf } from "../gateway/traces/arbitrary-traces.js";
import {
  failedTrace,
  HOSTILE,
  NOON,
  requestIdAt,
  routedTrace,
  traceWith,
  USAGE,
} from "../gateway/traces/trace-for-test.js";
import { type DrawnBy, expectSameFigures, SEED, type StoreUnderTest } from "./trace-store.contract.js";

const ALL = { scope: "all" } as const;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const STEPS = { originMs: NOON, stepMs: MINUTE };

/** What every `TraceStore` promises of figures over time. */
export function traceSeriesContract(name: string, underTest: StoreUnderTest): void {
  describe(`${name}, as a source of trace series,`, () => {
    let store: TraceStore;
    beforeEach(async () => {
      store = await underTest.open();
    });
    afterEach(() => underTest.dispose(store));

    const series = (
      steps: Partial<ArgumentOf<"series">["steps"]> = {},
      filter: TraceFilter = {},
      scope: TraceScope = "all",
    ) => store.ask("series", { filter, steps: { ...STEPS, ...steps } }, { scope });

    it("has the values with the largest spend alone when so many are asked for", async () => {
      const spent = (model: string, total_cost_usd: number, createdAtMs = NOON) =>
        traceWith({ model, usage: { ...USAGE, total_cost_usd }, createdAtMs });
      // The largest in a step is not the largest in all.
      await store.append([spent("step", 5), spent("whole", 3), spent("whole", 4, NOON + MINUTE)]);
      await store.append(["b", "a", "c", "c", null].map((model) => failedTrace({ model })));
      const all = await series({ by: "model" });
      for (const [top, names] of [
        [1, ["whole"]],
        [3, ["whole", "step", "c"]],
        [5, ["whole", "step", "c", "a", "b"]],
        [1000, ["whole", "step", "c", "a", "b", null]],
      ] as const) {
        const expected = all.filter(({ group }) => names.some((name) => name === group));
        expect(await series({ by: "model", top })).toEqual(expected);
      }
    });

    it("counts steps from the origin, also before it", async () => {
      await store.append([-1, 0, 999, 1000].map((ms) => traceWith({ createdAtMs: NOON + ms })));
      const points = await series({ stepMs: 1000 });
      expect(points.map(({ startMs, requests }) => [startMs - NOON, requests])).toEqual([
        [-1000, 1],
        [0, 2],
        [1000, 1],
      ]);
    });

    it("returns unusual values unchanged", async () => {
      await store.append(HOSTILE.map((source) => traceWith({ source })));
      const points = await series({ by: "source" });
      expect(points.map(({ group }) => group).sort()).toEqual([...new Set(HOSTILE)].sort());
    });

    it("takes times of answers alone: of first tokens, of streamed ones", async () => {
      await store.append([
        traceWith({ latencyMs: 900, ttftMs: 300, streamed: true }),
        traceWith({ latencyMs: 700, ttftMs: 700 }),
        traceWith({ latencyMs: 600, ttftMs: 600 }),
        traceWith({ latencyMs: 3, ttftMs: 3, kind: "embeddings" }),
        traceWith({ latencyMs: 60_000, ttftMs: 100, streamed: true, status: "timeout" }),
        routedTrace({ latencyMs: 1, ttftMs: null, usage: null, attempts: [] }),
        failedTrace({ latencyMs: 2 }),
      ]);
      const latencyMs = { p50: 700, p95: 900 };
      const ttftMs = { p50: 300, p95: 300 };
      const streamedLatencyMs = { p50: 900, p95: 900 };
      expect(await series()).toMatchObject([{ latencyMs, ttftMs, streamedLatencyMs }]);
      expect(await store.ask("stats", { filter: {}, by: [] }, ALL)).toMatchObject([
        { latencyMs: { p50: 700, p99: 900 }, ttftMs: { p50: 300 }, streamedLatencyMs: { p50: 900 } },
      ]);
    });

    it("has the figures of the traces for every filter, split, range and time zone", async () => {
      const reference = new MemoryTraceStore();
      const questions = fc.tuple(...[...FILTERS, ...FILTERS].map((name) => anySeriesQuestion(name)));
      const stores = [store, reference];
      const cases = fc.sample(fc.tuple(tracesOf(150), questions), { numRuns: 1, seed: SEED });
      for (const [traces, asked] of cases) {
        for (const each of stores) await each.append(traces.map(overTheYear));
        for (const question of asked) {
          const [found, expected] = await Promise.all(stores.map((each) => answersOf(each, question)));
          expectSameFigures(found?.points ?? [], expected?.points ?? []);
          expect(found?.sums, JSON.stringify(question)).toEqual(expected?.sums);
        }
      }
    });
  });
}

const YEAR = Date.UTC(2026, 0, 1);

/** Clocks that change in spring and in autumn, at whole and at half hours, at midnight, in a month of fasting, and never. */
const ZONES = [
  "Europe/Berlin",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "America/Santiago",
  "Africa/Casablanca",
  "Asia/Kathmandu",
  "UTC",
];

const anySeriesQuestion = (name: keyof TraceFilter) =>
  fc.record({
    filter: filterBy([name]),
    scope: anyScope,
    by: fc.option(anyDimension, { nil: undefined }),
    percentiles: fc.constantFrom("none" as const, undefined),
    zone: fc.option(fc.constantFrom(...ZONES), { nil: undefined }),
    /** Hours of the year. */
    from: fc.integer({ min: -48, max: 4000 }),
    days: fc.integer({ min: 1, max: 366 }),
    stepHours: fc.constantFrom(1, 3, 12, 24, 168),
  });

type SeriesQuestion = DrawnBy<ReturnType<typeof anySeriesQuestion>>;

async function answersOf(store: TraceStore, question: SeriesQuestion) {
  const { filter, scope, by, percentiles, days, zone, stepHours, from } = question;
  const startMs = YEAR + from * HOUR;
  const endMs = startMs + days * 24 * HOUR;
  const offsets = zone === undefined ? undefined : zoneOffsets(zone, { fromMs: startMs, toMs: endMs });
  const steps = { originMs: startMs, stepMs: stepHours * HOUR, offsets, by, percentiles };
  const within = { ...filter, startMs, endMs };
  const dimensions: readonly TraceDimension[] = by === undefined ? ["day"] : [by, "day"];
  const sums = await store.ask("stats", { filter: within, by: dimensions, offsets }, { scope });
  return {
    points: await store.ask("series", { filter: within, steps }, { scope }),
    sums: sums.map(({ group, requests, errors }) => ({ group, requests, errors })),
  };
}

/** Around the changes of clocks, where mistakes would be. */
const CHANGES = [
  "2026-03-29T01:00Z",
  "2026-10-25T01:00Z",
  "2026-03-08T07:00Z",
  "2026-11-01T06:00Z",
  "2026-09-06T04:00Z",
].map(Date.parse);

/** The trace at a time that its own time stands for: spread over a year, half of them within a day of a change. */
function overTheYear(trace: Trace, at: number): Trace {
  const random = (trace.createdAtMs * 7919 + at * 104_729) % 1_000_003;
  const change = CHANGES[random % CHANGES.length] ?? YEAR;
  const createdAtMs =
    at % 2 === 0
      ? change + ((random * 977) % (48 * HOUR)) - 24 * HOUR
      : YEAR + ((random * 31_536) % (8760 * HOUR));
  return { ...trace, createdAtMs, requestId: requestIdAt(createdAtMs) };
}
