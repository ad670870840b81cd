import type { ChatBody } from "../providers/chat.js";
import type { TokenUsage } from "../providers/token-usage.js";
import type { Usage } from "../traces/trace.js";
import type { AnswerText } from "./answer-text.js";
import { textOf } from "./conversation-text.js";
import { countTokens } from "./count-tokens.js";
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

/**
 * Usage as the provider counted it, which nothing here overrules. Only where it sent no count are tokens counted here.
 *
 * @returns at once when the provider counted
 */
export function measuredUsage(generation: Generation, facts: UsageFacts): Usage | Promise<Usage> {
  const { tokens } = generation;
  return tokens === null ? countedUsage(generation, facts) : usageOf(tokens, facts);
}

async function countedUsage(generation: Generation, facts: UsageFacts): Promise<Usage> {
  return estimatedUsageOf(await countedTokens(generation), facts);
}

/** What a chat format adds around each message (OpenAI's published count for its chat format). */
const TOKENS_PER_MESSAGE = 4;

async function countedTokens({ model, body, text }: Generation): Promise<CountedTokens> {
  const { messages, tools } = body;
  const prompt = messages.map(textOf);
  if (Array.isArray(tools) && tools.length > 0) prompt.push(JSON.stringify(tools));
  return {
    promptTokens: (await countTokens(prompt, { model })) + messages.length * TOKENS_PER_MESSAGE,
    completionTokens: await countTokens(text.generated(), { model }),
  };
}
