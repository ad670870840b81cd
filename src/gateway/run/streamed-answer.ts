import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { TextRoom } from "../../foundation/bounded-text.js";
import type { Clock } from "../../foundation/timers.js";
import { type ChatChunk, isJsonObject } from "../providers/chat.js";
import { ProviderFault, type StreamEvent } from "../providers/provider.js";
import type { TokenUsage } from "../providers/token-usage.js";
import type { Usage } from "../traces/trace.js";
import { AnswerText } from "./answer-text.js";
import { attemptOf, endingOf, type OpenStream, succeeded } from "./attempt.js";
import { ClientDisconnected } from "./cancellation.js";
import type { Admission } from "./health.js";
import type { Generation, RunningRequest } from "./settle.js";
import { brokenOff, type FollowedRun } from "./stored-response-calls.js";
import { brokenOffError } from "./upstream-errors.js";

export interface StreamedAnswerDependencies {
  readonly deployment: Deployment;
  readonly stream: OpenStream;
  readonly admission: Admission;
  readonly running: RunningRequest;
  /** Most of the answer's text that is kept for its trace, in UTF-16 units. */
  readonly maxTextCharacters: number;
  /** For the texts of all streams. */
  readonly room: TextRoom;
  readonly clock: Clock;
}

type Batch = readonly ChatChunk[];

/**
 * The rest of a stream after its first content. It settles the request exactly once: when the upstream is done,
 * when it breaks off, when the reader stops early, or when the request is cancelled: then in the same tick, even with no reader.
 */
export class StreamedAnswer implements AsyncIterableIterator<Batch> {
  /** Chunks that arrived with the first content; empty once they are passed on. */
  #first: Batch;
  readonly #text: AnswerText;
  #tokens: TokenUsage | null = null;
  #usage: Usage | null = null;
  /** Undefined unless the stream has the events of a run in the background that has not ended. */
  #run: FollowedRun | undefined;
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
    for (const { chunk, usage, isRunning } of events) {
      if (usage !== null) this.#tokens = usage;
      if (chunk === null) continue;
      if (isRunning === true) this.#run = runAfter(chunk, this.#run);
      this.#text.addChunk(chunk);
      chunks.push(chunk);
    }
    return chunks;
  }

  async #complete(): Promise<void> {
    this.#ended = true;
    const { deployment, stream, admission, running } = this.dependencies;
    stream.call.end();
    const { startedMs, elapsedMs: totalMs } = stream.call;
    const tokens = this.#tokens?.completionTokens;
    const firstContentMs = stream.firstContentMs - startedMs;
    // A run in the background waits in a queue, which says nothing of the speed of its provider.
    const isRun = stream.held.some(({ isRunning }) => isRunning === true);
    admission.succeeded(
      isRun
        ? { firstContentMs }
        : {
            firstContentMs,
            counted: tokens === undefined ? undefined : { tokens, totalMs },
            silenceMs: this.#silenceMs,
          },
    );
    running.ended(succeeded(deployment, stream.call));
    try {
      this.#usage = await running.answered(this.#generation());
    } catch (error) {
      this.#brokenBy = error;
      running.failed(error, { usage: null, text: this.#text });
    }
  }

  /** Ends the stream early; only the first reason counts. */
  #breakOff(reason: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    const { deployment, stream, admission, running } = this.dependencies;
    stream.call.drop();
    stream.rest.return?.().catch(ignored);
    const fault = reason instanceof ProviderFault ? reason : null;
    this.#tokens = fault?.usage ?? this.#tokens;
    if (fault === null) admission.released();
    else admission.failed(fault);
    running.ended(attemptOf(deployment, stream.call, endingOf(reason)));
    if (this.#run !== undefined) this.#brokenBy = brokenOff(reason, this.#run);
    else this.#brokenBy = fault === null ? reason : brokenOffError(fault, running.attempts);
    running.brokeOff(this.#brokenBy, this.#generation());
  }

  #generation(): Generation {
    const { firstContentMs } = this.dependencies.stream;
    return { tokens: this.#tokens, text: this.#text, firstContentMs };
  }
}

/** Its first event names it, the last has the answer. */
function runAfter({ native, choices }: ChatChunk, before: FollowedRun | undefined): FollowedRun | undefined {
  const response = native?.response;
  const id = isJsonObject(response) ? response.id : before?.id;
  return typeof id === "string" && choices.length === 0 ? { id, last: native?.sequence_number } : undefined;
}

/** Errors of an upstream that was already aborted. */
const ignored = (): void => {};
