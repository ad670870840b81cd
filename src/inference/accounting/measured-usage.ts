import { TextAllowance } from "../../foundation/bounded-text.js";
import type { ChatBody } from "../../providers/chat.js";
import type { TokenUsage } from "../../providers/token-usage.js";
import type { Usage } from "../../traces/trace.js";
import type { CountedTokens } from "../attempt-usage.js";
import type { AnswerText } from "../text/answer-text.js";
import { textOf } from "../text/conversation-text.js";
import type { TokenCounter } from "../token-counting/token-counter.js";
import { estimatedUsageOf, type UsageFacts, usageOf } from "./usage.js";

/** What an answer came from and what it was. */
export interface Generation {
  /** The provider's count; null when it sent none. */
  readonly tokens: TokenUsage | null;
  /** Name the provider knows the model by. */
  readonly model: string;
  readonly body: ChatBody;
  readonly text: Pick<AnswerText, "generated" | "lengthRatio">;
}

export interface MeasureOptions {
  readonly counter: TokenCounter;
}

/**
 * Usage as the provider counted it, which nothing here overrules. Only where it sent no count are tokens counted here, or
 * those of the answer alone where it counted the prompt and then broke off.
 *
 * @returns at once when the provider counted
 */
export function measuredUsage(
  generation: Generation,
  facts: UsageFacts,
  { counter }: MeasureOptions,
): Usage | Promise<Usage> {
  const { tokens, model, text } = generation;
  if (tokens?.completionPending === true) {
    return answerTokensOf(text, { model, counter }).then((counted) => {
      const completionTokens = Math.max(tokens.completionTokens, counted);
      return { ...usageOf({ ...tokens, completionTokens }, facts), estimated: true };
    });
  }
  if (tokens !== null) return usageOf(tokens, facts);
  return countedTokens(generation, counter).then((counted) => estimatedUsageOf(counted, facts));
}

/** What a chat format adds around each message (OpenAI's published count for its chat format). */
const TOKENS_PER_MESSAGE = 4;

/** Tokens of a prompt by a tokenizer; images count nothing. */
export async function promptTokensOf(
  { messages, tools }: ChatBody,
  { model, counter }: CountOptions,
): Promise<number> {
  const prompt = messages.map(textOf);
  if (Array.isArray(tools) && tools.length > 0) prompt.push(JSON.stringify(tools));
  return (await counter.count(prompt, { model })) + messages.length * TOKENS_PER_MESSAGE;
}

interface CountOptions extends MeasureOptions {
  /** Name of the model, by which the tokenizer is chosen. */
  readonly model: string;
}

/**
 * Characters of an answer whose tokens are counted: more than any model generates at once, and less than a tenth of a second's
 * work. A provider that sends more, and no count, costs no more than that.
 */
const MOST_COUNTED = 1_048_576;

/** Tokens of an answer by a tokenizer. What is not counted of a very long one is taken to have as many for its length. */
async function answerTokensOf(text: Generation["text"], { model, counter }: CountOptions): Promise<number> {
  const allowance = new TextAllowance(MOST_COUNTED);
  const counted = text.generated().map((piece) => allowance.take(piece));
  return Math.round((await counter.count(counted, { model })) * allowance.ratio * text.lengthRatio);
}

/** Tokens of a prompt and its answer by a tokenizer. */
export async function countedTokens(
  { model, body, text }: Omit<Generation, "tokens">,
  counter: TokenCounter,
): Promise<CountedTokens> {
  const [promptTokens, completionTokens] = await Promise.all([
    promptTokensOf(body, { model, counter }),
    answerTokensOf(text, { model, counter }),
  ]);
  return { promptTokens, completionTokens };
}
