import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { LengthObservation } from "../../engine/lengths/length-corrections.js";
import type { SavedLengths } from "../../engine/lengths/saved-lengths.js";
import type { Candidate, PreviousAnswer } from "../../engine/router/decision.js";
import type { RoutingBody } from "../../engine/router/routing-body.js";
import { SextantError } from "../../foundation/errors.js";
import { type Clock, shownMs } from "../../foundation/timers.js";
import { LimitRefusal } from "../access/limits/limit-replies.js";
import type { Reservation } from "../access/limits/limits.js";
import type { ChatBody } from "../providers/chat.js";
import type { TokenUsage } from "../providers/token-usage.js";
import type { TokenCounter } from "../token-counting/token-counter.js";
import { type BilledCall, billedCalls, costUsdOf, tokensOf } from "../traces/billed-usage.js";
import {
  type Attempt,
  NOT_CALLED,
  type Trace,
  type TraceContent,
  type TraceKind,
  type TraceSink,
  type Usage,
} from "../traces/trace.js";
import type { AnswerText } from "./answer-text.js";
import type { AttemptRecord, UnreportedCall } from "./attempt.js";
import { callerEffort } from "./caller-effort.js";
import { ClientDisconnected } from "./cancellation.js";
import { LAST_RESORT } from "./deployment-order.js";
import { countedTokens, measuredUsage, PromptTokens } from "./measured-usage.js";
import { type PlannedModel, plannedName } from "./planned-models.js";
import type { InferenceRequest, RequestContext } from "./request.js";
import { type CostBaseline, savingsAgainst } from "./savings.js";
import type { AnsweredTurn, AnsweringHost, Turn } from "./sticky-conversations.js";
import { toolLoopOf } from "./tool-loop.js";
import { tracedMessages } from "./traced-messages.js";
import { answerUsage, billingOf, countedUsage, NO_BOUND, type UsageBound } from "./usage.js";
import type { WarmAnswer } from "./warm-host.js";

/** Sees finished answers after their traces were recorded, at once: it must not hold anything up. */
export interface AnswerObserver {
  /** @param answer whose text is put together when it is asked for */
  answered(answer: FinishedAnswer): void;
}

export interface FinishedAnswer {
  readonly trace: Trace;
  readonly request: InferenceRequest;
  readonly text: () => string;
}

/** The recorded facts of the request itself. */
export interface AccountedRequest {
  readonly kind: TraceKind;
  readonly body: ChatBody;
  readonly stream: boolean;
  readonly metadata: Trace["metadata"];
  /** The request, where its answer may be observed. */
  readonly request?: InferenceRequest;
  /** The effort of reasoning that the caller asks for; undefined when it asks for none in particular. */
  readonly effort?: string | undefined;
  /** Most that a call of the deployment can have used. Default: anything. */
  readonly boundOf?: (deployment: Deployment) => UsageBound;
}

export interface RequestAccountingDependencies {
  readonly context: RequestContext;
  readonly reservation: Reservation;
  readonly traces: TraceSink;
  /** Undefined when lengths are not corrected. */
  readonly lengths: Pick<SavedLengths, "observe"> | undefined;
  readonly observer?: AnswerObserver | undefined;
  /** What routed answers are compared with now; undefined without a baseline. */
  readonly baseline?: () => CostBaseline | undefined;
  /** Asked only where a provider counted nothing. */
  readonly counter: TokenCounter;
  /** Counts what no caller waits for. */
  readonly backgroundCounter: TokenCounter;
  readonly clock: Clock;
}

/** An answer, or what came of it. */
export interface Generation {
  readonly deployment: Deployment;
  /** As the provider counted them; null when it did not. */
  readonly tokens: TokenUsage | null;
  readonly text: AnswerText;
  /** When its first content came, by the clock. Default: now, when it is whole. */
  readonly firstContentMs?: number;
}

/** Who answers, and what its decision expected. */
export interface AnsweringDeployment {
  readonly plan: readonly PlannedModel[];
  /** Candidates of the decision; empty without one. */
  readonly candidates: readonly Candidate[];
  /** Most US dollars of all calls together; undefined without such a cap. */
  readonly maxUsd?: number | undefined;
  /** Undefined when the request continues no conversation. */
  readonly turn?: Turn | undefined;
  /** What answered before in that conversation, while its prompt cache lasts. */
  readonly warm?: WarmAnswer | undefined;
}

