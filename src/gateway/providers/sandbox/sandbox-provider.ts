import type { CancelSignal } from "../../../foundation/cancel-signal.js";
import type { ChatBody, ChatChunk, JsonObject } from "../chat.js";
import { addedUp } from "../http/whole-answer.js";
import {
  type NativeApi,
  type Provider,
  type ProviderCall,
  ProviderFault,
  type StreamEvent,
} from "../provider.js";
import { NO_PARTS, type TokenUsage } from "../token-usage.js";
import { promptWords, type SandboxAnswer, sandboxAnswer } from "./sandbox-answer.js";
import { sandboxEmbeddings } from "./sandbox-embeddings.js";

const WORDS_PER_EVENT = 3;
/** As many as OpenAI returns. */
const MAX_CHOICES = 128;
const HEAD = { id: "chatcmpl-sandbox", created: 0, model: "sandbox", system_fingerprint: "sandbox" } as const;

/**
 * Answers without a network, the same every time, for trying Sextant out: its answers say that no model wrote them. A word counts as one
 * token, of prompts and of answers. Streams send the choices alternately, a few words at a time.
 */
export function sandbox(id: string): Provider {
  return {
    id,
    natives: new Set<NativeApi>(),
    async send(call, { signal }) {
      signal.throwIfAborted();
      const answers = answersTo(call);
      const usage = usageOf(call.body, answers);
      const events = eventsOf(answers, usage);
      return call.stream
        ? { kind: "stream", batches: batchesOf(events, signal) }
        : { kind: "completion", ...addedUp([...events]) };
    },
    async embed(call, { signal }) {
      signal.throwIfAborted();
      return sandboxEmbeddings(call);
    },
    async close() {},
  };
}

function answersTo({ upstreamModel, body }: ProviderCall): readonly SandboxAnswer[] {
  const of = typeof body.n === "number" ? body.n : 1;
  if (!(of >= 1 && of <= MAX_CHOICES)) {
    const what = `\`n\` is ${of}; the sandbox gives 1 to ${MAX_CHOICES} answers`;
    throw new ProviderFault("request_refused", what, { upstreamParam: "n" });
  }
  return Array.from({ length: of }, (_, index) => sandboxAnswer(upstreamModel, body, { index, of }));
}

const usageOf = (body: ChatBody, answers: readonly SandboxAnswer[]): TokenUsage => ({
  ...NO_PARTS,
  promptTokens: promptWords(body),
  completionTokens: answers.reduce((sum, { tokens }) => sum + tokens, 0),
});

async function* batchesOf(
  events: Iterable<StreamEvent>,
  signal: CancelSignal,
): AsyncGenerator<readonly StreamEvent[]> {
  for (const event of events) {
    signal.throwIfAborted();
    yield [event];
  }
}

function* eventsOf(answers: readonly SandboxAnswer[], usage: TokenUsage): Generator<StreamEvent> {
  for (const [index] of answers.entries()) yield event(index, { role: "assistant", content: "" });
  const longest = Math.max(...answers.map(({ words }) => words.length));
  for (let at = 0; at < longest; at += WORDS_PER_EVENT) {
    for (const [index, { words }] of answers.entries()) {
      const content = words.slice(at, at + WORDS_PER_EVENT).join("");
      if (content !== "") yield event(index, { content });
    }
  }
  for (const [index, { call, finish }] of answers.entries()) {
    if (call !== null) yield event(index, { tool_calls: [{ index: 0, ...call }] });
    yield event(index, {}, finish);
  }
  yield { chunk: null, usage };
}

function event(index: number, delta: JsonObject, finish: string | null = null): StreamEvent {
  const choice = { index, delta, logprobs: null, finish_reason: finish };
  const chunk: ChatChunk = { ...HEAD, object: "chat.completion.chunk", choices: [choice] };
  return { chunk, usage: null };
}
