import { z } from "zod";
import type { ChatChunk, ChunkChoice, JsonObject } from "../../providers/chat.js";
import {
  type AnswerEnvelope,
  bodyAround,
  type EventEncoder,
  eventStart,
  passingMembers,
  type ResponseEncoder,
  StreamFrame,
  wantsUsageEvent,
} from "./response-encoder.js";

const naming = { idStart: "cmpl", object: "text_completion" };

/**
 * `text_completion`, whole and in streams: the answer as plain text.
 *
 * @param request by which a stream ends with an event that has the usage and no choice, or does not
 */
export const textCompletionEncoder = (request: JsonObject): ResponseEncoder => ({
  body: (answer, envelope) => {
    const choices = answer.completion.choices.map(({ index, message, finish_reason, logprobs }) => ({
      text: contentOf(message),
      index,
      logprobs: textLogprobs(logprobs, 0),
      finish_reason,
    }));
    return bodyAround(choices, { answer, envelope, naming });
  },
  events: (envelope) => createEventEncoder(envelope, wantsUsageEvent(request)),
});

const EMPTY_CHOICE = '{"text":"","index":0,"logprobs":null,"finish_reason":null}';

function createEventEncoder(envelope: AnswerEnvelope, includeUsage: boolean): EventEncoder {
  const start = eventStart(envelope, naming);
  const frame = new StreamFrame({
    envelope,
    start,
    firstChoice: EMPTY_CHOICE,
    emptyChoice: EMPTY_CHOICE,
    includeUsage,
  });
  /** By choice: characters sent so far, where the next token's offset starts. */
  const sent = new Map<number, number>();

  function textChoice({ index, delta, finish_reason, logprobs }: ChunkChoice): JsonObject {
    const text = contentOf(delta);
    const offset = sent.get(index) ?? 0;
    sent.set(index, offset + text.length);
    return { text, index, logprobs: textLogprobs(logprobs, offset), finish_reason };
  }

  function chunk(event: ChatChunk): string {
    const visible = event.choices.filter(isVisible);
    if (visible.length === 0) return frame.first();
    const finishes = visible.some(({ finish_reason }) => finish_reason !== null);
    const choices = JSON.stringify(visible.map(textChoice));
    return frame.pass(`${start},"choices":${choices}${passingMembers(event)}`, finishes);
  }

  return {
    chunk,
    end: (usage) => frame.end(usage),
    failure: (error) => frame.failure(error),
  };
}

const contentOf = ({ content }: JsonObject): string => (typeof content === "string" ? content : "");

/** Text completions have neither roles nor reasoning: chunks with only these are left out. */
const isVisible = ({ delta, finish_reason }: ChunkChoice): boolean =>
  finish_reason !== null || contentOf(delta) !== "";

const likelyToken = z.object({ token: z.string(), logprob: z.number() });
const chatLogprobs = z.object({
  content: z.array(likelyToken.extend({ top_logprobs: z.array(likelyToken).nullish() })),
});

const completionLogprobs = z.looseObject({ tokens: z.array(z.string()) });

/** `logprobs` of a text completion. */
interface TextLogprobs {
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
function textLogprobs(logprobs: unknown, offset: number): TextLogprobs | JsonObject | null {
  if (logprobs === undefined || logprobs === null) return null;
  const parsed = chatLogprobs.safeParse(logprobs);
  if (!parsed.success) return completionLogprobs.safeParse(logprobs).data ?? null;
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
