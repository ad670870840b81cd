/** Replies of OpenAI's Responses API as chat completions. */
import {
  type ChatChunk,
  isJsonObject,
  type JsonObject,
  memberOf,
  objectsIn,
  sealed,
  sealedMember,
} from "../chat.js";
import { faultInReply } from "../http/fault.js";
import { LAST, type ObjectEvent } from "../http/read-reply.js";
import type { StreamTranslator, WholeAnswer } from "../http/translated-stream.js";
import { addedUp } from "../http/whole-answer.js";
import type { StreamEvent } from "../provider.js";
import { countOf, hostedCallsIn, reportedCost, servedTier, type TokenUsage } from "../token-usage.js";

export interface ReplyOptions {
  /** Id of the provider, by which reasoning that it encrypted is known when it comes back. */
  readonly provider: string;
}

/** A response, whatever became of it, as a chat answer. */
function answerOf(response: JsonObject, options: ReplyOptions): WholeAnswer {
  const events: StreamEvent[] = [];
  new ResponsesStream(options).read({ event: null, body: response }, events);
  return addedUp(events);
}

/** The events of a streamed response, or a whole one, as chunks. */
export class ResponsesStream implements StreamTranslator {
  /** By the item's index in the output: the call's place among calls, and whether its arguments began to come. */
  readonly #calls = new Map<unknown, { readonly index: number; given: boolean }>();
  /** Which part of a reasoning item the last reasoning belonged to, as JSON; null before any. */
  #reasoningPart: string | null = null;
  complete = false;

  constructor(private readonly options: ReplyOptions) {}

  read({ event, body }: ObjectEvent, events: StreamEvent[]): "more" | "finished" {
    if (event === LAST) return "more";
    if (Array.isArray(body.output)) {
      for (const one of eventsOf(body)) this.read({ event: null, body: one }, events);
      return "finished";
    }
    body.type ??= event ?? undefined;
    switch (body.type) {
      case "response.created":
        push(events, { role: "assistant", content: "" });
        break;
      case "response.output_text.delta":
        push(events, { content: body.delta }, logprobsOf(body.logprobs));
        break;
      case "response.output_text.annotation.added":
        if (isJsonObject(body.annotation)) push(events, { annotations: [nested(body.annotation)] });
        break;
      case "response.refusal.delta":
        push(events, { refusal: body.delta });
        break;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        this.#addReasoning(body, events);
        break;
      case "response.output_item.added":
        this.#begin(body, events);
        break;
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        this.#addGiven(body, events);
        break;
      case "response.output_item.done":
        this.#end(body, events);
        break;
      case "response.completed":
      case "response.incomplete":
        this.#finish(body.response, events);
        return "finished";
      case "response.failed":
        throw faultInReply(isJsonObject(body.response) ? body.response : body);
      case "error":
        throw faultInReply(body);
    }
    return "more";
  }

  #begin({ item, output_index: at }: JsonObject, events: StreamEvent[]): void {
    if (!isJsonObject(item) || !isCall(item)) return;
    const call = { index: this.#calls.size, given: givenOf(item) !== "" };
    this.#calls.set(at, call);
    push(events, { tool_calls: [{ index: call.index, ...toolCallOf(item) }] });
  }

