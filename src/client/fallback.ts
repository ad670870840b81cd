import type OpenAI from "openai";
import {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIPromise,
  APIUserAbortError,
} from "openai";
import { Stream } from "openai/streaming";

/** A model that was asked in vain. */
export interface TriedModel {
  readonly model: string;
  /** HTTP status of the gateway's reply; null without one. */
  readonly status: number | null;
  /** Code of the error: the gateway's, `connection_error` or `timeout`. */
  readonly code: string;
}

/** How one model is asked. */
export type Ask = (model: string, options: OpenAI.RequestOptions) => APIPromise<unknown>;

interface Opened {
  readonly model: string;
  readonly answer: APIPromise<unknown>;
  readonly response: Response;
  /** Ends the attempt: `stop` is ours, not the caller's. */
  readonly stop: AbortController;
  readonly startedAt: number;
}

const tried = new WeakMap<object, readonly TriedModel[]>();

/** The models that were asked before an error was thrown, in order, the one whose error it is last; empty without fallbacks. */
export function triedModels(error: unknown): readonly TriedModel[] {
  return (typeof error === "object" && error !== null && tried.get(error)) || [];
}

/**
 * Asks the models in turn until one answers; of a stream, until one has sent content, before which none of it is passed on.
 * The next is asked after 408, 429, 5xx, a connection that fails or breaks, and silence for longer than the timeout, which
 * holds for each. Any other error, and the caller's own abort, end it. When all fail, the last one's error is thrown.
 *
 * @param models at least one
 */
export function askInTurn<Answer>(
  client: OpenAI,
  models: readonly string[],
  { ask, options }: { readonly ask: Ask; readonly options: OpenAI.RequestOptions },
): APIPromise<Answer> {
  const sequence = new FallbackSequence(models, {
    ask,
    options,
    timeoutMs: options.timeout ?? client.timeout,
  });
  const first = sequence.open();
  const reply = first.then(({ response }) => ({
    response,
    options: { method: "post" as const, path: "" },
    controller: new AbortController(),
    requestLogID: "",
    retryOfRequestLogID: undefined,
    startTime: Date.now(),
  }));
  const answer = async () => (await sequence.read(await first)) as never;
  return new APIPromise<Answer>(client, reply, answer);
}

class FallbackSequence {
  readonly #models: readonly string[];
  readonly #ask: Ask;
  readonly #options: OpenAI.RequestOptions;
  readonly #timeoutMs: number;
  readonly #failures: TriedModel[] = [];

  constructor(
    models: readonly string[],
    { ask, options, timeoutMs }: { ask: Ask; options: OpenAI.RequestOptions; timeoutMs: number },
  ) {
    this.#models = models;
    this.#ask = ask;
    this.#options = options;
    this.#timeoutMs = timeoutMs;
  }

  /** Asks until the headers of an answer are there. */
  async open(): Promise<Opened> {
    for (;;) {
      const attempt = this.#begin();
      try {
        return { ...attempt, response: await attempt.answer.asResponse() };
      } catch (error) {
        this.#goOnAfter(error, attempt.model);
      }
    }
  }

  /** The whole answer, or a stream that has content. */
  async read(opened: Opened): Promise<unknown> {
    for (let current = opened; ; current = await this.open()) {
      try {
        return await this.#readInTime(current);
      } catch (error) {
        this.#goOnAfter(error, current.model);
      }
    }
  }