/** What the upstream had generated when the request ended. */
export interface Generated {
  readonly usage: Usage | null;
  /** Null for embeddings. */
  readonly text: AnswerText | null;
  /** As the provider counted them; null or absent when it did not. */
  readonly tokens?: TokenUsage | null;
}

/**
 * Settles the reservation of one accepted request and records its trace. Exactly one of `answered`, `decided` and `failed`
 * is called, once, unless the request is `postponed`.
 */
export class RequestAccounting implements AttemptRecord {
  readonly #attempts: Attempt[] = [];
  /** Failed calls without reported usage, which is estimated when the request is over. */
  readonly #unreported: UnreportedCall[] = [];
  readonly #prompt: PromptTokens;
  #routing: RoutingBody | null = null;
  /** What was called last. */
  #called: Deployment | undefined;
  /** What that may cost, in dollars, and what all calls before did or may have. */
  #callUsd = 0;
  #calledUsd = 0;
  /** The length that the decision expected of the model that answers; null when unknown. */
  #expectedLength: ExpectedLength | null = null;
  /** Tokens of the context window of the model that answers; null when unknown. */
  #contextTokens: number | null = null;
  /** The answer before in the conversation, where another model or provider gave it. */
  #movedFrom: PreviousAnswer | undefined;
  /** Of the answer, as the provider counted them; null when it did not. */
  #tokens: TokenUsage | null = null;
  /** Where the answer is remembered; null when it continues no conversation. */
  #turn: AnsweredTurn | null = null;

  constructor(
    private readonly entry: AccountedRequest,
    private readonly dependencies: RequestAccountingDependencies,
  ) {
    this.#prompt = new PromptTokens(entry.body, dependencies.counter);
    dependencies.context.span?.accepted(entry.request?.choice.conversation);
  }

  get attempts(): readonly Attempt[] {
    return this.#attempts;
  }

  get spentUsd(): number {
    return this.#calledUsd;
  }

  calling(deployment: Deployment, costUsd: number | null) {
    this.#called = deployment;
    this.#callUsd = costUsd ?? 0;
    return this.dependencies.reservation.reserveCost(this.#calledUsd + this.#callUsd, "refuse");
  }

  called(attempt: Attempt, unreported: UnreportedCall | null = null): void {
    this.#attempts.push(attempt);
    this.#calledUsd += unreported === null ? (attempt.usage?.total_cost_usd ?? 0) : this.#callUsd;
    if (unreported !== null) this.#unreported.push(unreported);
  }

  /** The last call is over: its stream has ended. */
  ended(attempt: Attempt): void {
    // What was said of the call when it began stays.
    this.#attempts[this.#attempts.length - 1] = { ...this.#attempts.at(-1), ...attempt };
  }

  /** The decision, once there is one. */
  get routing(): RoutingBody | null {
    return this.#routing;
  }

  get metadata(): Trace["metadata"] {
    return this.entry.metadata;
  }

  /** Notes the decision. */
  routed(routing: RoutingBody): void {
    this.#routing = routing;
  }

  /** Notes which deployment answers. */
  answering(deployment: Deployment, { plan, candidates, turn }: AnsweringDeployment): void {
    this.#expectedLength = expectedLength(deployment, { plan, candidates });
    this.#contextTokens = deployment.contextTokens;
    const name = plannedName(deployment, plan);
    const previous = turn?.previous;
    const isSame = previous?.model === name && previous.provider === deployment.provider;
    this.#movedFrom = isSame ? undefined : previous;
    this.#turn = turn?.by(name, deployment.provider) ?? null;
  }

  /**
   * Usage and cost as of now: by the provider's count, or else by a tokenizer.
   *
   * @param who waits for it
   * @returns synchronously when the provider counted
   */
  measured(
    { deployment, tokens, text, firstContentMs }: Generation,
    who: "client" | "no one" = "client",
  ): Usage | Promise<Usage> {
    const { clock, context, counter, backgroundCounter } = this.dependencies;
    const latencyMs = clock() - context.arrivedMs;
    return measuredUsage(
      { tokens, model: deployment.upstreamModel, prompt: this.#prompt, text },
      {
        ...billingOf(deployment, tokens),
        bound: this.boundOf(deployment),
        latencyMs,
        ttftMs: firstContentMs === undefined ? latencyMs : firstContentMs - context.arrivedMs,
      },
      { counter: who === "client" ? counter : backgroundCounter },
    );
  }

  boundOf(deployment: Deployment): UsageBound {
    return this.entry.boundOf?.(deployment) ?? NO_BOUND;
  }

  answered({ provider, model }: Deployment, { usage, text, tokens = null }: Generated): void {
    this.#observeLength(usage);
    this.#tokens = tokens;
    this.#turn?.answered(tokens, answeringHost(this.#attempts.at(-1)));
    this.#addUsage(usage);
    this.#close({ model, provider, status: "success", error: null, usage, text });
  }

  /** Records a request for a decision alone. */
  decided(routing: RoutingBody, turn: Turn | undefined): void {
    this.routed(routing);
    const { selected_model: model, selected_provider: provider } = routing;
    turn?.by(model, provider).answered(null);
    this.#close({ model, provider, status: "success", error: null, usage: null, text: null });
  }

  /**
   * Records a failure. A client error before any upstream call releases the reservation and records no trace (API §3).
   *
   * @param generated what a stream had delivered before it broke off
   */
  failed(error: unknown, generated: Generated | null = null): void {
    const called = this.#attempts.findLast(({ code }) => code === "paused" || !NOT_CALLED.has(code));
    if (called === undefined && error instanceof SextantError && isClientError(error)) {
      const { reservation, context } = this.dependencies;
      if (error instanceof LimitRefusal) reservation.refuse(error);
      else reservation.settle(NOTHING);
      context.span?.finished(null);
      return;
    }
    this.#addUsage(generated?.usage ?? null);
    this.#close({
      model: called?.model ?? null,
      // A provider has no part in what an operator paused.
      provider: called === undefined || NOT_CALLED.has(called.code) ? null : called.provider,
      status: error instanceof SextantError && error.code === "upstream_timeout" ? "timeout" : "error",
      error: recordedError(error, this.dependencies.traces.wantsContent),
      usage: generated?.usage ?? null,
      text: generated?.text ?? null,
    });
  }

