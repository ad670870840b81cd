/** `GET /admin/traces/savings`: what it reads, answers and refuses. */
import { describe, expect, it } from "vitest";
import type { RoutingBody } from "../../../../src/engine/router/routing-body.js";
import { savingsSchema } from "../../../../src/gateway/features/replay/savings-schema.js";
import type { Trace } from "../../../../src/gateway/traces/trace.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { ADMIN_KEY, get, startTestServer } from "../../server.js";
import { NOON, routedTrace, traceWith } from "../../traces/trace-for-test.js";

const candidates = [
  { model: "gpt-4o-mini", expected_quality: 0.8, expected_cost_usd: 0.001 },
  { model: "gpt-5.5", expected_quality: 0.9, expected_cost_usd: 0.02 },
] as unknown as RoutingBody["candidates"];

function routed(parts: Partial<Trace>): Trace {
  const trace = routedTrace(parts);
  return { ...trace, routing: trace.routing && { ...trace.routing, candidates } };
}

const traces = new MemoryTraceStore([
  ...Array.from({ length: 6 }, (_, at) => routed({ createdAtMs: NOON + at })),
  routed({ createdAtMs: NOON - 1000, usage: null, attempts: [] }),
  traceWith({ createdAtMs: NOON - 1000 }),
]);
const { app } = startTestServer({ traces });

const read = async (query: string) => ({
  body: (await get(app, `/admin/traces/savings${query}`, { "x-api-key": ADMIN_KEY })).json(),
});

/** Of what answers were expected to cost, what they were billed. */
const BILLED = 0.4;

describe("GET /admin/traces/savings", () => {
  it("compares what was decided with the cheapest fixed models that are as good", async () => {
    const { body } = await read("");
    expect(savingsSchema.parse(body)).toEqual(body);
    expect(body).toMatchObject({ matching: 8, sampled: 8, decided: 6 });
    expect(body.correction).toBeCloseTo(BILLED, 9);
    expect(body.equal_quality).toMatchObject({
      models: [{ model: "gpt-4o-mini", share: 1 }],
      requests: 6,
      saved_usd: { value: 0 },
    });
  });

  it("checks its parameters", async () => {
    expect((await read("?offset=3")).body.error).toMatchObject({ param: "offset" });
  });
});
