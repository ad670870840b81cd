import type { OperatorTraceBody as Trace } from "../../gateway/features/traces/schema/operator-trace.js";

/** One part of what a call was billed: tokens × price = dollars. */
export interface BillPart {
  readonly name: string;
  readonly tokens: number | null;
  /** US dollars a million tokens, as the dollars come to; null where they are not known, or there are no tokens. */
  readonly usdPerMtok: number | null;
  readonly usd: number | null;
}

type Usage = NonNullable<Trace["usage"]>;

const numberIn = (of: unknown, name: string): number | null => {
  const value =
    typeof of === "object" && of !== null ? (of as Readonly<Record<string, unknown>>)[name] : null;
  return typeof value === "number" ? value : null;
};

/** The parts of a bill and their sum; parts without tokens or dollars are left out. */
export function billParts(usage: Usage): readonly BillPart[] {
  const prompt = usage.prompt_tokens;
  const answer = usage.completion_tokens;
  const cached = numberIn(usage.prompt_tokens_details, "cached_tokens") ?? 0;
  const reasoning = numberIn(usage.completion_tokens_details, "reasoning_tokens") ?? 0;
  const tools = usage.tool_cost_usd ?? 0;
  const output = usage.output_cost_usd === null ? null : usage.output_cost_usd - tools;
  // Reasoning is billed as output.
  const shareOf = (tokens: number): number | null =>
    output === null ? null : answer === 0 ? 0 : (output * tokens) / answer;
  const parts = [
    part("Input", prompt - cached, usage.input_cost_usd),
    part("Cached input", cached, usage.cache_input_cost_usd),
    part("Output", answer - reasoning, shareOf(answer - reasoning)),
    part("Reasoning", reasoning, shareOf(reasoning)),
    { name: "Searches of the provider", tokens: null, usdPerMtok: null, usd: tools },
  ];
  const total = usage.cost_reported === true ? "Total, as the provider reports it" : "Total";
  return [
    ...parts.filter(({ tokens, usd }, at) => at === 0 || (tokens ?? 0) > 0 || (usd ?? 0) > 0),
    { name: total, tokens: usage.total_tokens, usdPerMtok: null, usd: usage.total_cost_usd },
  ];
}

/** Tokens and dollars of the calls before the one that answered; the dollars null where no price is known. Null without such calls. */
export function failedUsage({ usage, attempts }: Pick<Trace, "usage" | "attempts">) {
  const failed = usage === null ? attempts : attempts.slice(0, -1);
  const used = failed.flatMap((attempt) => attempt.usage ?? []);
  const known = used.flatMap(({ total_cost_usd: cost }) => cost ?? []);
  if (used.length === 0) return null;
  return {
    tokens: used.reduce((sum, call) => sum + call.prompt_tokens + call.completion_tokens, 0),
    cost: known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0),
  };
}

const part = (name: string, tokens: number, usd: number | null): BillPart => ({
  name,
  tokens,
  usd,
  usdPerMtok: usd === null || tokens === 0 ? null : (1e6 * usd) / tokens,
});

/** Where what was billed differs from what was expected, in US dollars. */
export interface BillDifference {
  readonly expectedUsd: number;
  readonly billedUsd: number;
  readonly expectedTokens: number;
  readonly tokens: number;
  /** Of the difference, what another length of the answer makes; the rest is prompt, cache and price. */
  readonly byLengthUsd: number;
  readonly byRestUsd: number;
}

/** Null where the chosen model did not answer, or a cost is not known. */
export function billDifference({
  routing,
  usage,
  model,
}: Pick<Trace, "routing" | "usage" | "model">): BillDifference | null {
  const [chosen] = routing?.candidates ?? [];
  const billedUsd = usage?.total_cost_usd ?? null;
  const expectedUsd = routing?.expected_cost_usd ?? null;
  if (routing === null || usage === null || chosen === undefined) return null;
  if (model !== routing.selected_model || billedUsd === null || expectedUsd === null) return null;
  const tokens = usage.completion_tokens;
  const expectedTokens = chosen.expected_answer_tokens ?? null;
  if (expectedTokens === null || usage.output_cost_usd === null || tokens === 0) return null;
  const byLengthUsd =
    ((usage.output_cost_usd - (usage.tool_cost_usd ?? 0)) / tokens) * (tokens - expectedTokens);
  return {
    expectedUsd,
    billedUsd,
    expectedTokens,
    tokens,
    byLengthUsd,
    byRestUsd: billedUsd - expectedUsd - byLengthUsd,
  };
}
