/** The client's types are inferred from the server's schemas, but for what a query may hold. */
import { expect, it } from "vitest";
import type { TraceQuery } from "../../src/client/index.js";
import { TRACE_PARAMETERS } from "../../src/gateway/features/traces/schema/trace-query.js";

it("The client's type of a trace query has every parameter of GET /v1/traces", () => {
  const known: Record<Exclude<keyof TraceQuery, "metadata">, true> = {
    limit: true,
    offset: true,
    start_date: true,
    end_date: true,
    source: true,
    model_id: true,
    model_contains: true,
    requested_model: true,
    provider: true,
    status: true,
    kind: true,
    key: true,
    error_code: true,
    has_feedback: true,
    q: true,
    attempt_code: true,
    executed: true,
    tool_loop: true,
    other_model: true,
    effort: true,
  };
  expect(Object.keys(known).toSorted()).toEqual(Object.keys(TRACE_PARAMETERS).toSorted());
});
