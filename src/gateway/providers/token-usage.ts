import { isJsonObject, type JsonObject, memberOf, objectsIn } from "./chat.js";

/**
 * A provider's token counts for one answer, with the same meaning for all dialects. Whole numbers ≥ 0.
 *
 * Anthropic's `input_tokens` leave cached ones out and OpenAI's `prompt_tokens` include them; xAI's `completion_tokens`
 * leave reasoning out and OpenAI's include it. Adapters translate: here every total includes its parts.
 */
export interface TokenUsage {
  /** All prompt tokens: fresh ones, cache reads and cache writes. */
  readonly promptTokens: number;
  /** Part of `promptTokens`: read from the provider's prompt cache. */
  readonly cacheReadTokens: number;
  /** Part of `promptTokens`: written to the provider's prompt cache, `cacheWriteHourTokens` included. */
  readonly cacheWriteTokens: number;
  /** Part of `cacheWriteTokens`: written to be kept for an hour, which costs more. */
  readonly cacheWriteHourTokens: number;
  /** All generated tokens, hidden reasoning included. */
  readonly completionTokens: number;
  /** Part of `completionTokens`. */
  readonly reasoningTokens: number;
  /** The provider told it before it generated the answer: `completionTokens` are not those of the whole answer. */
  readonly completionPending?: true;
  /** The tier that served the call, where it is not the standard one. */
  readonly serviceTier?: string;
  /** Calls of tools that the provider ran and charges for beside the tokens, by the tool's name. */
  readonly hostedCalls?: Readonly<Record<string, number>>;
  /** What the provider says that it charged, in US dollars, whatever any price list says. */
  readonly costUsd?: number;
  /** What else the provider charges more for, in words such as `inference_geo us`. */
  readonly surcharges?: readonly string[];
  /** Members of the provider's usage object that clients may read beside the counts (`prompt_tokens_details`, …). */
  readonly details: JsonObject;
}

/** Parts of a count that are unknown, or of which there are none. */
export const NO_PARTS = {
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  reasoningTokens: 0,
  details: {},
} as const;

/** A number that came as a count; null where it is none. */
export const countOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;

/** The first count among values; null without any. */
export const firstCount = (...values: readonly unknown[]): number | null =>
  values.map(countOf).find((count) => count !== null) ?? null;

/** Most tokens that a member of a usage object can stand for. */
interface MostTokens {
  readonly prompt: number;
  readonly completion: number;
}

const ANY: MostTokens = { prompt: Number.MAX_SAFE_INTEGER, completion: Number.MAX_SAFE_INTEGER };

/** Members and items of a usage object that are read, those of its parts among them: vendors send some thirty at most (guess). */
const MOST_MEMBERS = 100;

/**
 * A provider's usage object without what cannot be: numbers of tokens (members named `…tokens`) that are no counts and costs below zero are left
 * out, and tokens above what they are part of are cut to that. Of everything else the beginning stays, `MOST_MEMBERS` in all.
 *
 * @param most default: nothing is known that they are part of
 */
export function countsWithin(usage: JsonObject, most = ANY): JsonObject {
  return within(usage, { most, left: { members: MOST_MEMBERS } });
}

interface Walk {
  readonly most: MostTokens;
  /** What is still read of the whole. */
  readonly left: { members: number };
}

function within(object: JsonObject, { most, left }: Walk): JsonObject {
  const kept: Record<string, unknown> = {};
  // Not `Object.entries`, which would make a list of all of them.
  for (const name in object) {
    if (left.members-- <= 0) break;
    const value = object[name];
    if (name.includes("cost") && Number(value) < 0) continue;
    if (typeof value === "number" && name.endsWith("tokens")) {
      if (countOf(value) !== null) kept[name] = Math.min(value, most.prompt + most.completion);
    } else if (Array.isArray(value))
      kept[name] = Object.values(within({ ...value.slice(0, left.members) }, { most, left }));
    else kept[name] = isJsonObject(value) ? within(value, { most: partsOf(name, most), left }) : value;
  }
  return kept;
}

/** `prompt_tokens_details` are parts of the prompt; an object of any other name may be about either. */
function partsOf(name: string, { prompt, completion }: MostTokens): MostTokens {
  if (name.startsWith("prompt_tokens") || name.startsWith("input_tokens")) return { prompt, completion: 0 };
  if (name.startsWith("completion_tokens") || name.startsWith("output_tokens"))
    return { prompt: 0, completion };
  return { prompt, completion };
}

/** Names of the tier that a list price is for; every other one has a price of its own. */
const STANDARD: ReadonlySet<string> = new Set(["", "auto", "default", "standard", "on_demand"]);

