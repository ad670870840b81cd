import { expect, it } from "vitest";
import { alertsSchema } from "../../../../src/gateway/alerts/alert-settings.js";
import { alertFacts } from "../../../../src/gateway/server/admin/alert-facts.js";
import type { ServerDependencies } from "../../../../src/gateway/server/dependencies.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { failedTrace, NOON, traceWith } from "../../traces/trace-for-test.js";

const { rules } = alertsSchema.parse({});
const SECOND_MS = 1000;

it("The share of failed requests is that of callers', not of what comparisons ask", async () => {
  const at = { createdAtMs: NOON - SECOND_MS };
  const asked = [1, 2, 3].map(() => failedTrace({ ...at, kind: "comparison" }));
  const traces = new MemoryTraceStore([traceWith(at), failedTrace(at), ...asked]);
  const sources = { keys: {}, limiter: {}, traces, now: () => NOON } as unknown as ServerDependencies;
  const { requests } = await alertFacts(sources)(rules);
  expect(requests).toEqual({ all: 2, failed: 1 });
});
