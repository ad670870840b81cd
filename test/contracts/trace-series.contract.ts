import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { zoneOffsets } from "../../src/foundation/time-zone.js";
import type { AnswerTo, TraceStore } from "../../src/gateway/traces/store.js";
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
const STEPS = { originMs: NOON, stepMs: MINUTE };

/** What every `TraceStore` promises of figures over time. */
export function traceSeriesContract(name: string, underTest: StoreUnderTest): void {
  describe(`${name}, as a source of trace series,`, () => {
    let store: TraceStore;
    beforeEach(async () => {
      store = await underTest.open();
    });
    afterEach(() => underTest.dispose(store));

    it("sums up each step separately, and omits steps without traces", async () => {
      await store.append([
        traceWith({ createdAtMs: NOON, streamed: true }),
        traceWith({ createdAtMs: NOON + MINUTE - 1, status: "timeout" }),
        failedTrace({ createdAtMs: NOON + 3 * MINUTE }),
      ]);
      expect(await store.ask("series", { filter: {}, steps: STEPS }, ALL)).toEqual([
        {
          startMs: NOON,
          group: null,
          requests: 2,
          errors: 0,
          timeouts: 1,
          decisions: 0,
          requestsWithoutCost: 0,
          requestsWithBaseline: 0,
          baselineCostUsd: 0,
          savedUsd: 0,
          tokensIn: 24,
          tokensOut: 14,
          costUsd: 0.0008,
          latencyMs: { p50: 812.5, p95: 812.5 },
          ttftMs: { p50: 120.25, p95: 120.25 },
          streamedLatencyMs: { p50: 812.5, p95: 812.5 },
        },
        {
          startMs: NOON + 3 * MINUTE,
          group: null,
          requests: 1,
          errors: 1,
          timeouts: 0,
          decisions: 0,
          requestsWithoutCost: 1,
          requestsWithBaseline: 0,
          baselineCostUsd: 0,
          savedUsd: 0,
          tokensIn: 0,
          tokensOut: 0,
          costUsd: 0,
          latencyMs: null,
          ttftMs: null,
          streamedLatencyMs: null,
        },
      ]);
    });

    it("leaves percentiles out when they are not asked for", async () => {
      await store.append([traceWith({ createdAtMs: NOON }), failedTrace({ createdAtMs: NOON + MINUTE })]);
      const whole = await store.ask("series", { filter: {}, steps: { ...STEPS, by: "model" } }, ALL);
      expect(
        await store.ask("series", { filter: {}, steps: { ...STEPS, by: "model", percentiles: "none" } }, ALL),
      ).toEqual(whole.map((point) => ({ ...point, latencyMs: null, ttftMs: null, streamedLatencyMs: null })));
    });

    it("has the values with the largest spend alone when so many are asked for", async () => {
      const usage = (total_cost_usd: number) => ({ ...USAGE, total_cost_usd });
      const spent = (model: string, usd: number, createdAtMs = NOON) =>
        traceWith({ model, usage: usage(usd), createdAtMs });
      const failed = (model: string | null) => failedTrace({ model });
      await store.append([
        // The largest in a step is not the largest in all.
        ...[spent("step", 5), spent("whole", 3), spent("whole", 4, NOON + MINUTE), failed("b")],
        ...[failed("a"), failed("c"), failed("c"), failed(null)],
      ]);
      const asked = (top: number) =>
        store.ask("series", { filter: {}, steps: { ...STEPS, by: "model", top } }, ALL);
      const all = await store.ask("series", { filter: {}, steps: { ...STEPS, by: "model" } }, ALL);
      for (const [top, names] of [
        [1, ["whole"]],
        [3, ["whole", "step", "c"]],
        [5, ["whole", "step", "c", "a", "b"]],
        [1000, ["whole", "step", "c", "a", "b", null]],
      ] as const) {
        const expected = all.filter(({ group }) => names.some((name) => name === group));
        expect(await asked(top)).toEqual(expected);
      }
    });

    it("counts steps from the origin, also before it", async () => {
      await store.append(
        [NOON - 1, NOON, NOON + 999, NOON + 1000].map((createdAtMs) => traceWith({ createdAtMs })),
      );
      const points = await store.ask("series", { filter: {}, steps: { originMs: NOON, stepMs: 1000 } }, ALL);
      expect(points.map(({ startMs, requests }) => [startMs - NOON, requests])).toEqual([
        [-1000, 1],
        [0, 2],
        [1000, 1],
      ]);
    });

    it.each(["model", "provider", "source", "key"] as const)(
      "splits by %s: by step, then by value, null last",
      async (by) => {
        const isAlwaysKnown = by === "source" || by === "key";
        const values = ["b", "a", ...(isAlwaysKnown ? [] : [null])];
        const at = (createdAtMs: number) =>
          values.map((value) =>
            isAlwaysKnown
              ? traceWith({ createdAtMs, [by === "key" ? "principal" : by]: value ?? "" })
              : traceWith({ createdAtMs, [by]: value }),
          );
        await store.append([...at(NOON), ...at(NOON + MINUTE)]);
        const points = await store.ask("series", { filter: {}, steps: { ...STEPS, by } }, ALL);
        const groups = isAlwaysKnown ? ["a", "b"] : ["a", "b", null];
        expect(points.map(({ startMs, group }) => [startMs, group])).toEqual(
          [NOON, NOON + MINUTE].flatMap((startMs) => groups.map((group) => [startMs, group])),
        );
      },
    );

    it("returns unusual values unchanged", async () => {
      await store.append(HOSTILE.map((source) => traceWith({ source })));
      const points = await store.ask("series", { filter: {}, steps: { ...STEPS, by: "source" } }, ALL);
      expect(points.map(({ group }) => group).sort()).toEqual([...new Set(HOSTILE)].sort());
    });

    it("returns percentiles within one rank", async () => {
      const latencies = Array.from({ length: 100 }, (_, rank) => rank + 1);
      await store.append(
        latencies.map((latencyMs) => traceWith({ latencyMs, ttftMs: latencyMs / 2, streamed: true })),
      );
      const [point] = await store.ask("series", { filter: {}, steps: STEPS }, ALL);
      expect(Math.abs((point?.latencyMs?.p50 ?? 0) - 50)).toBeLessThanOrEqual(1);
      expect(Math.abs((point?.latencyMs?.p95 ?? 0) - 95)).toBeLessThanOrEqual(1);
      expect(Math.abs((point?.ttftMs?.p95 ?? 0) - 47.5)).toBeLessThanOrEqual(0.5);
    });

    it("counts decisions alone apart, and requests without a known cost", async () => {
      const unpriced = { ...USAGE, total_cost_usd: null };
      await store.append([
        routedTrace({ usage: null, attempts: [], model: "a" }),
        routedTrace({ model: "a" }),
        routedTrace({ usage: null, attempts: [], status: "error", model: "b" }),
        traceWith({ usage: unpriced, model: "b" }),
        traceWith({ usage: null, model: "b" }),
      ]);
      const points = await store.ask("series", { filter: {}, steps: { ...STEPS, by: "model" } }, ALL);
      expect(
        points.map(({ requests, decisions, requestsWithoutCost }) => [
          requests,
          decisions,
          requestsWithoutCost,
        ]),
      ).toEqual([
        [2, 1, 0],
        [3, 0, 3],
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
      const times = {
        latencyMs: { p50: 700, p95: 900 },
        ttftMs: { p50: 300, p95: 300 },
        streamedLatencyMs: { p50: 900, p95: 900 },
      };
      expect(await store.ask("series", { filter: {}, steps: STEPS }, ALL)).toMatchObject([times]);
    });

    it("counts the steps of days on the clock of a zone, also where the clock changes", async () => {
      const at = (text: string) => traceWith({ createdAtMs: Date.parse(text) });
      await store.append(
        ["2026-03-28T23:00Z", "2026-03-29T21:59:59.999Z", "2026-03-29T22:00Z", "2026-03-30T22:00Z"].map(at),
      );
      const range = { fromMs: Date.parse("2026-03-27T23:00Z"), toMs: Date.parse("2026-03-31T22:00Z") };
      const offsets = zoneOffsets("Europe/Berlin", range);
      const steps = { originMs: range.fromMs, stepMs: 24 * 60 * MINUTE, offsets };
      const points = await store.ask("series", { filter: {}, steps }, ALL);
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

    it("has the figures of the traces for every split, range and time zone", async () => {
      const reference = new MemoryTraceStore();
      await fc.assert(
        fc.asyncProperty(
          anyTraces,
          fc.array(anySeriesQuestion, { minLength: 3, maxLength: 6 }),
          async (traces, questions) => {
            await reference.append(traces.map(overTheYear));
            await store.append(traces.map(overTheYear));
            for (const { filter, by, days, zone, stepHours, from } of questions) {
              const startMs = YEAR + from * HOUR;
              const endMs = startMs + days * 24 * HOUR;
              const offsets =
                zone === undefined ? undefined : zoneOffsets(zone, { fromMs: startMs, toMs: endMs });
              const steps = { originMs: startMs, stepMs: stepHours * HOUR, offsets, by };
              const asked = { filter: { ...filter, startMs, endMs }, steps };
              expectSamePoints(
                await store.ask("series", asked, ALL),
                await reference.ask("series", asked, ALL),
              );
              const daily = {
                filter: asked.filter,
                by: by === undefined ? (["day"] as const) : ([by, "day"] as const),
                offsets,
              };
              const sumsOf = (stats: AnswerTo<"stats">) =>
                stats.map(({ group, requests, errors }) => ({ group, requests, errors }));
              expect(sumsOf(await store.ask("stats", daily, ALL))).toEqual(
                sumsOf(await reference.ask("stats", daily, ALL)),
              );
            }
          },
        ),
        { numRuns: underTest.runs },
      );
    });

    it("applies filter and scope, and omits unknown costs", async () => {
      const unpriced = { ...USAGE, total_cost_usd: null };
      await store.append([
        traceWith({ source: "billing" }),
        traceWith({ source: "billing", model: "other", usage: unpriced }),
        traceWith({ source: "search" }),
      ]);
      const [mine] = await store.ask(
        "series",
        { filter: { model: "other" }, steps: STEPS },
        { scope: { source: "billing" } },
      );
      expect(mine).toMatchObject({ requests: 1, costUsd: 0, tokensIn: 12 });
      expect(
        await store.ask(
          "series",
          { filter: { source: "search" }, steps: STEPS },
          { scope: { source: "billing" } },
        ),
      ).toEqual([]);
    });
  });
}

const HOUR = 60 * MINUTE;
const YEAR = Date.UTC(2026, 0, 1);

/** Clocks that change in spring and in autumn, at whole and at half hours, at midnight, in a month of fasting, and never. */
const ZONES = [
  ...["Europe/Berlin", "America/New_York", "America/St_Johns", "Australia/Lord_Howe"],
  ...["America/Santiago", "Africa/Casablanca", "Asia/Kathmandu", "Asia/Tokyo", "UTC"],
];

const anySeriesQuestion = fc.record({
  filter: anyFilter.map(({ startMs: _start, endMs: _end, text: _text, ...filter }) => filter),
  by: fc.option(anyDimension, { nil: undefined }),
  zone: fc.option(fc.constantFrom(...ZONES), { nil: undefined }),
  /** Hours of the year. */
  from: fc.integer({ min: -48, max: 8760 }),
  days: fc.integer({ min: 1, max: 366 }),
  stepHours: fc.constantFrom(1, 3, 12, 24, 168),
});

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
  const exact = ({
    startMs,
    group,
    requests,
    errors,
    timeouts,
    decisions,
    tokensIn,
    tokensOut,
  }: AnswerTo<"series">[number]) => ({
    ...{ startMs, group, requests, errors, timeouts, decisions, tokensIn, tokensOut },
  });
  expect(found.map(exact)).toEqual(expected.map(exact));
  for (const [at, { costUsd, ttftMs }] of found.entries()) {
    expect(costUsd).toBeCloseTo(expected[at]?.costUsd ?? Number.NaN, 9);
    expect(ttftMs === null).toBe(expected[at]?.ttftMs === null);
  }
}
