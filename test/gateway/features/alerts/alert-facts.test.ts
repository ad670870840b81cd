import { expect, it } from "vitest";
import type { ServerDependencies } from "../../../../src/gateway/dependencies.js";
import { alertFacts } from "../../../../src/gateway/features/alerts/alert-facts.js";
import { alertsSchema } from "../../../../src/gateway/features/alerts/settings.js";
import type { Trace } from "../../../../src/gateway/traces/trace.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { failedTrace, NOON, traceWith } from "../../traces/trace-for-test.js";

const { rules } = alertsSchema.parse({});
const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;

const requestsIn = async (traces: readonly Trace[]) => {
  const sources = { keys: {}, limiter: {}, traces: new MemoryTraceStore(traces), now: () => NOON };
  return (await alertFacts(sources as unknown as ServerDependencies)(rules)).requests;
};

it("Failed requests are counted of all callers, each provider and each model, beside those of the day before", async () => {
  const at = { createdAtMs: NOON - SECOND_MS, model: "m", provider: "lab" };
  const yesterday = { ...at, createdAtMs: NOON - 2 * HOUR_MS };
  const counted = { all: 3, failed: 2, shareBefore: 0.5 };
  expect(
    await requestsIn([
      ...[traceWith(at), failedTrace(at), failedTrace(at)],
      ...[traceWith(yesterday), failedTrace(yesterday)],
    ]),
  ).toEqual([
    { by: "all", name: "", ...counted },
    { by: "provider", name: "lab", ...counted },
    { by: "model", name: "m", ...counted },
  ]);
});

it("The share of failed requests of all is that of callers', not of what comparisons ask", async () => {
  const at = { createdAtMs: NOON - SECOND_MS };
  const asked = [1, 2, 3].map(() => failedTrace({ ...at, kind: "comparison" }));
  const [all] = (await requestsIn([traceWith(at), failedTrace(at), ...asked])) ?? [];
  expect(all).toMatchObject({ by: "all", all: 2, failed: 1, shareBefore: null });
});
