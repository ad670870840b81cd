import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { TextRoom } from "../../foundation/bounded-text.js";
import type { Clock } from "../../foundation/timers.js";
import type { ChatChunk } from "../providers/chat.js";
import { ProviderFault, type StreamEvent } from "../providers/provider.js";
import type { TokenUsage } from "../providers/token-usage.js";
import type { Usage } from "../traces/trace.js";
import type { Admission } from "./admission.js";
import { AnswerText } from "./answer-text.js";
import { attemptOf, endingOf, type OpenStream, succeeded } from "./attempt.js";
import { ClientDisconnected } from "./cancellation.js";
import type { RequestAccounting } from "./settle.js";
import { brokenOffError } from "./upstream-errors.js";

export interface StreamedAnswerDependencies {
  readonly deployment: Deployment;
  readonly stream: OpenStream;
  readonly admission: Admission;
  readonly accounting: RequestAccounting;
  /** Most of the answer's text that is kept for its trace, in UTF-16 units. */
  readonly maxTextCharacters: number;
  /** For the texts of all streams. */
  readonly room: TextRoom;
  readonly clock: Clock;
}

type Batch = readonly ChatChunk[];

/**
 * The rest of a stream after its first content. It ends the request's accounting exactly once: when the upstream is done,
 * when it breaks off, when the reader stops early, or when the request is cancelled: then in the same tick, even with no reader.
 */
export class StreamedAnswer implements AsyncIterableIterator<Batch> {
  /** Chunks that arrived with the first content; empty once they are passed on. */
  #first: Batch;
  readonly #text: AnswerText;
  #tokens: TokenUsage | null = null;
  #usage: Usage | null = null;
  /** The longest so far. */
  #silenceMs = 0;
  #ended = false;
  #brokenBy: unknown;

  constructor(private readonly dependencies: StreamedAnswerDependencies) {
    this.#text = new AnswerText(dependencies.maxTextCharacters, dependencies.room);
    this.#first = this.#chunksOf(dependencies.stream.held);
    dependencies.stream.call.onCancel((reason) => this.#breakOff(reason));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Batch, undefined>> {
    while (!this.#ended) {
      const chunks = this.#first.length > 0 ? this.#takeFirst() : await this.#pull();
      if (chunks.length > 0) return { done: false, value: chunks };
    }
    if (this.#brokenBy !== undefined) throw this.#brokenBy;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Batch, undefined>> {
    this.dependencies.stream.call.cancel(new ClientDisconnected());
    return { done: true, value: undefined };
  }

  /** @throws Error before the stream has ended successfully */
  usage(): Usage {
    if (this.#usage === null) throw new Error("usage is known once the stream has ended");
    return this.#usage;
  }

  #takeFirst(): Batch {
    const first = this.#first;
    this.#first = [];
    return first;
  }

  /** The next chunks of the upstream; none once the stream has ended. */
  async #pull(): Promise<Batch> {
    const { stream, clock } = this.dependencies;
    try {
      stream.call.allow(stream.idle, "more of its answer");
      const sinceMs = clock();
      const next = await stream.rest.next();
      this.#silenceMs = Math.max(this.#silenceMs, clock() - sinceMs);
      stream.call.pause();
      if (this.#ended) return [];
      if (next.done !== true) return this.#chunksOf(next.value);
      await this.#complete();
    } catch (error) {
      this.#breakOff(error);
    }
    return [];
  }

  #chunksOf(events: readonly StreamEvent[]): Batch {
    const chunks: ChatChunk[] = [];
    for (const { chunk, usage } of events) {
      if (usage !== null) this.#tokens = usage;
      if (chunk === null) continue;
      this.#text.addChunk(chunk);
      chunks.push(chunk);
    }
    return chunks;
  }

  async #complete(): Promise<void> {
    this.#ended = true;
    const { deployment, stream, admission, accounting, clock } = this.dependencies;
    stream.call.end();
    const { startedMs } = stream.call;
    const tokens = this.#tokens?.completionTokens;
    admission.succeeded(stream.firstContentMs - startedMs, {
      counted: tokens === undefined ? undefined : { tokens, totalMs: clock() - startedMs },
      silenceMs: this.#silenceMs,
    });
    accounting.ended(succeeded(deployment, stream.call, clock));
    try {
      this.#usage = await this.#measured("client");
      accounting.answered(deployment, { usage: this.#usage, text: this.#text, tokens: this.#tokens });
    } catch (error) {
      this.#brokenBy = error;
      accounting.failed(error, { usage: null, text: this.#text });
    }
    this.#text.release();
  }

  /** Ends the stream early; only the first reason counts. */
  #breakOff(reason: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    const { deployment, stream, admission, accounting, clock } = this.dependencies;
    stream.call.drop();
    stream.rest.return?.().catch(ignored);
    const fault = reason instanceof ProviderFault ? reason : null;
    this.#tokens = fault?.usage ?? this.#tokens;
    if (fault === null) admission.released();
    else admission.failed(fault);
    const ending = { ...endingOf(reason), clock };
    accounting.ended(attemptOf(deployment, stream.call, ending));
    this.#brokenBy = fault === null ? reason : brokenOffError(fault, accounting.attempts);
    this.#closeBroken();
  }

  #closeBroken(): void {
    const close = (usage: Usage | null): void => {
      this.dependencies.accounting.failed(this.#brokenBy, { usage, text: this.#text });
      this.#text.release();
    };
    const usage = this.#measured("no one");
    // A count that fails must not cost the trace.
    if (usage instanceof Promise) void usage.then(close, () => close(null));
    else close(usage);
  }

  /** @param who waits for it: no one for the part of an answer that broke off */
  #measured(who: "client" | "no one"): Usage | Promise<Usage> {
    const { deployment, stream, accounting } = this.dependencies;
    const { firstContentMs } = stream;
    return accounting.measured({ deployment, tokens: this.#tokens, text: this.#text, firstContentMs }, who);
  }
}

/** Errors of an upstream that was already aborted. */
const ignored = (): void => {};
