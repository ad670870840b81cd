import type { Reservation } from "../../access/limits/limits.js";
import type { Deployment } from "../../catalog/deployment.js";
import { SextantError } from "../../foundation/errors.js";
import { type Clock, shownMs } from "../../foundation/timers.js";
import type { LengthCorrections } from "../../lengths/length-corrections.js";
import type { ChatBody } from "../../providers/chat.js";
import type { RoutingBody } from "../../router/routing-body.js";
import type { Attempt, Trace, TraceKind, TraceSink, Usage } from "../../traces/trace.js";
import { ClientDisconnected } from "../attempts/client-disconnected.js";
import type { RequestContext } from "../request.js";
import type { AnswerText } from "../text/answer-text.js";
import { conversationText } from "../text/conversation-text.js";
import { type ExpectedLength, observedLength } from "./observed-length.js";

/** What is recorded of the request itself. */
export interface AccountedRequest {
  readonly kind: TraceKind;
  readonly body: ChatBody;
  readonly stream: boolean;
  readonly metadata: Trace["metadata"];
}

export interface RequestAccountingDependencies {
  readonly context: RequestContext;
  readonly reservation: Reservation;
  readonly traces: TraceSink;
  /** Undefined when lengths are not corrected. */
  readonly lengths: Pick<LengthCorrections, "observe"> | undefined;
  readonly clock: Clock;
}

/** What the upstream had generated when the request ended. */
export interface Generated {
  readonly usage: Usage | null;
  readonly text: AnswerText;
}

/**
 * Settles the reservation of one accepted request and records its trace. Exactly one of `answered`, `decided` and `failed`
 * is called, once.
 */
export class RequestAccounting {
  /** Upstream calls so far. */
  readonly attempts: Attempt[] = [];
  /** The decision, once there is one. */
  routing: RoutingBody | null = null;
  /** The length that the decision expected of the model that answers; null when unknown. */
  expectedLength: ExpectedLength | null = null;

  constructor(
    private readonly entry: AccountedRequest,
    private readonly dependencies: RequestAccountingDependencies,
  ) {}

  answered({ provider, model }: Deployment, { usage, text }: Generated): void {
    this.#observeLength(usage);
    this.#close({ model, provider, status: "success", error: null, usage, text });
  }

  /** The request asked for a decision without an answer, and got it. */
  decided(routing: RoutingBody): void {
    this.routing = routing;
    const { selected_model: model, selected_provider: provider } = routing;
    this.#close({ model, provider, status: "success", error: null, usage: null, text: null });
  }

  /**
   * A client error before any upstream call releases the reservation and records no trace (API §3).
   *
   * @param generated what a stream had delivered before it broke off
   */
  failed(error: unknown, generated: Generated | null = null): void {
    const called = this.attempts.findLast(({ code }) => code !== "circuit_open");
    if (called === undefined && error instanceof SextantError && error.status < 500) {
      this.dependencies.reservation.settle(NOTHING);
      return;
    }
    this.#close({
      model: called?.model ?? null,
      provider: called?.provider ?? null,
      status: error instanceof SextantError && error.code === "upstream_timeout" ? "timeout" : "error",
      error: shownError(error),
      usage: generated?.usage ?? null,
      text: generated?.text ?? null,
    });
  }

  #observeLength(usage: Usage | null): void {
    const { entry, expectedLength } = this;
    if (usage === null || expectedLength === null) return;
    const observation = observedLength(expectedLength, { usage, body: entry.body });
    if (observation !== null) this.dependencies.lengths?.observe(observation);
  }

  #close({ usage, text, ...outcome }: Outcome): void {
    const { context, reservation, traces, clock } = this.dependencies;
    const { kind, body, stream, metadata } = this.entry;
    reservation.settle(
      usage === null ? NOTHING : { tokens: usage.total_tokens, costUsd: usage.total_cost_usd },
    );
    traces.record({
      requestId: context.requestId,
      kind,
      source: context.source,
      principal: context.principal.id,
      createdAtMs: context.createdAtMs,
      latencyMs: usage?.latency_ms ?? shownMs(clock() - context.arrivedMs),
      ttftMs: usage?.ttft_ms ?? null,
      streamed: stream,
      finishReason: text?.finishReason ?? null,
      usage,
      attempts: this.attempts,
      routing: this.routing,
      metadata,
      content: traces.wantsContent
        ? { input: conversationText(body.messages), output: text?.output() ?? "" }
        : null,
      ...outcome,
    });
  }
}

interface Outcome extends Pick<Trace, "model" | "provider" | "status" | "error" | "usage"> {
  readonly text: AnswerText | null;
}

const NOTHING = { tokens: 0, costUsd: 0 } as const;

function shownError(error: unknown): NonNullable<Trace["error"]> {
  if (error instanceof SextantError || error instanceof ClientDisconnected) {
    return { code: error.code, message: error.message };
  }
  return { code: "internal_error", message: "Something went wrong inside the server." };
}
