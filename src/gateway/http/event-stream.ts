import type { OutgoingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";
import { withoutMarks } from "../../foundation/exact-numbers.js";

/**
 * A comment, without the empty line that ends an event: openai-go before 3.43 takes that for an event without data
 * (https://github.com/maximhq/bifrost/issues/5874, 2026-08-05).
 */
const KEEP_ALIVE = ": keep-alive\n";

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  // Proxies such as nginx would otherwise hold events back until they have a page of them.
  "x-accel-buffering": "no",
} as const;

export interface EventStreamOptions {
  /** Silence after which `keepAlive` keeps the connection open, also before the first event. */
  readonly keepAliveMs: number;
  /** Text that no client takes for an event of the answer; default a comment. */
  readonly keepAlive?: string | undefined;
  readonly startTimer: StartTimer;
}

/**
 * A reply of server-sent events. Until it is opened, the request can still be answered in any other way; keeping the
 * connection alive opens it.
 *
 * Nothing is buffered here: a `write` that returns false asks to wait for `drained` before the next.
 */
export class EventResponse {
  readonly #reply: FastifyReply;
  readonly #timer: Timer;
  readonly #keepAliveText: string;
  #opened = false;
  #ended = false;
  #resume: (() => void) | undefined;

  constructor(reply: FastifyReply, options: EventStreamOptions) {
    const { keepAliveMs, keepAlive = KEEP_ALIVE, startTimer } = options;
    this.#reply = reply;
    this.#keepAliveText = keepAlive;
    this.#timer = startTimer(() => this.#keepAlive(), keepAliveMs);
    reply.raw.once("close", () => this.#stop());
  }

  /** Whether the status line has been sent: failures must then be told within the stream. */
  get opened(): boolean {
    return this.#opened;
  }

  /** Whether no reader is left: the stream was ended, or the client went away. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Sends status 200 and the headers of the reply. Only the first call does anything. */
  open(): void {
    if (this.#opened) return;
    this.#opened = true;
    const { raw } = this.#reply.hijack();
    raw.writeHead(200, this.#reply.headers(HEADERS).getHeaders() as OutgoingHttpHeaders);
    raw.on("drain", () => this.#drain());
  }

  /** Sends whole events in one piece. @returns whether the client keeps up */
  write(events: string): boolean {
    if (this.#ended || events === "") return true;
    this.open();
    this.#timer.refresh();
    return this.#reply.raw.write(withoutMarks(events));
  }

  /** Resolves when the client has read what was written, or is gone. Only after a `write` that returned false. */
  drained(): Promise<void> {
    if (this.#ended || !this.#reply.raw.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  /** Sends the last events and ends the reply. */
  end(events: string): void {
    if (this.#ended) return;
    this.open();
    this.#stop();
    this.#reply.raw.end(withoutMarks(events));
  }

  /** Gives the request back, to be answered in another way. Only before the stream is opened. */
  abandon(): void {
    this.#stop();
  }

  #keepAlive(): void {
    if (this.#resume === undefined) this.write(this.#keepAliveText);
    else this.#timer.refresh();
  }

  #drain(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  #stop(): void {
    this.#ended = true;
    this.#timer.stop();
    this.#drain();
  }
}

/** An alarm that can be wound up again. Rings once each time it runs out; never keeps the process alive. */
export interface Timer {
  /** Starts the whole time again, also after it rang. */
  refresh(): void;
  stop(): void;
}

export type StartTimer = (ring: () => void, afterMs: number) => Timer;

export const startTimer: StartTimer = (ring, afterMs) => {
  const timeout = setTimeout(ring, afterMs).unref();
  return { refresh: () => timeout.refresh(), stop: () => clearTimeout(timeout) };
};
