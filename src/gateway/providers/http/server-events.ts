import { ProviderFault } from "../provider.js";

/** One server-sent event. */
export interface ServerEvent {
  /** The `event` field; null when there was none. */
  readonly event: string | null;
  /** Its `data` lines, joined by line feeds. */
  readonly data: string;
}

/** Whether a text begins as a stream of events does. */
export const isEvents = (text: string): boolean => /^\uFEFF?\s*(?:data|event|id|retry)?:/.test(text);

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Reads a stream of server-sent events from bytes, in pieces cut anywhere, as the HTML standard says: lines end in `\n`,
 * `\r\n` or `\r`, `data` lines add up, comments and unknown fields are skipped, an event without data is none, and what
 * the stream ends in the middle of is none either.
 *
 * Line ends are single bytes in UTF-8, so pieces are cut after the last line end and decoded once: no character is ever
 * cut in two, and a piece without a line end is only kept.
 */
export class ServerEventParser {
  /** Bytes after the last line end, in the pieces they came in. */
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #data: string | null = null;
  #event: string | null = null;
  #started = false;
  /** The last piece ended in `\r`: a `\n` right after it belongs to the same line end. */
  #afterReturn = false;

  /** @param maxEventBytes longest line in bytes, and most data of one event in UTF-16 code units */
  constructor(private readonly maxEventBytes: number) {}

  /**
   * Appends the events that `piece` completes to `events`.
   *
   * @throws ProviderFault `reply_too_large` when an event is larger than the limit
   */
  read(piece: Buffer, events: ServerEvent[]): void {
    if (piece.length === 0) return;
    const start = this.#afterReturn && piece[0] === LINE_FEED ? 1 : 0;
    this.#afterReturn = false;
    const lastReturn = piece.lastIndexOf(CARRIAGE_RETURN);
    const end = Math.max(piece.lastIndexOf(LINE_FEED), lastReturn) + 1;
    if (end <= start) {
      this.#keep(start === 0 ? piece : piece.subarray(start));
      return;
    }
    const text = this.#decode(piece, start, end);
    if (end < piece.length) this.#keep(piece.subarray(end));
    else this.#afterReturn = lastReturn === end - 1;
    if (lastReturn < 0) this.#readLines(text, events);
    else this.#readLines(text.replace(/\r\n?/g, "\n"), events);
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#tail.push(bytes);
    this.#tailBytes += bytes.length;
    this.#checkSize(this.#tailBytes);
  }

  /** Whole lines: the tail and `piece` from `start` to `end`. */
  #decode(piece: Buffer, start: number, end: number): string {
    let text: string;
    if (this.#tailBytes === 0) text = piece.toString("utf8", start, end);
    else {
      this.#tail.push(piece.subarray(start, end));
      text = Buffer.concat(this.#tail).toString("utf8");
      this.#tail = [];
      this.#tailBytes = 0;
    }
    if (this.#started) return text;
    this.#started = true;
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  }

  /** @param text lines that all end in `\n` */
  #readLines(text: string, events: ServerEvent[]): void {
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      if (end > start) this.#readLine(text, start, end);
      else this.#complete(events);
      start = end + 1;
    }
  }

  #readLine(text: string, start: number, end: number): void {
    if (text.startsWith("data", start)) {
      const value = valueAfter(text, start + 4, end);
      if (value === null) return;
      this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
      this.#checkSize(this.#data.length);
    } else if (text.startsWith("event", start)) {
      const value = valueAfter(text, start + 5, end);
      if (value !== null) this.#event = value === "" ? null : value;
    }
  }

  #complete(events: ServerEvent[]): void {
    if (this.#data !== null) events.push({ event: this.#event, data: this.#data });
    this.#data = null;
    this.#event = null;
  }

  #checkSize(size: number): void {
    if (size <= this.maxEventBytes) return;
    const what = `the provider sent a stream event of more than ${this.maxEventBytes} bytes`;
    throw new ProviderFault("reply_too_large", what);
  }
}

/**
 * The value of a field whose name ends at `at`: after a colon and at most one space, empty without a colon. Null when the
 * name goes on.
 */
function valueAfter(text: string, at: number, end: number): string | null {
  if (at === end) return "";
  if (text[at] !== ":") return null;
  return text.slice(text[at + 1] === " " ? at + 2 : at + 1, end);
}
