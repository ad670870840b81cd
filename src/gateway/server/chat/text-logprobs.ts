import { z } from "zod";
import type { JsonObject } from "../../providers/chat.js";

const likelyToken = z.object({ token: z.string(), logprob: z.number() });
const chatLogprobs = z.object({
  content: z.array(likelyToken.extend({ top_logprobs: z.array(likelyToken).nullish() })),
});

const textCompletionEncoder = z.looseObject({ tokens: z.array(z.string()) });

/** `logprobs` of a text completion. */
export interface TextLogprobs {
  readonly tokens: readonly string[];
  readonly token_logprobs: readonly number[];
  readonly top_logprobs: readonly Readonly<Record<string, number>>[];
  /** Where each token starts in the whole text, in UTF-16 code units. */
  readonly text_offset: readonly number[];
}

/**
 * The log probabilities of a choice in the form that text completions have: those of a model that cannot chat have it
 * already. Null without any, or in a form that is neither.
 *
 * @param offset length of the text before these tokens, in UTF-16 code units
 */
export function textLogprobs(logprobs: unknown, offset: number): TextLogprobs | JsonObject | null {
  if (logprobs === undefined || logprobs === null) return null;
  const parsed = chatLogprobs.safeParse(logprobs);
  if (!parsed.success) return textCompletionEncoder.safeParse(logprobs).data ?? null;
  const { content } = parsed.data;
  let start = offset;
  return {
    tokens: content.map(({ token }) => token),
    token_logprobs: content.map(({ logprob }) => logprob),
    top_logprobs: content.map(({ top_logprobs }) =>
      Object.fromEntries((top_logprobs ?? []).map(({ token, logprob }) => [token, logprob])),
    ),
    text_offset: content.map(({ token }) => {
      const at = start;
      start += token.length;
      return at;
    }),
  };
}
