import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TraceStore } from "../../src/gateway/traces/store.js";
import {
  failedTrace,
  HOSTILE,
  NOON,
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
        traceWith({ createdAtMs: NOON }),
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
          tokensIn: 24,
          tokensOut: 14,
          costUsd: 0.0008,
          latencyMs: { p50: 812.5, p95: 812.5 },
          ttftMs: { p50: 120.25, p95: 120.25 },
        },
        {
          startMs: NOON + 3 * MINUTE,
          group: null,
          requests: 1,
          errors: 1,
          timeouts: 0,
          decisions: 0,
          requestsWithoutCost: 1,
          tokensIn: 0,
          tokensOut: 0,
          costUsd: 0,
          latencyMs: { p50: 812.5, p95: 812.5 },
          ttftMs: null,
        },
      ]);
    });

    it("leaves percentiles out when they are not asked for", async () => {
      await store.append([traceWith({ createdAtMs: NOON }), failedTrace({ createdAtMs: NOON + MINUTE })]);
      const whole = await store.ask("series", { filter: {}, steps: { ...STEPS, by: "model" } }, ALL);
      expect(
        await store.ask("series", { filter: {}, steps: { ...STEPS, by: "model", percentiles: "none" } }, ALL),
      ).toEqual(whole.map((point) => ({ ...point, latencyMs: null, ttftMs: null })));
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
      await store.append(latencies.map((latencyMs) => traceWith({ latencyMs, ttftMs: latencyMs / 2 })));
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
