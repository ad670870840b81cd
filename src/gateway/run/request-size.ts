import type { Price } from "../../engine/catalog/models/price.js";
import { estimatePromptTokens, estimateTextTokens } from "../../engine/index.js";
import { SextantError } from "../../foundation/errors.js";
import { exactJson } from "../../foundation/exact-numbers.js";
import type { ChatBody } from "../providers/chat.js";
import { NO_PARTS } from "../providers/token-usage.js";
import type { TokenCounter } from "../token-counting/token-counter.js";
import { conversationOf, textWithCalls } from "./conversation-text.js";
import { costsOf } from "./cost.js";
import { type PlannedModel, planOf } from "./planned-models.js";

/** Estimated size of a request, without a tokenizer, before anything runs. */
export interface RequestSize {
  readonly promptTokens: number;
  /** Sum over all answers, when `n` requests several. */
  readonly answerTokens: number;
  /** How many; absent: one. */
  readonly answers?: number;
}

/** Assumed answer length of a request without a limit (guess: a page of text). */
const ANSWER_TOKENS = 512;

/** O(length of the messages and tools). */
export function requestSize(body: ChatBody): RequestSize {
  const answers = typeof body.n === "number" ? body.n : 1;
  return {
    promptTokens: promptTokensOf(body),
    answerTokens: (maxTokensOf(body) ?? ANSWER_TOKENS) * answers,
    ...(answers > 1 && { answers }),
  };
}

/** Messages, the tools that are offered, and the calls of tools in the history: an agent's tools are often most of its prompt. */
export function promptTokensOf({ messages, tools }: ChatBody): number {
  const called = messages.flatMap(({ tool_calls: calls }) => (Array.isArray(calls) ? calls : []));
  const offered = Array.isArray(tools) ? tools : [];
  const described = [...offered, ...called].reduce(
    (sum: number, tool) => sum + estimateTextTokens(exactJson(tool)),
    0,
  );
  return estimatePromptTokens(conversationOf(messages)) + Math.ceil(described);
}

/** The client's limit of an answer; OpenAI's newer field takes precedence. */
export function maxTokensOf({
  max_completion_tokens: newer,
  max_tokens: older,
}: ChatBody): number | undefined {
  if (typeof newer === "number") return newer;
  return typeof older === "number" ? older : undefined;
}

/** Cost in dollars of a request of this size, some of it read from a cache; null when the price is unknown. */
export function expectedCostUsd(
  { promptTokens, answerTokens, cachedTokens = 0 }: RequestSize & { readonly cachedTokens?: number },
  price: Price | null,
): number | null {
  const tokens = { promptTokens, completionTokens: answerTokens, ...NO_PARTS, cacheReadTokens: cachedTokens };
  return costsOf(tokens, price).total_cost_usd;
}

interface FitOptions {
  /** As estimated. */
  readonly promptTokens: number;
  readonly body: ChatBody;
  readonly counter: TokenCounter;
  /** The model that must remain: the named one. For a routed request, any suffices. */
  readonly required: PlannedModel | undefined;
}

/**
 * The plan without deployments whose window is too small for the prompt. Only where the estimate is larger than some window, the texts
 * of the messages are counted with a tokenizer; images and the overhead of the chat format are not, so that only prompts that are certainly too long are
 * refused here. Unknown windows are assumed to be large enough. Whether the answer fits too is left to the upstream.
 *
 * @returns at least one model
 * @throws SextantError `context_length_exceeded`
 */
export async function fittingPlan(
  plan: readonly PlannedModel[],
  { promptTokens: estimated, body, counter, required }: FitOptions,
): Promise<readonly PlannedModel[]> {
  const windows = plan.flatMap(({ deployments }) =>
    deployments.flatMap(({ contextTokens }) => contextTokens ?? []),
  );
  if (windows.every((window) => window >= estimated)) return plan;
  const promptTokens = await counter.count(body.messages.map(textWithCalls), {
    model: plan[0]?.name ?? "",
    limit: Math.max(...windows),
  });
  const fitting = planOf(
    plan,
    ({ contextTokens }) => contextTokens === null || contextTokens >= promptTokens,
  );
  const missing = required ?? plan[0];
  const isMissing = required === undefined ? fitting.length === 0 : fitting[0]?.name !== required.name;
  if (missing !== undefined && isMissing) throw tooLong(missing);
  return fitting;
}

function tooLong({ name, deployments }: PlannedModel): SextantError {
  const window = Math.max(...deployments.map(({ contextTokens }) => contextTokens ?? 0));
  return new SextantError(
    "context_length_exceeded",
    `The prompt has more than ${window} tokens, which is the whole context window of ${JSON.stringify(name)}. ` +
      "Shorten it, or choose a model with a larger window.",
    { param: "messages" },
  );
}
