/** How much one call of a model can have used, whatever its provider reports. */
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { Price } from "../../engine/catalog/models/price.js";
import { priceAtTier } from "../../engine/index.js";
import { shownMs } from "../../foundation/timers.js";
import { type ChatBody, isJsonObject } from "../providers/chat.js";
import { type EmbeddingBody, inputsOf } from "../providers/embeddings.js";
import type { NativeRequest } from "../providers/provider.js";
import { countsWithin, type TokenUsage } from "../providers/token-usage.js";
import type { AttemptUsage, Usage } from "../traces/trace.js";
import { costsOf } from "./cost.js";

/** Most tokens of the prompt, and of all answers together. */
export type UsageBound = Pick<TokenUsage, "promptTokens" | "completionTokens">;

/** For a run whose request is not known any more. */
export const NO_BOUND: UsageBound = {
  promptTokens: Number.MAX_SAFE_INTEGER,
  completionTokens: Number.MAX_SAFE_INTEGER,
};

/** Context window where none is known: the largest that is published (Llama 4 Scout). */
const LARGEST_WINDOW_TOKENS = 10_000_000;

/** Calls of a model behind one request, all of which are counted, when the provider runs tools itself (guess, on the high side). */
const MOST_TOOL_CALLS = 100;

export interface SentChat {
  readonly body: ChatBody;
  readonly native: NativeRequest | undefined;
}

/**
 * A context window for the prompt, and one for each answer: some providers publish a window for the prompt alone. More where
 * the provider runs tools itself, because each round counts the prompt again.
 */
export function chatUsageBound({ contextTokens }: Deployment, { body, native }: SentChat): UsageBound {
  const window = contextTokens ?? LARGEST_WINDOW_TOKENS;
  const promptTokens = runsTools(native?.body ?? body) ? window * MOST_TOOL_CALLS : window;
  const answers = typeof body.n === "number" ? Math.max(1, body.n) : 1;
  return { promptTokens, completionTokens: promptTokens * answers };
}

/** A context window for each input. */
export function embeddingUsageBound({ contextTokens }: Deployment, body: EmbeddingBody): UsageBound {
  const window = contextTokens ?? LARGEST_WINDOW_TOKENS;
  return { promptTokens: window * inputsOf(body).length, completionTokens: 0 };
}

/** Whether some tool is neither a function nor another one that the client runs. */
function runsTools({ tools }: { readonly tools?: unknown }): boolean {
  if (!Array.isArray(tools)) return false;
  return tools.some(
    (tool: unknown) => isJsonObject(tool) && typeof tool.type === "string" && !CLIENT_TOOLS.has(tool.type),
  );
}

const CLIENT_TOOLS: ReadonlySet<string> = new Set(["function", "custom", "namespace"]);

/** The same object when it is within the bound; otherwise no count is larger than its bound, and no part than its whole. */
function withinBound(tokens: TokenUsage, bound: UsageBound): TokenUsage {
  if (tokens.promptTokens <= bound.promptTokens && tokens.completionTokens <= bound.completionTokens)
    return tokens;
  const promptTokens = Math.min(tokens.promptTokens, bound.promptTokens);
  const completionTokens = Math.min(tokens.completionTokens, bound.completionTokens);
  const cacheReadTokens = Math.min(tokens.cacheReadTokens, promptTokens);
  const cacheWriteTokens = Math.min(tokens.cacheWriteTokens, promptTokens - cacheReadTokens);
  return {
    ...tokens,
    promptTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWriteHourTokens: Math.min(tokens.cacheWriteHourTokens, cacheWriteTokens),
    completionTokens,
    reasoningTokens: Math.min(tokens.reasoningTokens, completionTokens),
  };
}

/** What a call used, from what its provider counted: estimated when it cannot have used that much. */
export function callUsage(
  tokens: TokenUsage,
  { price, bound }: Pick<UsageFacts, "price" | "bound">,
): AttemptUsage {
  const possible = withinBound(tokens, bound);
  return {
    prompt_tokens: possible.promptTokens,
    completion_tokens: possible.completionTokens,
    total_cost_usd: costsOf(possible, price).total_cost_usd,
    ...(tokens.costUsd !== undefined && { cost_reported: true }),
    ...(possible !== tokens && { estimated: true }),
  };
}

/** Usage of the call that answered. */
export const answerUsage = (usage: Usage): AttemptUsage => ({
  prompt_tokens: usage.prompt_tokens,
  completion_tokens: usage.completion_tokens,
  total_cost_usd: usage.total_cost_usd,
  ...(usage.cost_reported === true && { cost_reported: true }),
  ...(usage.estimated === true ? { estimated: true } : {}),
});

export interface UsageFacts {
  /** Price of the deployment that answered; null when unknown. */
  readonly price: Price | null;
  /** What the provider bills beside that. Default: nothing. */
  readonly notCounted?: readonly string[];
  readonly bound: UsageBound;
  /** From the arrival of the request to the end of the answer. */
  readonly latencyMs: number;
  /** From the arrival of the request to its first content. */
  readonly ttftMs: number;
}

/**
 * The nine figures from what the provider counted, and beside them whatever else it sent. Estimated when a count is larger than
 * the call can have used: it is then the most that it can.
 */
export function billedUsage(
  reported: TokenUsage,
  { price, notCounted = [], bound, latencyMs, ttftMs }: UsageFacts,
): Usage {
  const tokens = withinBound(reported, bound);
  const { promptTokens: prompt, completionTokens: completion } = tokens;
  const usage: { -readonly [Field in keyof Usage]: Usage[Field] } = {
    ...countsWithin(tokens.details, { prompt, completion }),
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...costsOf(tokens, price),
    latency_ms: shownMs(latencyMs),
    ttft_ms: shownMs(ttftMs),
  };
  if (tokens.serviceTier !== undefined) usage.service_tier = tokens.serviceTier;
  if (tokens.costUsd !== undefined) usage.cost_reported = true;
  if (notCounted.length > 0) usage.not_counted = notCounted;
  if (tokens !== reported) usage.estimated = true;
  return usage;
}

/** What a call is billed by. */
export interface Billing {
  /** Null when unknown: of the model, or of the service tier that the reply names. */
  readonly price: Price | null;
  /** What the provider bills beside the costs, as far as its reply says so. */
  readonly notCounted: readonly string[];
}

/** The price of a call by the service tier that answered it, and what that leaves out. */
export function billingOf(
  { price, serviceTiers }: Pick<Deployment, "price" | "serviceTiers">,
  tokens: TokenUsage | null,
): Billing {
  if (tokens === null || price === null || tokens.costUsd !== undefined) return { price, notCounted: [] };
  const { serviceTier: tier, hostedCalls = {}, surcharges = [] } = tokens;
  const multiple = tier === undefined ? 1 : serviceTiers?.[tier];
  const billed = multiple === undefined ? null : multiple === 1 ? price : priceAtTier(price, multiple);
  const notCounted = [
    ...(billed === null ? [`service_tier ${tier}`] : []),
    ...Object.keys(hostedCalls).filter((tool) => price.usdPerThousandCalls?.[tool] === undefined),
    ...surcharges,
  ];
  return { price: billed, notCounted };
}
