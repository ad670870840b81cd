import { ProviderFault, type StreamBatches, type StreamEvent } from "../provider.js";
import type { EventBatch, EventStream } from "./event-stream.js";
import { type FailedReplyOptions, readReplyObject, reportedFault } from "./read-reply.js";
import type { ServerEvent } from "./server-events.js";

/** Translates the events of one stream from a dialect. Holds the state of one answer. */
export interface StreamTranslator {
  /**
   * Appends what the event means, if anything, to `events`.
   *
   * @returns `finished` when it was the answer's last event, so that no other is waited for
   * @throws ProviderFault for an event that reports an error or cannot be read
   */
  read(event: ServerEvent, events: StreamEvent[]): "more" | "finished";
  /** Whether the answer is complete if nothing follows. */
  readonly complete: boolean;
}

type Batch = readonly StreamEvent[];

/**
 * A dialect's stream as `Provider` returns it. Events before an error are handed over before it is thrown. A stream
 * that ends or breaks before its answer is complete throws `cut_off`; one that breaks after that has simply ended.
 */
export function translatedStream(
  events: EventStream,
  translator: StreamTranslator,
  failures: FailedReplyOptions,
): StreamBatches {
  const iterator = new TranslatedStream(events, translator, failures);
  return { [Symbol.asyncIterator]: () => iterator };
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

class TranslatedStream implements AsyncIterator<Batch, undefined> {
  readonly #source: EventStream;
  readonly #translator: StreamTranslator;
  readonly #failures: FailedReplyOptions;
  #finished = false;
  #failure: { readonly reason: unknown } | null = null;

  constructor(source: EventStream, translator: StreamTranslator, failures: FailedReplyOptions) {
    this.#source = source;
    this.#translator = translator;
    this.#failures = failures;
  }

  next(): Promise<IteratorResult<Batch, undefined>> {
    const failure = this.#failure;
    this.#failure = null;
    if (failure !== null) return Promise.reject(failure.reason);
    if (this.#finished) return Promise.resolve(DONE);
    return this.#source.next().then(this.#translate, this.#onFailure);
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.#finished = true;
    this.#failure = null;
    return this.#source.return();
  }

  readonly #translate = (
    result: IteratorResult<EventBatch, undefined>,
  ): IteratorResult<Batch, undefined> | Promise<IteratorResult<Batch, undefined>> => {
    if (result.done === true) return this.#end();
    const events: StreamEvent[] = [];
    this.#readAll(result.value, events);
    return events.length > 0 ? { done: false, value: events } : this.next();
  };

  #readAll(batch: EventBatch, events: StreamEvent[]): void {
    try {
      for (const event of batch) {
        if (this.#translator.read(event, events) === "more") continue;
        this.#finished = true;
        this.#source.release();
        return;
      }
    } catch (reason) {
      this.#finished = true;
      this.#failure = { reason: reportedFault(reason, this.#failures) };
      void this.#source.return();
    }
  }

  #end(): IteratorResult<Batch, undefined> {
    if (this.#finished || this.#translator.complete) return DONE;
    this.#finished = true;
    throw new ProviderFault("cut_off", "the provider's answer ended before it was finished", { status: 200 });
  }

  readonly #onFailure = (reason: unknown): IteratorResult<Batch, undefined> => {
    this.#finished = true;
    if (reason instanceof ProviderFault && reason.code === "cut_off" && this.#translator.complete)
      return DONE;
    throw reason;
  };
}

/** A translator whose every event becomes one chunk that carries the event itself, for a client that speaks its API. */
export class NativeStream implements StreamTranslator {
  readonly #translator: StreamTranslator;

  constructor(translator: StreamTranslator) {
    this.#translator = translator;
  }

  get complete(): boolean {
    return this.#translator.complete;
  }

  read(event: ServerEvent, events: StreamEvent[]): "more" | "finished" {
    const translated: StreamEvent[] = [];
    const state = this.#translator.read(event, translated);
    const choices = translated.flatMap(({ chunk }) => chunk?.choices ?? []);
    const usage = translated.findLast((one) => one.usage !== null)?.usage ?? null;
    events.push({ chunk: { choices, native: readReplyObject(event.data) }, usage });
    return state;
  }
}
