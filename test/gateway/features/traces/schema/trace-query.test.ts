import { describe, expect, it } from "vitest";
import { SextantError } from "../../../../../src/foundation/errors.js";
import {
  parseTraceQuery,
  type RawQuery,
  TRACE_PARAMETERS,
} from "../../../../../src/gateway/features/traces/schema/trace-query.js";
import { errorThrownBy } from "../../../../support/errors.js";

const refusal = (query: RawQuery) => errorThrownBy(() => parseTraceQuery(query), SextantError);

describe("The query string of GET /v1/traces", () => {
  it("selects the newest hundred traces when it is empty", () => {
    expect(parseTraceQuery({})).toEqual({ filter: {}, page: { limit: 100, offset: 0 } });
  });

  it("accepts all parameters at once", () => {
    const query = {
      limit: "1000",
      offset: "5",
      start_date: "2026-01-31",
      end_date: "2026-02-01T00:00:00Z",
      source: "shop",
      model_id: "gpt-4o",
      model_contains: "haiku",
      requested_model: "auto",
      provider: "openai",
      status: "timeout",
      kind: "router",
      key: ["key_1", "key_2"],
      error_code: "upstream_error",
      attempt_code: "rate_limited",
      executed: "true",
      has_feedback: "false",
      other_model: "true",
      tool_loop: "stuck",
      effort: "high",
      q: "50 %",
      "metadata.tenant": "acme",
      "metadata.a.b": ["1", ""],
    };
    expect(parseTraceQuery(query)).toEqual({
      filter: {
        startMs: Date.UTC(2026, 0, 31),
        endMs: Date.UTC(2026, 1, 1),
        source: "shop",
        model: "gpt-4o",
        modelPart: "haiku",
        requestedModel: "auto",
        provider: "openai",
        status: "timeout",
        kind: "router",
        principals: ["key_1", "key_2"],
        errorCode: "upstream_error",
        attemptCode: "rate_limited",
        executed: true,
        effort: "high",
        hasFeedback: false,
        otherModel: true,
        toolLoop: "stuck",
        text: "50 %",
        metadata: [
          { key: "tenant", value: "acme" },
          { key: "a.b", value: "1" },
          { key: "a.b", value: "" },
        ],
      },
      page: { limit: 1000, offset: 5 },
    });
    const named = Object.keys(query).filter((name) => !name.startsWith("metadata."));
    expect(named).toEqual(Object.keys(TRACE_PARAMETERS));
  });

  it.each(["0", "1001", "-1", "1.5", "1e2", "+5", "0x10", " 5", "", "９"])("refuses %j as limit", (text) => {
    const error = refusal({ limit: text });
    expect(error).toMatchObject({ code: "invalid_request", param: "limit" });
    expect(error.message).toMatch(
      /^`limit` is .+: it must be a whole number from 1 to 1000\. Correct it, or leave it out\.$/,
    );
  });

  const leaveOut = "Correct it, or leave it out.";
  it.each<[query: RawQuery, message: string | RegExp]>([
    [
      { end_date: "2026-02-30" },
      `\`end_date\` is "2026-02-30": it has a day that does not exist: February 2026 has 28. ${leaveOut}`,
    ],
    [{ start_date: "yesterday" }, /^`start_date` is "yesterday": it must be a date such as 2026-01-31, or /],
    [{ status: "ok" }, `\`status\` is "ok": it must be one of success, error, timeout. ${leaveOut}`],
    [{ kind: "Chat" }, /^`kind` is "Chat": it must be one of chat, completion, router, responses, /],
    [{ has_feedback: "yes" }, `\`has_feedback\` is "yes": it must be one of true, false. ${leaveOut}`],
    [{ source: "" }, "`source` is empty. Give it a value, or leave it out."],
    [{ q: "" }, "`q` is empty. Give it a value, or leave it out."],
    [{ limit: ["1", "2"] }, "`limit` is given 2 times. Give it once."],
    [{ "metadata.": "x" }, "`metadata.` lacks a key. Write `metadata.<key>=<value>`."],
    [{ ofset: "1" }, "`ofset` is not a parameter. Did you mean `offset`?"],
    [{ model: "gpt-4o" }, "`model` is not a parameter. Did you mean `model_id`?"],
    [{ tenant: "acme" }, /^`tenant` is not a parameter\. Known are limit, .*, q and metadata\.<key>\.$/],
    [{ constructor: "x" } as RawQuery, /^`constructor` is not a parameter\. Known are/],
  ])("refuses %o", (query, message) => {
    const error = refusal(query);
    expect([error.code, error.param]).toEqual(["invalid_request", Object.keys(query)[0]]);
    expect(error.message).toMatch(message);
  });

  it("is refused with only the start of a wrong value, and without any search text", () => {
    expect(refusal({ limit: "x".repeat(500) }).message).toContain(`"${"x".repeat(40)}…"`);
    expect(refusal({ ["y".repeat(500)]: "z" }).message.length).toBeLessThan(300);
    expect(refusal({ q: ["secret words", "more"] }).message).toBe("`q` is given 2 times. Give it once.");
  });
});
