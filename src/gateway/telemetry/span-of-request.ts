import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace as traces,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { RoutingBody } from "../../engine/router/routing-body.js";
import type { Clock } from "../../foundation/timers.js";
import type { Trace } from "../traces/trace.js";
import {
  type CallOptions,
  callAttributes,
  callName,
  decisionAttributes,
  outcomeAttributes,
} from "./attributes.js";
import type { EndedReply, ServerSpan, SpanRequest } from "./telemetry.js";

const propagator = new W3CTraceContextPropagator();

const GETTER = {
  keys: (headers: Readonly<Record<string, unknown>>) => Object.keys(headers),
  get: (headers: Readonly<Record<string, unknown>>, name: string) => {
    const value = headers[name];
    return typeof value === "string" ? value : undefined;
  },
};

const SETTER = {
  set: (headers: Record<string, string>, name: string, value: string) => {
    headers[name] = value;
  },
};

interface StartedCall {
  readonly span: Span;
  readonly startedMs: number;
  readonly attemptIndex: number;
}

interface SpanOptions extends Pick<CallOptions, "withContent"> {
  /** Key of the metadata that names a conversation. */
  readonly conversationKey: string;
  readonly tracer: Tracer;
  readonly clock: Clock;
}

/** One HTTP request as a server span, with a child for each part of its work and each upstream call. */
export class SpanOfRequest implements ServerSpan {
  readonly #span: Span;
  readonly #context: Context;
  readonly #calls: StartedCall[] = [];
  #isWorking = false;
  #reply: (EndedReply & { readonly atMs: number }) | undefined;

  constructor(
    private readonly request: SpanRequest,
    private readonly options: SpanOptions,
  ) {
    const { method, route, requestId } = request;
    const parent = propagator.extract(ROOT_CONTEXT, request.headers, GETTER);
    const attributes: Attributes = { "http.request.method": method, "sextant.request_id": requestId };
    if (route !== undefined) attributes["http.route"] = route;
    this.#span = options.tracer.startSpan(
      route === undefined ? method : `${method} ${route}`,
      { kind: SpanKind.SERVER, startTime: request.createdAtMs, attributes },
      parent,
    );
    this.#context = traces.setSpan(parent, this.#span);
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  accepted(): void {
    this.#isWorking = true;
  }

  part(name: string, startMs: number): void {
    this.#child(name, { context: this.#context, startMs, endMs: this.options.clock() });
  }

  decided(routing: RoutingBody, startMs: number): void {
    const endMs = this.options.clock();
    const attributes = decisionAttributes(routing);
    const span = this.#child("route", { context: this.#context, startMs, endMs, attributes });
    const context = traces.setSpan(this.#context, span);
    const { embed, search, score } = routing.timings_ms;
    let from = startMs;
    for (const [name, ms] of Object.entries({ embed, search, score })) {
      this.#child(name, { context, startMs: from, endMs: from + ms });
      from += ms;
    }
  }

  callStarted(deployment: Deployment, attemptIndex: number): Readonly<Record<string, string>> {
    const startedMs = this.options.clock();
    const options = { kind: SpanKind.CLIENT, startTime: this.#epochMs(startedMs) };
    const span = this.options.tracer.startSpan(deployment.upstreamModel, options, this.#context);
    this.#calls.push({ span, startedMs, attemptIndex });
    const headers: Record<string, string> = {};
    propagator.inject(traces.setSpan(this.#context, span), headers, SETTER);
    return headers;
  }

  finished(trace: Trace | null): void {
    this.#isWorking = false;
    if (trace !== null) {
      for (const call of this.#calls) this.#endCall(call, trace);
      this.#span.setAttributes(outcomeAttributes(trace));
    }
    this.#endIfDone();
  }

  replied(reply: EndedReply): void {
    this.#reply = { ...reply, atMs: this.options.clock() };
    this.#endIfDone();
  }

  #endCall({ span, startedMs, attemptIndex }: StartedCall, trace: Trace): void {
    const attempt = trace.attempts[attemptIndex];
    if (attempt === undefined) return;
    span.updateName(callName(trace, attempt));
    const { conversationKey, withContent } = this.options;
    const conversation = trace.metadata[conversationKey];
    span.setAttributes(callAttributes(trace, attemptIndex, { conversation, withContent }));
    if (attempt.code !== "ok") span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(this.#epochMs(startedMs + attempt.latency_ms));
  }

  /** The work may go on after a client has left: what it used is counted. */
  #endIfDone(): void {
    if (this.#isWorking || this.#reply === undefined) return;
    const { status, code, atMs } = this.#reply;
    this.#span.setAttribute("http.response.status_code", status);
    if (code !== "") this.#span.setAttribute("error.type", code);
    if (status >= 500) this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.end(this.#epochMs(atMs));
  }

  #child(name: string, { context, startMs, endMs, attributes = {} }: Part): Span {
    const startTime = this.#epochMs(startMs);
    const span = this.options.tracer.startSpan(name, { startTime, attributes }, context);
    span.end(this.#epochMs(endMs));
    return span;
  }

  #epochMs(atMs: number): number {
    return this.request.createdAtMs + (atMs - this.request.arrivedMs);
  }
}

interface Part {
  readonly context: Context;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes?: Attributes;
}
