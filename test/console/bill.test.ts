import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { billDifference, billParts, failedUsage } from "../../src/console/traces/bill.js";
import type { OperatorTraceBody } from "../../src/gateway/features/traces/schema/operator-trace.js";

type Usage = NonNullable<OperatorTraceBody["usage"]>;

const usageWith = (parts: Partial<Usage>): Usage => ({
  prompt_tokens: 1000,
  completion_tokens: 300,
  total_tokens: 1300,
  latency_ms: 1,
  ttft_ms: 1,
  input_cost_usd: 0.0006,
  cache_input_cost_usd: 0.00004,
  output_cost_usd: 0.003,
  total_cost_usd: 0.00364,
  prompt_tokens_details: { cached_tokens: 400 },
  completion_tokens_details: { reasoning_tokens: 200 },
  ...parts,
});

describe("A bill", () => {
  it("has each part as tokens × price = dollars, with reasoning apart", () => {
    expect(billParts(usageWith({})).map(({ name, tokens, usd }) => [name, tokens, usd])).toEqual([
      ["Input", 600, 0.0006],
      ["Cached input", 400, 0.00004],
      ["Output", 100, 0.001],
      ["Reasoning", 200, 0.002],
      ["Total", 1300, 0.00364],
    ]);
    expect(
      billParts(usageWith({})).map(({ usdPerMtok }) => usdPerMtok && Math.round(usdPerMtok * 1e6) / 1e6),
    ).toEqual([...[1, 0.1, 10, 10, null]]);
  });

  it("has what the provider's own searches cost apart from the output", () => {
    const parts = billParts(usageWith({ tool_cost_usd: 0.0015 }));
    expect(parts.map(({ name, usd }) => [name, usd]).slice(2, 5)).toEqual([
      ["Output", 0.0005],
      ["Reasoning", 0.001],
      ["Searches of the provider", 0.0015],
    ]);
  });

  it("leaves out parts that there are not, and prices that are not known", () => {
    const plain = usageWith({
      prompt_tokens_details: undefined,
      completion_tokens_details: undefined,
      cache_input_cost_usd: 0,
    });
    expect(billParts(plain).map(({ name }) => name)).toEqual(["Input", "Output", "Total"]);
    const unknown = usageWith({
      input_cost_usd: null,
      cache_input_cost_usd: null,
      output_cost_usd: null,
      total_cost_usd: null,
    });
    expect(billParts(unknown).every(({ usdPerMtok, usd }) => usdPerMtok === null && usd === null)).toBe(true);
  });

  it("has the dollars of failed calls, which are unknown where no price is", () => {
    const callOf = (cost: number | null) => {
      const usage = { prompt_tokens: 3, completion_tokens: 2, total_cost_usd: cost, estimated: false };
      return { usage } as unknown as OperatorTraceBody["attempts"][number];
    };
    const failed = (...costs: (number | null)[]) => failedUsage({ usage: null, attempts: costs.map(callOf) });
    expect([failed(), failed(null), failed(null, 0.5)]).toEqual([
      null,
      { tokens: 5, cost: null },
      { tokens: 10, cost: 0.5 },
    ]);
  });

  it("adds up to what was billed, whatever was used", () => {
    const count = fc.nat({ max: 100_000 });
    fc.assert(
      fc.property(count, count, count, count, (input, cached, output, reasoning) => {
        const usage = usageWith({
          prompt_tokens: input + cached,
          completion_tokens: output + reasoning,
          total_tokens: input + cached + output + reasoning,

          input_cost_usd: input * 1e-6,
          cache_input_cost_usd: cached * 1e-7,
          output_cost_usd: (output + reasoning) * 1e-5,
          total_cost_usd: input * 1e-6 + cached * 1e-7 + (output + reasoning) * 1e-5,
          prompt_tokens_details: { cached_tokens: cached },
          completion_tokens_details: { reasoning_tokens: reasoning },
        });
        const parts = billParts(usage);
        const [total, ...rest] = parts.toReversed();
        const sum = (of: (part: (typeof parts)[number]) => number | null) =>
          rest.reduce((all, part) => all + (of(part) ?? 0), 0);
        expect(sum(({ tokens }) => tokens)).toBe(total?.tokens);
        expect(sum(({ usd }) => usd)).toBeCloseTo(total?.usd ?? Number.NaN, 9);
        for (const { tokens, usdPerMtok, usd } of rest) {
          if (usdPerMtok !== null)
            expect(((tokens ?? 0) * usdPerMtok) / 1e6).toBeCloseTo(usd ?? Number.NaN, 9);
        }
      }),
    );
  });

  it("differs from what was expected by the length of the answer, and by the rest", () => {
    const routing = {
      selected_model: "m",
      expected_cost_usd: 0.006,
      candidates: [{ model: "m", expected_answer_tokens: 500 }],
    };
    const trace = { model: "m", usage: usageWith({}), routing } as unknown as OperatorTraceBody;
    const difference = billDifference(trace);
    expect(difference).toMatchObject({
      expectedUsd: 0.006,
      billedUsd: 0.00364,
      tokens: 300,
      expectedTokens: 500,
    });
    expect(difference?.byLengthUsd).toBeCloseTo(-0.002, 12);
    expect(difference?.byRestUsd).toBeCloseTo(-0.00036, 12);
    expect(billDifference({ ...trace, model: "another" })).toBeNull();
    expect(billDifference({ ...trace, routing: null })).toBeNull();
  });
});
