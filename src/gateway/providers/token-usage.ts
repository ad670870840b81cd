import type { JsonObject } from "./chat.js";
import { isJsonObject } from "./json-object.js";

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
  /** What else the provider charges more for, in words such as `inference_geo us`. */
  readonly surcharges?: readonly string[];
  /** Members of the provider's usage object that clients may read beside the counts (`prompt_tokens_details`, …). */
  readonly details: JsonObject;
}

/** Most tokens that a member of a usage object can stand for. */
export interface MostTokens {
  readonly prompt: number;
  readonly completion: number;
}

/**
 * A provider's usage object, or a part of one, without what cannot be: numbers of tokens (members named `…tokens`) that are no counts are
 * left out, and those above what they are part of are cut to that. Everything else stays.
 */
export function countsWithin(usage: JsonObject, most: MostTokens): JsonObject {
  const { prompt, completion } = most;
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(usage)) {
    if (isJsonObject(value)) kept[name] = countsWithin(value, partsOf(name, most));
    else if (typeof value !== "number" || !/tokens$/.test(name)) kept[name] = value;
    else if (Number.isSafeInteger(value) && value >= 0) kept[name] = Math.min(value, prompt + completion);
  }
  return kept;
}

/** `prompt_tokens_details` are parts of the prompt; an object of any other name may be about either. */
function partsOf(name: string, { prompt, completion }: MostTokens): MostTokens {
  if (/^(?:prompt|input)_tokens/.test(name)) return { prompt, completion: 0 };
  if (/^(?:completion|output)_tokens/.test(name)) return { prompt: 0, completion };
  return { prompt, completion };
}
