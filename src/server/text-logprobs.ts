import { z } from "zod";

const likelyToken = z.object({ token: z.string(), logprob: z.number() });
const chatLogprobs = z.object({
  content: z.array(likelyToken.extend({ top_logprobs: z.array(likelyToken).nullish() })),
});

/** `logprobs` of a text completion. */
export interface TextLogprobs {
  readonly tokens: readonly string[];
  readonly token_logprobs: readonly number[];
  readonly top_logprobs: readonly Readonly<Record<string, number>>[];
  /** Where each token starts in the whole text, in UTF-16 code units. */
  readonly text_offset: readonly number[];
}

/**
 * The log probabilities of a chat's choice in the form that text completions have. Null without any, or in a form that is
 * neither.
 *
 * @param offset length of the text before these tokens
 */
export function textLogprobs(logprobs: unknown, offset: number): TextLogprobs | null {
  if (logprobs === undefined || logprobs === null) return null;
  const parsed = chatLogprobs.safeParse(logprobs);
  if (!parsed.success) return null;
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
