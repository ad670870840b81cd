import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { zoneOffsets } from "../../src/foundation/time-zone.js";
import type { TraceDimension } from "../../src/gateway/traces/series.js";
import type {
  AnswerTo,
  ArgumentOf,
  TraceFilter,
  TraceScope,
  TraceStore,
} from "../../src/gateway/traces/store.js";
import type { Trace } from "../../src/gateway/traces/trace.js";
import { MemoryTraceStore } from "../fakes/trace-store.js";
import { anyDimension, anyFilter, anyTraces } from "../gateway/traces/arbitrary-traces.js";
import {
  failedTrace,
  HOSTILE,
  NOON,
  requestIdAt,
  routedTrace,
  traceWith,
  USAGE,
} from "../gateway/traces/trace-for-test.js";
import type { StoreUnderTest } from "./trace-store.contract.js";

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

    it("sums up each step separately, and omits steps without traces", async () => {
      await store.append([
        traceWith({ createdAtMs: NOON, streamed: true }),
        traceWith({ createdAtMs: NOON + MINUTE - 1, status: "timeout" }),
        failedTrace({ createdAtMs: NOON + 3 * MINUTE }),
      ]);
      const none = {
        group: null,
        errors: 0,
        timeouts: 0,
        decisions: 0,
        requestsWithoutCost: 0,
        requestsWithBaseline: 0,
        baselineCostUsd: 0,
        savedUsd: 0,
        tokensIn: 0,
        tokensOut: 0,
        costUsd: 0,
        latencyMs: null,
        ttftMs: null,
        streamedLatencyMs: null,
      };
      expect(await series()).toEqual([
        {
          ...none,
          startMs: NOON,
          requests: 2,
          timeouts: 1,
          tokensIn: 24,
          tokensOut: 14,
          costUsd: 0.0008,
          latencyMs: { p50: 812.5, p95: 812.5 },
          ttftMs: { p50: 120.25, p95: 120.25 },
          streamedLatencyMs: { p50: 812.5, p95: 812.5 },
        },
        { ...none, startMs: NOON + 3 * MINUTE, requests: 1, errors: 1, requestsWithoutCost: 1 },
      ]);
    });

    it("leaves percentiles out when they are not asked for", async () => {
      await store.append([traceWith(), failedTrace({ createdAtMs: NOON + MINUTE })]);
      const whole = await series({ by: "model" });
      expect(await series({ by: "model", percentiles: "none" })).toEqual(
        whole.map((point) => ({ ...point, latencyMs: null, ttftMs: null, streamedLatencyMs: null })),
      );
    });

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

    it.each([
      ["model", "model", ["b", "a", null]],
      ["provider", "provider", ["b", "a", null]],
      ["source", "source", ["b", "a"]],
      ["key", "principal", ["b", "a"]],
    ] as const)("splits by %s: by step, then by value, null last", async (by, field, values) => {
      const starts = [NOON, NOON + MINUTE];
      await store.append(
        starts.flatMap((createdAtMs) => values.map((value) => traceWith({ createdAtMs, [field]: value }))),
      );
      const sorted = ["a", "b", ...values.slice(2)];
      expect((await series({ by })).map(({ startMs, group }) => [startMs, group])).toEqual(
        starts.flatMap((startMs) => sorted.map((group) => [startMs, group])),
      );
    });

    it("returns unusual values unchanged", async () => {
      await store.append(HOSTILE.map((source) => traceWith({ source })));
      const points = await series({ by: "source" });
      expect(points.map(({ group }) => group).sort()).toEqual([...new Set(HOSTILE)].sort());
    });

    it("returns percentiles within one rank", async () => {
      const latencies = Array.from({ length: 100 }, (_, rank) => rank + 1);
      await store.append(
        latencies.map((latencyMs) => traceWith({ latencyMs, ttftMs: latencyMs / 2, streamed: true })),
      );
      const [point] = await series();
      expect(Math.abs((point?.latencyMs?.p50 ?? 0) - 50)).toBeLessThanOrEqual(1);
      expect(Math.abs((point?.latencyMs?.p95 ?? 0) - 95)).toBeLessThanOrEqual(1);
      expect(Math.abs((point?.ttftMs?.p95 ?? 0) - 47.5)).toBeLessThanOrEqual(0.5);
    });

    it("counts decisions alone apart, and requests without a known cost", async () => {
      const decision = { usage: null, attempts: [] };
      await store.append([
        routedTrace({ ...decision, model: "a" }),
        routedTrace({ model: "a" }),
        routedTrace({ ...decision, status: "error", model: "b" }),
        traceWith({ usage: { ...USAGE, total_cost_usd: null }, model: "b" }),
        traceWith({ usage: null, model: "b" }),
      ]);
      expect(await series({ by: "model" })).toMatchObject([
        { requests: 2, decisions: 1, requestsWithoutCost: 0 },
        { requests: 3, decisions: 0, requestsWithoutCost: 3 },
      ]);
      expect(await store.ask("stats", { filter: {}, by: [] }, ALL)).toMatchObject([
        { requests: 5, decisions: 1, requestsWithoutCost: 3 },
      ]);
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
    });

    it("counts the steps of days on the clock of a zone, also where the clock changes", async () => {
      const times = [
        "2026-03-28T23:00Z",
        "2026-03-29T21:59:59.999Z",
        "2026-03-29T22:00Z",
        "2026-03-30T22:00Z",
      ];
      await store.append(times.map((time) => traceWith({ createdAtMs: Date.parse(time) })));
      const range = { fromMs: Date.parse("2026-03-27T23:00Z"), toMs: Date.parse("2026-03-31T22:00Z") };
      const offsets = zoneOffsets("Europe/Berlin", range);
      const points = await series({ originMs: range.fromMs, stepMs: 24 * HOUR, offsets });
      expect(points.map(({ startMs, requests }) => [new Date(startMs).toISOString(), requests])).toEqual([
        ["2026-03-28T23:00:00.000Z", 2],
        ["2026-03-29T22:00:00.000Z", 1],
        ["2026-03-30T22:00:00.000Z", 1],
      ]);
      const days = await store.ask("stats", { filter: {}, by: ["day"], offsets }, ALL);
      expect(days.map(({ group, requests }) => [group.day, requests])).toEqual([
        ["2026-03-29", 2],
        ["2026-03-30", 1],
        ["2026-03-31", 1],
      ]);
    });

    it("applies filter and scope, and omits unknown costs", async () => {
      await store.append([
        traceWith({ source: "billing" }),
        traceWith({ source: "billing", model: "other", usage: { ...USAGE, total_cost_usd: null } }),
        traceWith({ source: "search" }),
      ]);
      const scope = { source: "billing" };
      expect(await series({}, { model: "other" }, scope)).toMatchObject([
        { requests: 1, costUsd: 0, tokensIn: 12 },
      ]);
      expect(await series({}, { source: "search" }, scope)).toEqual([]);
    });

    it("has the figures of the traces for every split, range and time zone", async () => {
      const reference = new MemoryTraceStore();
      const questions = fc.array(anySeriesQuestion, { minLength: 3, maxLength: 6 });
      const property = fc.asyncProperty(anyTraces, questions, async (traces, asked) => {
        const stores = [store, reference];
        for (const each of stores) await each.append(traces.map(overTheYear));
        for (const question of asked) {
          const [found, expected] = await Promise.all(stores.map((each) => answersOf(each, question)));
          expectSamePoints(found?.points ?? [], expected?.points ?? []);
          expect(found?.sums).toEqual(expected?.sums);
        }
      });
      await fc.assert(property, { numRuns: underTest.runs });
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

interface SeriesQuestion {
  readonly filter: TraceFilter;
  readonly by: TraceDimension | undefined;
  readonly zone: string | undefined;
  /** Hours of the year. */
  readonly from: number;
  readonly days: number;
  readonly stepHours: number;
}
const anySeriesQuestion: fc.Arbitrary<SeriesQuestion> = fc.record({
  filter: anyFilter.map(({ startMs: _start, endMs: _end, text: _text, ...filter }) => filter),
  by: fc.option(anyDimension, { nil: undefined }),
  zone: fc.option(fc.constantFrom(...ZONES), { nil: undefined }),
  from: fc.integer({ min: -48, max: 8760 }),
  days: fc.integer({ min: 1, max: 366 }),
  stepHours: fc.constantFrom(1, 3, 12, 24, 168),
});

async function answersOf(store: TraceStore, { filter, by, days, zone, stepHours, from }: SeriesQuestion) {
  const startMs = YEAR + from * HOUR;
  const endMs = startMs + days * 24 * HOUR;
  const offsets = zone === undefined ? undefined : zoneOffsets(zone, { fromMs: startMs, toMs: endMs });
  const steps = { originMs: startMs, stepMs: stepHours * HOUR, offsets, by };
  const within = { ...filter, startMs, endMs };
  const dimensions: readonly TraceDimension[] = by === undefined ? ["day"] : [by, "day"];
  const sums = await store.ask("stats", { filter: within, by: dimensions, offsets }, ALL);
  return {
    points: await store.ask("series", { filter: within, steps }, ALL),
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

/** Sums of costs depend on the order in which they are added; percentiles may be a rank off. */
function expectSamePoints(found: AnswerTo<"series">, expected: AnswerTo<"series">): void {
  const comparable = (points: AnswerTo<"series">) =>
    points.map(({ costUsd, latencyMs, ttftMs, streamedLatencyMs, ...exact }, at) => {
      expect(costUsd).toBeCloseTo(expected[at]?.costUsd ?? Number.NaN, 9);
      return { exact, known: [latencyMs, ttftMs, streamedLatencyMs].map((times) => times !== null) };
    });
  expect(comparable(found)).toEqual(comparable(expected));
}
