import type { Clock } from "../../foundation/timers.js";
import type { RequestSpan } from "../run/request.js";

/** The head of an HTTP request, as its span begins with it. */
export interface SpanRequest {
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern; undefined where there is none. */
  readonly route: string | undefined;
  /** May carry the caller's trace, in `traceparent` and `tracestate`. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** On the monotonic clock. */
  readonly arrivedMs: number;
  /** The same moment in milliseconds since the epoch. */
  readonly createdAtMs: number;
}

/** How an HTTP request ended. */
export interface EndedReply {
  readonly status: number;
  /** Code of the error that the client was told; empty without one. */
  readonly code: string;
}

/** The span of one HTTP request. */
export interface ServerSpan extends RequestSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The connection is done with the request. The span ends when the work is finished too. */
  replied(reply: EndedReply): void;
}

/** Makes spans of requests and exports them. */
export interface Telemetry {
  startRequest(request: SpanRequest): ServerSpan;
  /** Exports what is left, as long as the exporter's time limit lets it. Never rejects. */
  close(): Promise<void>;
}

export interface TelemetryLog {
  warn(details: Readonly<Record<string, unknown>>, message: string): void;
}

export interface TelemetrySources {
  /** OpenTelemetry's own variables, `.env` read into it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The monotonic clock of requests. */
  readonly clock: Clock;
  readonly log: TelemetryLog;
  /** Key of a request's metadata whose value names its conversation. */
  readonly conversationKey: string;
  /** Whether texts are redacted on their way to the store: spans, which end before, then never have any. */
  readonly isRedacted: boolean;
}