  /** Leaves the trace and the bill to a later process. */
  postponed(): void {
    this.dependencies.reservation.settle(NOTHING);
    this.dependencies.context.span?.finished(null);
  }

  #observeLength(usage: Usage | null): void {
    const { entry } = this;
    if (usage === null || this.#expectedLength === null) return;
    const observation = observedLength(this.#expectedLength, { usage, body: entry.body });
    if (observation !== null) this.dependencies.lengths?.observe(observation);
  }

  /** Adds usage to the last attempt, which generated the answer. */
  #addUsage(usage: Usage | null): void {
    const last = this.#attempts.at(-1);
    if (usage !== null && last !== undefined) this.ended({ ...last, usage: answerUsage(usage) });
  }

  #close(outcome: Outcome): void {
    const latencyMs =
      outcome.usage?.latency_ms ?? shownMs(this.dependencies.clock() - this.dependencies.context.arrivedMs);
    if (this.#unreported.length === 0) this.#record(outcome, latencyMs);
    else {
      const estimated = this.#unreported.map((call) => this.#estimate(call));
      void Promise.all(estimated).then(() => this.#record(outcome, latencyMs));
    }
  }

  /** Estimates the usage of a failed call. Never rejects: an error in counting must not prevent the trace. */
  async #estimate({ deployment, attempt, generated }: UnreportedCall): Promise<void> {
    const { upstreamModel: model, price } = deployment;
    const text = { generated: () => [...generated], lengthRatio: 1 };
    const counting = countedTokens(
      { model, prompt: this.#prompt, text },
      this.dependencies.backgroundCounter,
    );
    const counted = await counting.catch(() => null);
    if (counted === null) return;
    this.#attempts[this.#attempts.indexOf(attempt)] = { ...attempt, usage: countedUsage(counted, price) };
  }

  #record({ text, ...outcome }: Outcome, latencyMs: number): void {
    const { context, reservation, traces } = this.dependencies;
    const { kind, body, stream, metadata } = this.entry;
    const attempts = this.#attempts;
    const calls = billedCalls({ ...outcome, attempts });
    // Null, which budgets ignore, only when something of unknown price was used.
    reservation.settle({ tokens: tokensOf(calls), costUsd: calls.length === 0 ? 0 : costUsdOf(calls) });
    const { usage } = outcome;
    const trace: Trace = {
      requestId: context.requestId,
      kind,
      source: context.source,
      principal: context.principal.id,
      createdAtMs: context.createdAtMs,
      latencyMs,
      ttftMs: usage?.ttft_ms ?? null,
      streamed: stream,
      finishReason: text?.finishReason ?? null,
      ...this.#effort(outcome.model),
      attempts: traces.wantsContent ? attempts : attempts.map(withoutMessage),
      routing: this.#routing,
      metadata,
      content: traces.wantsContent ? contentOf(body, text) : null,
      ...this.#toolLoop(usage),
      ...this.#savings(outcome, calls),
      ...outcome,
    };
    traces.record(trace);
    context.span?.finished(trace);
    const { request } = this.entry;
    if (request !== undefined && text !== null && trace.status === "success")
      this.dependencies.observer?.answered({ trace, request, text: () => text.output() });
  }