  #addGiven({ type, output_index: at, delta }: JsonObject, events: StreamEvent[]): void {
    const call = this.#calls.get(at);
    if (call !== undefined) call.given = true;
    const given =
      type === "response.custom_tool_call_input.delta"
        ? { custom: { input: delta } }
        : { function: { arguments: delta } };
    push(events, { tool_calls: [{ index: call?.index ?? 0, ...given }] });
  }

  /** What only whole items have: reasoning that can be sent back, and arguments that came in no pieces. */
  #end({ item, output_index: at }: JsonObject, events: StreamEvent[]): void {
    if (!isJsonObject(item)) return;
    if (item.type === "reasoning" && typeof item.encrypted_content === "string") {
      const { encrypted_content: content } = item;
      push(events, sealedMember([sealed(this.options.provider, { at: this.#calls.size, content })]));
    }
    const call = this.#calls.get(at);
    if (call === undefined || call.given || givenOf(item) === "") return;
    const { type: _type, id: _id, ...piece } = toolCallOf(item);
    push(events, { tool_calls: [{ index: call.index, ...piece }] });
  }

  #addReasoning(
    { type, output_index, summary_index, content_index, delta }: JsonObject,
    events: StreamEvent[],
  ): void {
    const part = JSON.stringify([type, output_index, summary_index, content_index]);
    const isNext = this.#reasoningPart !== null && this.#reasoningPart !== part;
    this.#reasoningPart = part;
    if (isNext) push(events, { reasoning_content: BETWEEN_PARTS });
    push(events, { reasoning_content: delta });
  }

  #finish(response: unknown, events: StreamEvent[]): void {
    this.complete = true;
    const whole = isJsonObject(response) ? response : {};
    const finish_reason = finishReasonOf(whole, this.#calls.size > 0);
    const chunk = { choices: [{ index: 0, delta: {}, finish_reason }], ...tierOf(whole) };
    events.push({ chunk, usage: usageOfResponse(whole) });
  }
}

/** Each part is a paragraph or several, with a heading of its own. */
const BETWEEN_PARTS = "\n\n";

/** What the parts of a whole item are in the events of one; those of reasoning are reasoning, whatever their type. */
const PART_EVENTS: ReadonlyMap<unknown, string> = new Map([
  ["output_text", "response.output_text.delta"],
  ["refusal", "response.refusal.delta"],
]);

function* eventsOf(response: JsonObject) {
  yield { type: "response.created" };
  for (const [output_index, item] of objectsIn(response.output).entries()) {
    yield { type: "response.output_item.added", output_index, item };
    const parts = [...objectsIn(item.summary), ...objectsIn(item.content)];
    for (const [content_index, { type, text, refusal, logprobs, annotations }] of parts.entries()) {
      const delta = text ?? refusal;
      if (typeof delta !== "string" || delta === "") continue;
      const name = item.type === "reasoning" ? "response.reasoning_text.delta" : PART_EVENTS.get(type);
      yield { type: name, output_index, content_index, delta, logprobs };
      for (const annotation of objectsIn(annotations))
        yield { type: "response.output_text.annotation.added", annotation };
    }
    yield { type: "response.output_item.done", output_index, item };
  }
  yield { type: "response.completed", response };
}

function push(events: StreamEvent[], delta: JsonObject, more: JsonObject = {}): void {
  const chunk: ChatChunk = { choices: [{ index: 0, delta, ...more, finish_reason: null }] };
  events.push({ chunk, usage: null });
}

const logprobsOf = (logprobs: unknown): JsonObject =>
  Array.isArray(logprobs) && logprobs.length > 0 ? { logprobs: { content: logprobs, refusal: null } } : {};

/** Chat nests what it says of a citation under its type. */
const nested = ({ type, ...members }: JsonObject): JsonObject => ({ type, [String(type)]: members });

const isCall = ({ type }: JsonObject): boolean => type === "function_call" || type === "custom_tool_call";

const givenOf = ({ arguments: given, input }: JsonObject): unknown => given ?? input ?? "";

function toolCallOf(item: JsonObject): JsonObject {
  const { type, call_id: id, name } = item;
  return type === "custom_tool_call"
    ? { id, type: "custom", custom: { name, input: givenOf(item) } }
    : { id, type: "function", function: { name, arguments: givenOf(item) } };
}

/** Whether a response has come to its end. */
const isOver = ({ status }: JsonObject): boolean => status !== "queued" && status !== "in_progress";

/** What the answer was billed as. */
const tierOf = ({ service_tier: tier }: JsonObject): JsonObject =>
  typeof tier === "string" ? { service_tier: tier } : {};

function finishReasonOf({ status, incomplete_details: details }: JsonObject, called: boolean): string | null {
  if (status === "incomplete") {
    return memberOf(details, "reason") === "content_filter" ? "content_filter" : "length";
  }
  if (status !== "completed") return null;
  return called ? "tool_calls" : "stop";
}

/** The usage of a whole response, with its tier and the tools that the provider ran. */
function usageOfResponse({ usage, service_tier: tier, output }: JsonObject): TokenUsage | null {
  const tokens = tokenUsageOf(usage);
  return tokens && { ...tokens, ...servedTier(tier), ...hostedCallsIn(output) };
}

/** `input_tokens` include cached ones, `output_tokens` reasoning, as in chat. Null without both counts. */
export function tokenUsageOf(usage: unknown): TokenUsage | null {
  if (!isJsonObject(usage)) return null;
  const [promptTokens, completionTokens] = [countOf(usage.input_tokens), countOf(usage.output_tokens)];
  if (promptTokens === null || completionTokens === null) return null;
  const { input_tokens_details: prompt, output_tokens_details: completion } = usage;
  const part = (details: unknown, name: string): number => countOf(memberOf(details, name)) ?? 0;
  const cacheReadTokens = Math.min(part(prompt, "cached_tokens"), promptTokens);
  const cacheWriteTokens = Math.min(part(prompt, "cache_write_tokens"), promptTokens - cacheReadTokens);
  const reasoningTokens = Math.min(part(completion, "reasoning_tokens"), completionTokens);
  return {
    promptTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWriteHourTokens: 0,
    completionTokens,
    reasoningTokens,
    ...reportedCost(usage),
    details: {
      prompt_tokens_details: { cached_tokens: cacheReadTokens },
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
    },
  };
}

/** Every event becomes a chunk that carries it; the last one, in which the run has ended, also has the answer. */
export class RunStream implements StreamTranslator {
  complete = false;

  constructor(private readonly options: ReplyOptions) {}

  read({ event, body: native }: ObjectEvent, events: StreamEvent[]): "more" | "finished" {
    if (event === LAST) return "more";
    if (native.type === "error") throw faultInReply(native);
    const { response } = native;
    this.complete = isJsonObject(response) && Array.isArray(response.output) && isOver(response);
    const ended = this.complete ? answerOf(response as JsonObject, this.options) : undefined;
    const choices = ended?.completion.choices.map(({ message, ...choice }) => ({
      ...choice,
      delta: message,
    }));
    events.push({ chunk: { choices: choices ?? [], native }, usage: ended?.usage ?? null, isRunning: true });
    if (this.complete && isJsonObject(response) && response.status === "failed") {
      this.complete = false;
      throw faultInReply(response);
    }
    return this.complete ? "finished" : "more";
  }
}
