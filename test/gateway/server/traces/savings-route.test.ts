/** `GET /admin/traces/savings`: what it reads, answers and refuses. */
import { describe, expect, it } from "vitest";
import type { RoutingBody } from "../../../../src/engine/router/routing-body.js";
import { sampleParameter } from "../../../../src/gateway/api/traces/sample.js";
import { savingsSchema } from "../../../../src/gateway/api/traces/savings.js";
import type { Trace } from "../../../../src/gateway/traces/trace.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { NOON, routedTrace, traceWith } from "../../traces/trace-for-test.js";
import { ADMIN_KEY, get, startTestServer } from "../server.js";

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
  it("compares what was decided with always the best candidate and with each model", async () => {
    const { body } = await read("");
    expect(savingsSchema.parse(body)).toEqual(body);
    expect(body).toMatchObject({ matching: 8, sampled: 8, decided: 6 });
    expect(body.best).toMatchObject({ requests: 6, decided_quality: expect.closeTo(0.8, 9) });
    expect(body.best.saved_usd.value).toBeCloseTo(BILLED * 6 * 0.019, 12);
    expect(body.models.map(({ model }: { model: string }) => model)).toEqual(["gpt-5.5", "gpt-4o-mini"]);
  });

  it("scales a sample to all requests that match", async () => {
    const { body } = await read(`?sample=3&start_date=${new Date(NOON).toISOString()}`);
    expect(body).toMatchObject({ matching: 6, sampled: 3, decided: 3 });
    expect(body.best.saved_usd.value).toBeCloseTo(BILLED * 6 * 0.019, 12);
  });

  it("reads 300 by default", () => {
    expect(sampleParameter.read("")).toBe(300);
  });

  it("checks its parameters", async () => {
    expect((await read("?sample=many")).body.error).toMatchObject({ param: "sample" });
    expect((await read("?offset=3")).body.error).toMatchObject({ param: "offset" });
  });
});