/** The `service_tier` of a reply, as a member of its usage; none where the list price applies. */
export function servedTier(named: unknown): { readonly serviceTier?: string } {
  // Gemini also says SERVICE_TIER_FLEX: https://ai.google.dev/gemini-api/docs/priority-inference?hl=de (2026-11-28)
  const tier = typeof named === "string" ? named.toLowerCase().replace("service_tier_", "") : "";
  if (STANDARD.has(tier) || !/^[\w-]{1,40}$/.test(tier)) return {};
  return { serviceTier: tier };
}

/** Most dollars that one call is believed to have cost (guess): an absurd figure must not spend a budget. */
const MOST_USD = 1000;

const dollarsOf = (value: unknown): number | null =>
  typeof value === "number" && value >= 0 && value <= MOST_USD ? value : null;

/**
 * The dollars in a usage object, by each name that vendors have for them: `cost` (OpenRouter, openrouter.ai/docs/use-cases/usage-accounting,
 * and Vercel, github.com/pydantic/pydantic-ai/issues/7033, 2026-08-02), `cost.total_cost` (Perplexity, github.com/BerriAI/litellm/pull/17887, 2025-12-12), `cost_in_usd_ticks`, 10^10 of them a dollar (xAI,
 * docs.x.ai/developers/cost-tracking), `estimated_cost` (DeepInfra). With a key of the account's own OpenRouter's `cost` is its fee, and the
 * vendor behind it charges `upstream_inference_cost`, which else only repeats it: github.com/yvgude/lean-ctx/issues/746 (2026-07-07).
 */
export function reportedCost(usage: JsonObject): { readonly costUsd?: number } {
  const { cost, cost_in_usd_ticks: ticks, estimated_cost: estimated, cost_details: details } = usage;
  const named = [memberOf(cost, "total_cost") ?? cost, typeof ticks === "number" && ticks / 1e10, estimated];
  const charged = named.map(dollarsOf).find((usd) => usd !== null);
  if (charged === undefined) return {};
  const upstream = dollarsOf(memberOf(details, "upstream_inference_cost")) ?? 0;
  const isOwnKey = usage.is_byok ?? upstream > charged;
  return { costUsd: isOwnKey === true ? Math.round((charged + upstream) * 1e12) / 1e12 : charged };
}

/** Usage with the dollars that LiteLLM's proxy names in a header, 0 without a price: docs.litellm.ai/docs/proxy/response_headers (2026-10-15). */
export const withCharge = (usage: TokenUsage | null, { "x-litellm-response-cost": usd }: JsonObject) =>
  usage && { ...(Number(usd) > 0 && reportedCost({ cost: Number(usd) })), ...usage };

type HostedCalls = NonNullable<TokenUsage["hostedCalls"]>;

/** Output items of the Responses API that are charged for by the call or the time, by what they are called in usage. */
const CHARGED: ReadonlyMap<unknown, string> = new Map([
  ["web_search_call", "web_search"],
  ["file_search_call", "file_search"],
  ["code_interpreter_call", "code_interpreter"],
  ["image_generation_call", "image_generation"],
  ["shell_call", "shell"],
]);

/** The calls of tools that a provider ran itself, among the output items of a response. */
export function hostedCallsIn(output: unknown): { readonly hostedCalls?: HostedCalls } {
  const calls: Record<string, number> = {};
  for (const { type, action: done } of objectsIn(output)) {
    const name = CHARGED.get(type);
    // A search that opens a page or looks for a text in one is no further search.
    const action = isJsonObject(done) ? done.type : "search";
    if (name === undefined || (name === "web_search" && action !== "search")) continue;
    calls[name] = (calls[name] ?? 0) + 1;
  }
  return Object.keys(calls).length === 0 ? {} : { hostedCalls: calls };
}

/** Most calls of a tool that one answer is believed to have made (guess): an absurd count must not spend a budget. */
const MOST_CALLS = 1000;

/** The same from Anthropic's `server_tool_use`, which names `web_search_requests` and others. Fetches are not charged for. */
export function serverToolCalls(use: unknown): { readonly hostedCalls?: HostedCalls } {
  const calls = Object.entries(isJsonObject(use) ? countsWithin(use) : {}).flatMap(([name, value]) => {
    const count = countOf(value) ?? 0;
    const isCharged = /^[a-z_]{1,40}_requests$/.test(name) && name !== "web_fetch_requests" && count > 0;
    return isCharged ? [[name.slice(0, -"_requests".length), Math.min(count, MOST_CALLS)] as const] : [];
  });
  return calls.length === 0 ? {} : { hostedCalls: Object.fromEntries(calls) };
}
