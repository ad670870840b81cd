import type { ChatCompletion } from "../chat.js";
import { ProviderFault, type StreamBatches, type StreamEvent } from "../provider.js";
import type { TokenUsage } from "../token-usage.js";
import type { EventBatch, EventStream } from "./event-stream.js";
import {
  cutOff,
  type FailedReplyOptions,
  type ObjectEvent,
  type OwnObject,
  objectEvent,
  reportedFault,
} from "./read-reply.js";

export interface WholeAnswer {
  readonly completion: ChatCompletion;
  /** Null when the provider sent none. */
  readonly usage: TokenUsage | null;
}

/** Translates the events of one stream from a dialect. Holds the state of one answer. */
export interface StreamTranslator {
  /**
   * Appends what the event means, if anything, to `events`.
   *
   * @returns `finished` when it was the answer's last event, so that no other is waited for
   * @throws ProviderFault for an event that reports an error or cannot be read
   */
  read(event: ObjectEvent, events: StreamEvent[]): "more" | "finished";
  /** Whether the answer is complete if nothing follows. */
  readonly complete: boolean;
  /** A whole answer that needs no repair; null for any other. */
  asWritten?(reply: OwnObject): WholeAnswer | null;
  /** Appends what was held back until nothing more comes. Called once, for a complete answer. */
  end?(events: StreamEvent[]): void;
}

type Batch = readonly StreamEvent[];

/** Reads events until the answer's last one. @throws as `StreamTranslator.read`, after those before were appended */
export function readEvents(
  batch: EventBatch,
  { translator, events }: { readonly translator: StreamTranslator; readonly events: StreamEvent[] },
): "more" | "finished" {
  for (const event of batch) {
    const read = objectEvent(event);
    if (read !== null && translator.read(read, events) === "finished") return "finished";
  }
  return "more";
}

/**
 * A dialect's stream as `Provider` returns it. Events before an error are handed over before it is thrown. A stream
 * that ends or breaks before its answer is complete throws `cut_off`; nothing that follows a complete answer can fail it.
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
  #finished = false;
  #failure: { readonly reason: unknown } | null = null;

  constructor(
    private readonly source: EventStream,
    private readonly translator: StreamTranslator,
    private readonly failures: FailedReplyOptions,
  ) {}

  next(): Promise<IteratorResult<Batch, undefined>> {
    const failure = this.#failure;
    this.#failure = null;
    if (failure !== null) return Promise.reject(failure.reason);
    if (this.#finished) return Promise.resolve(DONE);
    return this.source.next().then(this.#translate, this.#onFailure);
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.#finished = true;
    this.#failure = null;
    return this.source.return();
  }

  readonly #translate = ({ done, value: batch }: IteratorResult<EventBatch, undefined>) => {
    const events: StreamEvent[] = [];
    try {
      if (done === true) throw cutOff();
      const state = readEvents(batch, { translator: this.translator, events });
      if (state === "finished") this.#finish(events);
      else if (this.translator.complete) this.source.expectEnd();
    } catch (reason) {
      this.#fail(reason, events);
    }
    return this.#handedOver(events);
  };

  readonly #onFailure = (reason: unknown) => {
    const events: StreamEvent[] = [];
    this.#fail(reason, events);
    return this.#handedOver(events);
  };

  #handedOver(value: Batch): IteratorResult<Batch, undefined> | Promise<IteratorResult<Batch, undefined>> {
    return value.length > 0 ? { done: false, value } : this.next();
  }

  #finish(events: StreamEvent[]): void {
    this.#finished = true;
    this.translator.end?.(events);
    this.source.release();
  }

  #fail(reason: unknown, events: StreamEvent[]): void {
    if (this.#finished) return;
    if (reason instanceof ProviderFault && this.translator.complete) {
      this.#finish(events);
      return;
    }
    this.#finished = true;
    this.#failure = { reason: reportedFault(reason, this.failures) };
    void this.source.return();
  }
}

/** A translator whose every event becomes one chunk that carries the event itself, for a client that speaks its API. */
export class NativeStream implements StreamTranslator {
  constructor(private readonly translator: StreamTranslator) {}

  get complete(): boolean {
    return this.translator.complete;
  }

  read(event: ObjectEvent, events: StreamEvent[]): "more" | "finished" {
    const translated: StreamEvent[] = [];
    const state = this.translator.read(event, translated);
    const { body } = event;
    // A whole answer in place of its events is no event.
    if (typeof body.type !== "string") {
      events.push(...translated);
      return state;
    }
    const choices = translated.flatMap(({ chunk }) => chunk?.choices ?? []);
    const usage = translated.findLast((one) => one.usage !== null)?.usage ?? null;
    events.push({ chunk: { choices, native: body }, usage });
    return state;
  }

  end(events: StreamEvent[]): void {
    this.translator.end?.(events);
  }
}
