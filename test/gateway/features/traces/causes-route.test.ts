import { expect, it } from "vitest";
import { causeListSchema } from "../../../../src/gateway/features/traces/schema/causes.js";
import type { Attempt } from "../../../../src/gateway/traces/trace.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { ADMIN_KEY, get, startTestServer } from "../../server.js";
import { attemptOf, failedTrace, NOON, routedTrace, traceWith } from "../../traces/trace-for-test.js";

const HOUR = 3_600_000;
const call = (code: string, message: string | null, status: number | null = 500) =>
  attemptOf({ status, code, message });
const ok = call("ok", null, 200);
const failing = (createdAtMs: number, ...attempts: readonly Attempt[]) =>
  failedTrace({ createdAtMs, provider: "openai", model: "gpt-4o-mini", attempts });

const { app } = startTestServer({
  traces: new MemoryTraceStore([
    failing(NOON - HOUR, call("server_error", "worker 3 died")),
    failing(NOON, call("server_error", "worker 7 died")),
    failing(NOON + HOUR, call("server_error", "worker 12 died"), call("timeout", null, null)),
    traceWith({ createdAtMs: NOON + 2 * HOUR, attempts: [call("rate_limited", "slow", 429), ok] }),
    traceWith({ createdAtMs: NOON + 3 * HOUR }),
    routedTrace({ createdAtMs: NOON + 3 * HOUR, usage: null, attempts: [] }),
  ]),
});

const causes = async (query = "") => {
  const period = "start_date=2026-01-15T12:00:00Z&end_date=2026-01-16T12:00:00Z";
  const response = await get(app, `/admin/traces/causes?${period}${query}`, { "x-api-key": ADMIN_KEY });
  return causeListSchema.parse(response.json());
};

it("GET /admin/traces/causes counts causes call by call, against the time before, with their share of the model's requests", async () => {
  const body = await causes();
  expect(body).toMatchObject({ requests: 4, failed: 2, requests_before: 1, failed_before: 1 });
  const figures = body.data.map(({ code, failed, rescued, failed_before, share }) => [
    ...[code, failed, rescued, failed_before, share],
  ]);
  expect(figures).toEqual([
    ["server_error", 2, 0, 1, 0.5],
    ["timeout", 1, 0, 0, 0.25],
    ["rate_limited", 0, 1, 0, 0.25],
  ]);
  const [first] = body.data;
  expect(first).toMatchObject({ message: "worker 12 died", status: 500, error_code: "upstream_error" });
  expect(first?.series).toEqual([1, 1, ...new Array(22).fill(0)]);
  expect(first?.first_seen).toBe("2026-01-15T12:00:00.000Z");
  expect(body.data[2]).toMatchObject({ error_code: null, message: "slow" });
});

it("GET /admin/traces/causes takes the filters of a search", async () => {
  expect((await causes("&status=success")).data.map(({ code }) => code)).toEqual(["rate_limited"]);
  expect((await causes("&provider=other")).data).toEqual([]);
});
