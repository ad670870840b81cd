/** A chat answer as a response, whole and as typed events. */
import type { ChatChunk, ChatCompletion, JsonObject } from "../../providers/chat.js";
import type { Usage } from "../../traces/trace.js";
import { eventText } from "../server-event.js";
import { OutputItems } from "./output-items.js";
import { endStatus, type ResponseEnvelope, responseBody } from "./response.js";

/** The first choice as a response: there is never more than one. */
export function responseFromChat(
  { choices }: ChatCompletion,
  { envelope, usage }: { readonly envelope: ResponseEnvelope; readonly usage: Usage },
): JsonObject {
  const [choice] = choices;
  const finishReason = choice?.finish_reason ?? null;
  const status = endStatus(finishReason);
  const items = new OutputItems(envelope, ignored);
  if (choice !== undefined) items.add(choice.message, choice.logprobs);
  items.finish(status);
  return responseBody(envelope, { status, output: items.items, finishReason, usage, error: null });
}

const ignored = (): void => {};

interface StreamError extends JsonObject {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
}

/** The events of one streamed response, as the text of server-sent events. Numbered from 0. */
export class ResponseEvents {
  readonly #items: OutputItems;
  #finishReason: string | null = null;
  #sequence = 0;
  #text = "";

  /** @param keep as in `OutputItems` */
  constructor(
    private readonly envelope: ResponseEnvelope,
    keep?: (text: string) => void,
  ) {
    this.#items = new OutputItems(envelope, (event) => this.#write(event), keep);
  }

  /** @param extras further members of the response, such as `routing` */
  start(extras: JsonObject = {}): string {
    const response = { ...this.#response("in_progress"), ...extras };
    this.#write({ type: "response.created", response });
    this.#write({ type: "response.in_progress", response });
    return this.#taken();
  }

  chunk({ choices }: ChatChunk): string {
    for (const { index, delta, finish_reason: reason, logprobs } of choices) {
      if (index !== 0) continue;
      this.#items.add(delta, logprobs);
      this.#finishReason = reason ?? this.#finishReason;
    }
    return this.#taken();
  }

  end(usage: Usage, extras: JsonObject = {}): string {
    const status = endStatus(this.#finishReason);
    this.#items.finish(status);
    this.#write({
      type: `response.${status}`,
      response: { ...this.#response(status, { usage }), ...extras },
    });
    return this.#taken();
  }

  /** The response so far. */
  whole(): JsonObject {
    return this.#response(endStatus(this.#finishReason));
  }

  /** @param error the members of an error body, those of `error` and those beside it */
  fail(error: StreamError): string {
    const { code, message, param } = error;
    this.#write({
      type: "response.failed",
      response: this.#response("failed", { error: { code, message } }),
    });
    // The member `error` is what OpenAI's clients look for in a stream to throw it.
    this.#write({ type: "error", code, message, param, error });
    return this.#taken();
  }

  #response(
    status: "in_progress" | "completed" | "incomplete" | "failed",
    {
      usage = null,
      error = null,
    }: { usage?: Usage | null; error?: { code: string; message: string } | null } = {},
  ): JsonObject {
    const output = status === "in_progress" ? [] : this.#items.items;
    return responseBody(this.envelope, { status, output, finishReason: this.#finishReason, usage, error });
  }

  #write(event: JsonObject & { readonly type: string }): void {
    this.#text += eventText({ ...event, sequence_number: this.#sequence });
    this.#sequence += 1;
  }

  #taken(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }
}
