import type { ReplyHeaders } from "../provider.js";
import type { TextReply } from "./fault.js";
import { readReplyObject } from "./read-reply.js";
import { type ConnectionControl, Reply, type ReplyOptions, type Settle, tooLarge } from "./reply.js";
import { isEvents, type ServerEvent, ServerEventParser } from "./server-events.js";

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
   * if the reply ends within three seconds, as it usually does, and is closed otherwise.
   */
  release(): void;
  /**
   * For a reader that has the whole answer: what does not come within three seconds from the first call on, such as a count, is
   * not waited for. Some servers send neither an end nor anything else but comments:
   * https://github.com/maximhq/bifrost/issues/6784 (2026-09-03).
   */
  expectEnd(): void;
}

/** Most bytes that wait to be read; beyond that, the connection is paused. */
const MAX_WAITING_BYTES = 65_536;
/** Long enough for a count that comes late; a guess. */
const END_MS = 3000;

const EMPTY_LINE = Buffer.from("\n\n");

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** A reply that is a stream of events, or whole JSON, which is handed over as one event. */
export class EventReply extends Reply<EventStream> implements EventStream {
  readonly #parser: ServerEventParser;
  /** Null until the reply turned out to be a stream of events. */
  #waiting: ServerEvent[] | null = null;
  #waitingBytes = 0;
  #streamBytes = 0;
  #paused = false;
  #mayPause = false;
  #failure: { readonly reason: unknown } | null = null;
  #wake: (() => void) | null = null;
  #endTimer: NodeJS.Timeout | null = null;
  /** By how it begins, whatever its content type: https://github.com/xiaoliu10/claude-code-router-next/pull/45 (2026-08-25). */
  #hasEvents: boolean | null = null;
  readonly #setWake = (wake: () => void): void => {
    this.#wake = wake;
  };
  readonly #take = (): IteratorResult<EventBatch, undefined> => this.#taken();

  constructor(options: ReplyOptions, settle: Settle<EventStream>) {
    super(options, settle);
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
      this.expectEnd();
      this.finish();
    }
    this.#drop();
    this.#unpause();
  }

  expectEnd(): void {
    if (this.over) return;
    this.#endTimer ??= setTimeout(() => {
      this.finish();
      this.close();
      this.#wakeReader();
    }, END_MS).unref();
  }

  override onResponseData(control: ConnectionControl, chunk: Buffer): void {
    if (this.over) return;
    const start = this.#hasEvents === null ? chunk.toString("utf8", 0, 100) : "";
    this.#hasEvents ??= this.ok && (this.#waiting === null ? isEvents(start) : !/^\s*\{/.test(start));
    if (this.#hasEvents) this.#read(this.#begun(), chunk);
    else super.onResponseData(control, chunk);
  }

  override onResponseEnd(): void {
    if (this.#endTimer !== null) clearTimeout(this.#endTimer);
    if (this.over) return;
    if (this.#waiting === null || this.#hasEvents === false) super.onResponseEnd();
    else {
      // The last event may lack the empty line after it.
      this.#read(this.#waiting, EMPTY_LINE);
      this.finish();
      this.#wakeReader();
    }
  }

  protected override onSuccess(): void {
    const type = this.headers["content-type"];
    // Any other reply may be an error with a 2xx status.
    if (typeof type === "string" && type.toLowerCase().startsWith("text/event-stream")) this.#begun();
  }

  protected override onWhole({ text }: TextReply): void {
    try {
      readReplyObject(text);
    } catch (fault) {
      this.fail(fault);
      return;
    }
    this.#begun().push({ event: null, data: text });
    this.finish();
    this.#wakeReader();
  }

  protected override onFailure(reason: unknown): void {
    if (this.#waiting === null) super.onFailure(reason);
    else {
      this.#failure = { reason };
      this.#wakeReader();
    }
  }

  #begun(): ServerEvent[] {
    if (this.#waiting === null) {
      this.#mayPause = outlivesReply(this.headers);
      this.#waiting = [];
      this.settle.resolve(this);
    }
    return this.#waiting;
  }

  #read(waiting: ServerEvent[], chunk: Buffer): void {
    this.#streamBytes += chunk.length;
    if (this.#streamBytes > this.options.maxStreamBytes) {
      this.fail(tooLarge(`the provider's stream is longer than ${this.options.maxStreamBytes} bytes`));
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
    } else if (this.#waitingBytes > this.options.maxReplyBytes) {
      this.fail(tooLarge(`more than ${this.options.maxReplyBytes} bytes of a stream wait to be read`));
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
    if (batch.length > 0 && this.options.signal.aborted) {
      this.#waiting = [];
      this.#failure = { reason: this.options.signal.reason };
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
