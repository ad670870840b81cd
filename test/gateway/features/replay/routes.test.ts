/** `GET /admin/traces/replay`: what it reads, answers and refuses. */
import { describe, expect, it } from "vitest";
import type { RoutingBody } from "../../../../src/engine/router/routing-body.js";
import { replaySchema } from "../../../../src/gateway/features/replay/schema.js";
import type { Trace } from "../../../../src/gateway/traces/trace.js";
import { FakeRouter } from "../../../fakes/router.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { ADMIN_KEY, get, startTestServer } from "../../server.js";
import { failedTrace, NOON, routedTrace, traceWith, USAGE } from "../../traces/trace-for-test.js";

/** Prefers `medium`. */
const OTHER = new FakeRouter([
  { model: "large", provider: "openai", quality: 0.7, costUsd: 0.01 },
  { model: "medium", provider: "openai", quality: 0.8, costUsd: 0.002 },
]);

const candidates = ["large", "medium"].map((model) => ({ model })) as unknown as RoutingBody["candidates"];

/** A request that `large` answered, routed among the models of the fake router at a cost weight of .3. */
function routed(parts: Partial<Trace> = {}): Trace {
  const trace = routedTrace({
    model: "large",
    provider: "openai",
    usage: { ...USAGE, total_cost_usd: 0.02 },
    ...parts,
  });
  return { ...trace, routing: trace.routing && { ...trace.routing, candidates, max_tokens: 800 } };
}

const store = new MemoryTraceStore([
  ...Array.from({ length: 8 }, (_, at) => routed({ createdAtMs: NOON + at })),
  routed({ createdAtMs: NOON - 3_600_000, content: null }),
  traceWith({ createdAtMs: NOON - 3_600_000 }),
  failedTrace({ createdAtMs: NOON - 3_600_000 }),
  routed({ createdAtMs: NOON - 3_600_000, model: "unprofiled" }),
]);
const { app } = startTestServer({ traces: store });

const read = async (query = "", server = app) => {
  const response = await get(server, `/admin/traces/replay${query}`, { "x-api-key": ADMIN_KEY });
  return { status: response.statusCode, body: response.json(), headers: response.headers };
};

describe("GET /admin/traces/replay", () => {
  it("decides requests again, with what that would cost and score, and counts those that it cannot", async () => {
    const { body } = await read("?cost_weight=0,1");
    expect(replaySchema.parse(body)).toEqual(body);
    expect(body).toMatchObject({
      matching: 12,
      sampled: 12,
      left_out: { text: 1, named: 1, failed: 1, undecidable: 1 },
      reports: [
        { cost_weight: 0, requests: 8, changed: 0, spend: { actual_usd: 0.16, change: { value: 0 } } },
        { cost_weight: 1, profile_version: "fake-1" },
      ],
    });
  });

  it("draws a sample of those that match, and reports how many there are", async () => {
    const { body } = await read(`?sample=3&start_date=${new Date(NOON).toISOString()}`);
    expect([body.matching, body.sampled, body.reports[0].requests]).toEqual([8, 3, 3]);
    expect(body.reports.map((report: { cost_weight: number }) => report.cost_weight)).toEqual([
      0, 0.2, 0.4, 0.6, 0.8, 1,
    ]);
  });

  it("says with intervals what another choice would have cost and scored", async () => {
    const { app: other } = startTestServer({ traces: store, router: OTHER });
    const { body } = await read("?cost_weight=0", other);
    const [{ changed, spend, quality, moves }] = body.reports;
    expect(changed).toBe(8);
    expect(OTHER.requests[0]).toMatchObject({ maxTokens: 800 });
    // Billed at twice what was expected, which is also said of the other model.
    expect(spend.predicted_usd.low).toBeLessThan(spend.predicted_usd.value);
    expect(spend.change.value).toBeCloseTo(-0.8, 9);
    expect(spend.change.low).toBeLessThan(-0.8);
    expect(quality.change.value).toBeCloseTo(0.1, 9);
    expect(quality.change.high).toBeGreaterThan(0.15);
    expect(moves).toEqual([{ from: "large", to: "medium", requests: 8, quality: expect.closeTo(0.1, 9) }]);
  });

  it("decides among other models, also for requests that named theirs", async () => {
    const { body } = await read("?models=large,medium&cost_weight=0&source=default");
    expect(body.left_out).toMatchObject({ named: 0, undecidable: 2 });
    expect(body.reports[0].requests).toBe(8);
  });

  it.each([
    ["?cost_weight=0,1.5", "cost_weight", "1.5"],
    [`?cost_weight=${Array(22).fill("0").join()}`, "cost_weight", "22 weights"],
    ["?sample=0", "sample", "1 to 2000"],
    ["?sample=2001", "sample", "1 to 2000"],
    ["?models=large", "models", "2 to 256"],
    ["?limit=5", "limit", "Leave it out"],
    ["?cost_wieght=1", "cost_wieght", "not a parameter"],
  ])("checks its parameters: %s", async (query, param, part) => {
    const { status, body } = await read(query);
    expect([status, body.error.param]).toEqual([400, param]);
    expect(body.error.message).toContain(part);
  });

  it("gives up the thread between decisions", async () => {
    let yields = 0;
    const yieldThread = async () => {
      yields += 1;
    };
    const { app: other } = startTestServer({ traces: store, yieldThread });
    await read("?cost_weight=0", other);
    expect(yields).toBeGreaterThanOrEqual(8);
  });
});