  #savings(
    { status, usage }: Pick<Outcome, "status" | "usage">,
    calls: readonly BilledCall[],
  ): Pick<Trace, "savings"> {
    if (this.#routing === null || status !== "success" || usage === null) return {};
    const baseline = this.dependencies.baseline?.();
    if (baseline === undefined) return {};
    const compared = { usage, tokens: this.#tokens, calls, movedFrom: this.#movedFrom };
    const savings = savingsAgainst(baseline, compared);
    return savings === undefined ? {} : { savings };
  }

  #effort(model: string | null): Pick<Trace, "effort"> {
    const decided = this.#routing?.candidates.find((candidate) => candidate.model === model)?.effort;
    const effort = this.entry.effort ?? decided ?? callerEffort({ body: this.#called?.parameters ?? {} });
    return effort === undefined ? {} : { effort };
  }

  #toolLoop(usage: Usage | null): Pick<Trace, "toolLoop"> {
    const loop = toolLoopOf(this.entry.body.messages);
    if (loop === undefined) return {};
    const window = this.#contextTokens;
    const share = usage === null || window === null ? null : usage.prompt_tokens / window;
    return { toolLoop: { ...loop, context_share: share } };
  }
}

/** What beside the provider the answer came from. */
const answeringHost = (answering: (Attempt & { readonly key?: string }) | undefined): AnsweringHost => ({
  upstream: answering?.upstream,
  key: answering?.key,
});

interface Outcome extends Pick<Trace, "model" | "provider" | "status" | "error" | "usage"> {
  readonly text: AnswerText | null;
}

/** A provider's 429 is no error of the client, although its status is one. */
const isClientError = ({ status, code }: SextantError): boolean =>
  status < 500 && code !== "upstream_rate_limited";

const NOTHING = { tokens: 0, costUsd: 0 } as const;

function contentOf({ messages }: ChatBody, text: AnswerText | null): TraceContent {
  const input = tracedMessages(messages);
  if (text === null) return { input, output: "" };
  const reasoning = text.reasoning();
  return { input, output: text.output(), ...(reasoning !== null && { reasoning }) };
}

/** Removes the provider's message, which may quote the prompt, for a trace without content. */
const withoutMessage = (attempt: Attempt): Attempt => ({ ...attempt, message: null });

function recordedError(error: unknown, withContent: boolean): NonNullable<Trace["error"]> {
  if (error instanceof SextantError) {
    return { code: error.code, message: withContent ? error.message : error.safeMessage };
  }
  if (error instanceof ClientDisconnected) return { code: error.code, message: error.message };
  return { code: "internal_error", message: "Something went wrong inside the server." };
}

/** The expected length of an answer, from its decision. */
type ExpectedLength = Pick<LengthObservation, "model" | "expectedTokens">;

/** The expected length for the model that answers; null when it was not a candidate, or for the sandbox. */
function expectedLength(
  deployment: Deployment,
  { plan, candidates }: Pick<AnsweringDeployment, "plan" | "candidates">,
): ExpectedLength | null {
  if (candidates.length === 0 || deployment.provider === LAST_RESORT) return null;
  const name = plannedName(deployment, plan);
  const candidate = candidates.find(({ model }) => model === name);
  if (candidate === undefined) return null;
  return { model: candidate.model, expectedTokens: Math.max(1, candidate.answerTokens.profiled) };
}

/**
 * The observed length of an answer; null when it is not comparable: several answers in one, or tokens that the provider
 * did not count.
 *
 * An answer cut off by `max_tokens` counts, since the limit also bounds its expected length.
 */
function observedLength(
  expected: ExpectedLength,
  { usage, body }: { readonly usage: Usage; readonly body: ChatBody },
): LengthObservation | null {
  const isOne = typeof body.n !== "number" || body.n === 1;
  if (!isOne || usage.estimated === true || usage.completion_tokens <= 0) return null;
  return { ...expected, actualTokens: usage.completion_tokens };
}
