import type { Price } from "../../engine/catalog/models/price.js";
import { estimatePromptTokens, estimateTextTokens } from "../../engine/index.js";
import { exactJson } from "../../foundation/exact-numbers.js";
import type { UsageEstimate } from "../access/limits/limits.js";
import type { ChatBody } from "../providers/chat.js";
import { NO_PARTS } from "../providers/token-usage.js";
import { conversationOf } from "./conversation-text.js";
import { costsOf } from "./cost.js";

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

/** The usage to reserve. */
export const usageEstimate = (
  { promptTokens, answerTokens }: RequestSize,
  costUsd: number | null,
): UsageEstimate => ({ tokens: promptTokens + answerTokens, costUsd });
