import { StringDecoder } from "node:string_decoder";
import type { CancelSignal } from "../../../foundation/cancel-signal.js";
import { ProviderFault, type ReplyHeaders } from "../provider.js";
import { faultOf, type TextReply } from "./fault.js";
import { invalidReply } from "./read-reply.js";

/** What a reply may do to the connection it comes from. */
export interface ConnectionControl {
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

export interface ReplyOptions {
  readonly signal: CancelSignal;
  /** Most bytes of a whole reply, of one event of a stream, and of a stream that waits to be read. */
  readonly maxReplyBytes: number;
  /** Most bytes of a stream, read or not. */
  readonly maxStreamBytes: number;
  /** Milliseconds since the epoch, for `Retry-After` dates. */
  readonly now: () => number;
  readonly seen?: ((headers: ReplyHeaders) => void) | undefined;
}

/** Of the promise of a reply. */
export interface Settle<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/** What is read of an error reply, which only serves to classify faults. */
const MAX_ERROR_BYTES = 65_536;

const PIECE_BYTES = 1_048_576;

const CLOSED = new Error("the connection was closed because its reply is no longer needed");

/**
 * One reply as the connection hands it over, from the moment its request is sent to the reply's end, as one of undici's
 * handlers. A reply with an error status is read whole and becomes a fault; others are up to the subclass.
 */
export abstract class Reply<Result> {
  protected status = 0;
  protected headers: ReplyHeaders = {};
  readonly #onAbort = (): void => this.fail(this.options.signal.reason);
  protected control: ConnectionControl | null = null;
  protected over = false;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Of chunks that were let go of, and how many bytes wait to be read: reading all at the end would hold up everything else. */
  #texts: string[] = [];
  #waiting = 0;
  readonly #decoder = new StringDecoder("utf8");

  constructor(
    protected readonly options: ReplyOptions,
    protected readonly settle: Settle<Result>,
  ) {
    options.signal.addEventListener("abort", this.#onAbort);
  }

  onRequestStart(control: ConnectionControl): void {
    // Thrown before anything was sent, this leaves the connection to the next request.
    if (this.over) throw CLOSED;
    this.control = control;
  }

  onResponseStart(control: ConnectionControl, status: number, headers: ReplyHeaders): void {
    if (status < 200) return;
    this.control = control;
    this.status = status;
    this.headers = headers;
    if (this.ok) this.options.seen?.(headers);
    const encoding = headers["content-encoding"];
    if (encoding !== undefined && encoding !== "identity" && this.ok) {
      this.fail(invalidReply("a compressed reply without being asked to", status));
    } else if (this.ok) this.onSuccess();
  }

  onResponseData(_control: ConnectionControl, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#waiting += chunk.length;
    if (this.#waiting > PIECE_BYTES) this.#decode();
    if (this.ok && this.#bytes > this.options.maxReplyBytes) {
      this.fail(tooLarge(`the provider's reply is larger than ${this.options.maxReplyBytes} bytes`));
    } else if (!this.ok && this.#bytes > MAX_ERROR_BYTES) this.fail(this.#errorStatus());
  }

  onResponseEnd(): void {
    if (this.ok) this.onWhole(this.#reply());
    else this.fail(this.#errorStatus());
  }

  onResponseError(_control: ConnectionControl | undefined, error: Error): void {
    // The fault of an error status is more exact than that of the connection's end after it.
    if (this.status !== 0 && !this.ok) this.fail(this.#errorStatus());
    else
      this.fail(
        connectionFault(error, this.status).with(this.ok ? { partialReply: this.#reply().text } : {}),
      );
  }

  /** A reply with a 2xx status begins. */
  protected onSuccess(): void {}

  /** A reply with a 2xx status was read whole. */
  protected abstract onWhole(reply: TextReply): void;

  /** The call failed; called once. */
  protected onFailure(reason: unknown): void {
    this.settle.reject(reason);
  }

  protected get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** Ends the call with an error. */
  protected fail(reason: unknown): void {
    if (this.over) return;
    this.finish();
    this.close();
    this.onFailure(reason);
  }

  /** From here on the signal and errors are ignored. */
  protected finish(): void {
    this.over = true;
    this.#chunks = [];
    this.#texts = [];
    this.options.signal.removeEventListener("abort", this.#onAbort);
  }

  /** Closes the connection, unless the reply was read to its end. */
  protected close(): void {
    this.control?.abort(CLOSED);
  }

  #decode(): void {
    const [only] = this.#chunks;
    const bytes = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
    this.#texts.push(this.#decoder.write(bytes));
    this.#chunks = [];
    this.#waiting = 0;
  }

  #reply(): TextReply {
    this.#decode();
    this.#texts.push(this.#decoder.end());
    // A sum of texts would be joined when it is first read, in the same turn as all that is read of it.
    return { status: this.status, headers: this.headers, text: this.#texts.join("") };
  }

  #errorStatus(): ProviderFault {
    return faultOf(this.#reply(), { nowMs: this.options.now() });
  }
}

/** A reply of one piece. */
export class WholeReply extends Reply<TextReply> {
  protected override onWhole(reply: TextReply): void {
    this.finish();
    this.settle.resolve(reply);
  }
}

/** Of a reply with a 2xx status. */
export const tooLarge = (message: string): ProviderFault =>
  new ProviderFault("reply_too_large", message, { status: 200 });

/** @param status of the reply that had started, or 0 */
function connectionFault(error: Error, status: number): ProviderFault {
  if (error instanceof ProviderFault) return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const details = { status: status === 0 ? null : status, cause: error };
  const said = /^[A-Z][A-Z0-9_]*$/.test(code) ? ` (${code})` : "";
  if (status !== 0) return new ProviderFault("cut_off", `the provider's answer broke off${said}`, details);
  if (error.name === "HTTPParserError" || code === "UND_ERR_HEADERS_OVERFLOW") {
    return new ProviderFault("invalid_reply", "the provider's reply is not HTTP", details);
  }
  if (code === "UND_ERR_CONNECT_TIMEOUT") {
    return new ProviderFault("timeout", "connecting to the provider took too long", details);
  }
  return new ProviderFault("connection_error", `no connection to the provider${said}`, details);
}