  #begin(): Omit<Opened, "response"> {
    const model = this.#models[this.#failures.length] ?? "";
    const isLast = this.#failures.length + 1 >= this.#models.length;
    const stop = new AbortController();
    const signal = this.#options.signal ? AbortSignal.any([this.#options.signal, stop.signal]) : stop.signal;
    // Asking the next model is quicker than asking the same one again; the last one has no next.
    const maxRetries = this.#options.maxRetries ?? (isLast ? undefined : 0);
    const options = { ...this.#options, signal, ...(maxRetries === undefined ? {} : { maxRetries }) };
    return { model, answer: this.#ask(model, options), stop, startedAt: performance.now() };
  }

  async #readInTime({ answer, stop, startedAt }: Opened): Promise<unknown> {
    const left = Math.max(0, startedAt + this.#timeoutMs - performance.now());
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new APIConnectionTimeoutError());
        stop.abort();
      }, left);
    });
    try {
      return await Promise.race([this.#read(answer), late]);
    } catch (error) {
      if (this.#options.signal?.aborted) throw new APIUserAbortError();
      throw error instanceof APIError ? error : brokenOff(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #read(answer: APIPromise<unknown>): Promise<unknown> {
    const value = await answer;
    if (!(value instanceof Stream)) {
      // A page of a proxy's comes as text, whatever its status says.
      if (typeof value === "object" && value !== null) return value;
      throw brokenOff(undefined);
    }
    const stream = value as Stream<ContentChunk>;
    const opening = await readToFirstContent(stream);
    if (!opening.whole) throw brokenOff(undefined);
    return new Stream(() => goOnWith(opening), stream.controller);
  }

  /** @throws the error itself when no other model may or can be asked */
  #goOnAfter(error: unknown, model: string): void {
    if (!(error instanceof APIError) || error instanceof APIUserAbortError) throw error;
    this.#failures.push({ model, status: error.status ?? null, code: codeOf(error) });
    if (this.#failures.length < this.#models.length && mayAskAnother(error)) return;
    tried.set(error, this.#failures);
    throw error;
  }
}

/** Errors of the gateway that say that another model may do better, as they come inside a stream, where there is no status. */
const PASSING_CODES = new Set([
  "upstream_error",
  "upstream_timeout",
  "overloaded",
  "no_provider_available",
  "rate_limit_exceeded",
  "budget_exceeded",
  "internal_error",
]);

function mayAskAnother(error: APIError): boolean {
  if (error instanceof APIConnectionError) return true;
  if (error.status === undefined) return PASSING_CODES.has(error.code ?? "");
  return error.status === 408 || error.status === 429 || error.status >= 500;
}

function codeOf(error: APIError): string {
  if (error instanceof APIConnectionTimeoutError) return "timeout";
  if (error instanceof APIConnectionError) return "connection_error";
  return error.code ?? String(error.status ?? "error");
}

function brokenOff(cause: unknown): APIConnectionError {
  const message = "The answer broke off before its end, or is no answer of a gateway.";
  return cause instanceof Error
    ? new APIConnectionError({ message, cause })
    : new APIConnectionError({ message });
}

/** A stream that was read up to its first content. */
interface OpenedStream<Chunk> {
  /** Nothing of it was given to anybody yet; the last one has the content. */
  readonly read: readonly Chunk[];
  readonly rest: AsyncIterator<Chunk>;
  /** Whether content, or an orderly end without any, was found; otherwise the stream just stopped. */
  readonly whole: boolean;
}

/** Members of a chunk that matter here, in chat and in text completions. */
interface ContentChunk {
  readonly choices: readonly {
    readonly delta?: object | undefined;
    readonly text?: string | undefined;
    readonly finish_reason?: string | null | undefined;
  }[];
}

/** Reads until there is content; until then a failure loses nothing, and another model can be asked. */
async function readToFirstContent<Chunk extends ContentChunk>(
  stream: AsyncIterable<Chunk>,
): Promise<OpenedStream<Chunk>> {
  const rest = stream[Symbol.asyncIterator]();
  const read: Chunk[] = [];
  for (;;) {
    const { done, value } = await rest.next();
    if (done === true) return { read, rest, whole: false };
    read.push(value);
    if (value.choices.some(isContent)) return { read, rest, whole: true };
  }
}

/** Goes on with a stream that has started; leaving it early ends the stream below. */
async function* goOnWith<Chunk>({ read, rest }: OpenedStream<Chunk>): AsyncGenerator<Chunk> {
  try {
    yield* read;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** The role alone is no content, nor is an empty text; an end is, since an answer may be empty. */
function isContent({ delta, text, finish_reason: finishReason }: ContentChunk["choices"][number]): boolean {
  if (typeof finishReason === "string") return true;
  if (text !== undefined && text !== "") return true;
  return Object.entries(delta ?? {}).some(([member, value]) => member !== "role" && !isEmpty(value));
}

function isEmpty(value: unknown): boolean {
  return (
    value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)
  );
}
