import type { ChatBody } from "../../providers/chat.js";
import type { TokenUsage } from "../../providers/token-usage.js";
import type { Usage } from "../../traces/trace.js";
import type { AnswerText } from "../text/answer-text.js";
import { textOf } from "../text/conversation-text.js";
import type { TokenCounter } from "../token-counting/token-counter.js";
import { type CountedTokens, estimatedUsageOf, type UsageFacts, usageOf } from "./usage.js";

/** What an answer came from and what it was. */
export interface Generation {
  /** The provider's count; null when it sent none. */
  readonly tokens: TokenUsage | null;
  /** Name the provider knows the model by. */
  readonly model: string;
  readonly body: ChatBody;
  readonly text: AnswerText;
}

export interface MeasureOptions {
  readonly counter: TokenCounter;
}

/**
 * Usage as the provider counted it, which nothing here overrules. Only where it sent no count are tokens counted here.
 *
 * @returns at once when the provider counted
 */
export function measuredUsage(
  generation: Generation,
  facts: UsageFacts,
  { counter }: MeasureOptions,
): Usage | Promise<Usage> {
  const { tokens } = generation;
  if (tokens !== null) return usageOf(tokens, facts);
  return countedTokens(generation, counter).then((counted) => estimatedUsageOf(counted, facts));
}

/** What a chat format adds around each message (OpenAI's published count for its chat format). */
const TOKENS_PER_MESSAGE = 4;

async function countedTokens(
  { model, body, text }: Generation,
  counter: TokenCounter,
): Promise<CountedTokens> {
  const { messages, tools } = body;
  const prompt = messages.map(textOf);
  if (Array.isArray(tools) && tools.length > 0) prompt.push(JSON.stringify(tools));
  const [promptTokens, completionTokens] = await Promise.all([
    counter.count(prompt, { model }),
    counter.count(text.generated(), { model }),
  ]);
  return { promptTokens: promptTokens + messages.length * TOKENS_PER_MESSAGE, completionTokens };
}
