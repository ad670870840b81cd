import { parsedJson } from "../chat.js";
import type { ProviderFault, ReplyHeaders } from "../provider.js";
import { faultInReply, type TextReply } from "./fault.js";
import { invalidReply } from "./read-reply.js";
import { type ConnectionControl, Reply, type ReplyOptions, type Settle, tooLarge } from "./reply.js";
import { type ServerEvent, ServerEventParser } from "./server-events.js";

export type EventBatch = readonly ServerEvent[];

/**
 * The events of one stream, to be iterated once by one reader. A batch holds what has arrived since the last one: the
 * events of one network read for a reader that keeps up. It ends when the reply does, and throws `ProviderFault`
 * `cut_off` when the connection breaks before that; events that came before are handed over first. After an abort it
 * throws the signal's reason and hands nothing over. Leaving the loop early closes the connection.
 */
export interface EventStream extends AsyncIterableIterator<EventBatch, undefined> {
  return(): Promise<IteratorReturnResult<undefined>>;
  /**
   * For a reader that has seen the answer's last event: ends the iteration. The connection is kept for the next request
   * if the reply ends within a second, as it usually does, and is closed otherwise.
   */
  release(): void;
}

/** Most bytes that wait to be read; beyond that, the connection is paused. */
const MAX_WAITING_BYTES = 65_536;
const RELEASE_MS = 1000;

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** A reply that is a stream of events. */
export class EventReply extends Reply<EventStream> implements EventStream {
  readonly #parser: ServerEventParser;
  /** Null until the reply turned out to be a stream of events. */
  #waiting: ServerEvent[] | null = null;
  #waitingBytes = 0;
  readonly #maxStreamBytes: number;
  #streamBytes = 0;
  #paused = false;
  #mayPause = false;
  #failure: { readonly reason: unknown } | null = null;
  #wake: (() => void) | null = null;
  #releaseTimer: NodeJS.Timeout | null = null;
  readonly #setWake = (wake: () => void): void => {
    this.#wake = wake;
  };
  readonly #take = (): IteratorResult<EventBatch, undefined> => this.#taken();

  constructor(options: ReplyOptions, settle: Settle<EventStream>) {
    super(options, settle);
    this.#maxStreamBytes = options.maxStreamBytes;
    this.#parser = new ServerEventParser(options.maxReplyBytes);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<EventBatch, undefined>> {
    if (this.#wake !== null) return Promise.reject(new Error("a batch is being waited for already"));
    if (this.#waiting?.length === 0 && !this.over) {
      // Taken in a later turn of the event loop, when all events of the network read have been parsed.
      return new Promise<void>(this.#setWake).then(this.#take);
    }
    return new Promise((resolve) => resolve(this.#taken()));
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    if (!this.over) {
      this.finish();
      this.close();
    }
    this.#drop();
    return Promise.resolve(DONE);
  }

  release(): void {
    if (!this.over) {
      this.finish();
      this.#releaseTimer = setTimeout(() => this.close(), RELEASE_MS).unref();
    }
    this.#drop();
    this.#unpause();
  }

  override onResponseData(control: ConnectionControl, chunk: Buffer): void {
    if (this.over) return;
    if (this.#waiting === null) super.onResponseData(control, chunk);
    else this.#read(this.#waiting, chunk);
  }

  override onResponseEnd(): void {
    if (this.#releaseTimer !== null) clearTimeout(this.#releaseTimer);
    if (this.over) return;
    if (this.#waiting === null) super.onResponseEnd();
    else {
      this.finish();
      this.#wakeReader();
    }
  }

  protected override onSuccess(): void {
    const type = this.headers["content-type"];
    // Any other reply is read whole, because it may be an error with a 2xx status.
    if (typeof type !== "string" || !type.toLowerCase().startsWith("text/event-stream")) return;
    this.#mayPause = outlivesReply(this.headers);
    this.#waiting = [];
    this.settle.resolve(this);
  }

  protected override onWhole(reply: TextReply): void {
    this.fail(errorInDisguise(reply.text) ?? invalidReply("an answer without a stream", reply.status));
  }

  protected override onFailure(reason: unknown): void {
    if (this.#waiting === null) super.onFailure(reason);
    else {
      this.#failure = { reason };
      this.#wakeReader();
    }
  }

  #read(waiting: ServerEvent[], chunk: Buffer): void {
    this.#streamBytes += chunk.length;
    if (this.#streamBytes > this.#maxStreamBytes) {
      this.fail(tooLarge(`the provider's stream is longer than ${this.#maxStreamBytes} bytes`));
      return;
    }
    try {
      this.#parser.read(chunk, waiting);
    } catch (fault) {
      this.fail(fault);
      return;
    }
    this.#waitingBytes += chunk.length;
    if (waiting.length === 0) return;
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#hold();
    this.#wakeReader();
  }

  /** Whether more bytes wait to be read than allowed. */
  #hold(): void {
    if (this.#mayPause) {
      this.#paused = true;
      this.control?.pause();
    } else if (this.#waitingBytes > this.maxReplyBytes) {
      this.fail(tooLarge(`more than ${this.maxReplyBytes} bytes of a stream wait to be read`));
    }
  }

  #unpause(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.control?.resume();
  }

  #wakeReader(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }

  #taken(): IteratorResult<EventBatch, undefined> {
    const batch = this.#waiting ?? [];
    if (batch.length > 0 && this.signal.aborted) {
      this.#waiting = [];
      this.#failure = { reason: this.signal.reason };
    } else if (batch.length > 0) {
      this.#waiting = [];
      this.#waitingBytes = 0;
      // Reads on at once, into the new list.
      this.#unpause();
      return { done: false, value: batch };
    }
    const failure = this.#failure;
    this.#failure = null;
    if (failure !== null) throw failure.reason;
    return DONE;
  }

  #drop(): void {
    this.#waiting = [];
    this.#failure = null;
    this.#wakeReader();
  }
}

/**
 * Whether the connection stays open after the reply, by its headers.
 *
 * undici 7 fails an assertion outside of every handler, which ends the process, when a connection that is to be closed
 * after its reply ends while it is paused (its issue 5360, mended in 8, which needs Node 22). Such a reply is not paused;
 * what waits of it is limited instead.
 */
function outlivesReply({ connection = "keep-alive", "transfer-encoding": encoding }: ReplyHeaders): boolean {
  return (
    encoding === "chunked" && typeof connection === "string" && connection.toLowerCase() === "keep-alive"
  );
}

/** Some providers answer a request for a stream with a 2xx status and a JSON error. */
function errorInDisguise(text: string): ProviderFault | null {
  const body = parsedJson(text);
  return typeof body === "object" && body !== null && "error" in body ? faultInReply(body) : null;
}
