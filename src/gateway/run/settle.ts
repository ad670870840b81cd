/** An accepted request from its reservation to its trace: what it called, what that cost, and how it ended. */
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { Candidate } from "../../engine/router/decision.js";
import type { RoutingBody } from "../../engine/router/routing-body.js";
import { SextantError } from "../../foundation/errors.js";
import { shownMs } from "../../foundation/timers.js";
import { LimitRefusal } from "../access/limits/limit-replies.js";
import type { RefusedCost, Reservation } from "../access/limits/limits.js";
import type { ChatBody } from "../providers/chat.js";
import { NO_PARTS, type TokenUsage } from "../providers/token-usage.js";
import type { TokenCounter } from "../token-counting/token-counter.js";
import { type Billed, billed } from "../traces/billed-usage.js";
import {
  type Attempt,
  NOT_CALLED,
  type Trace,
  type TraceContent,
  type TraceKind,
  type Usage,
} from "../traces/trace.js";
import { boundedInput } from "../traces/traced-message.js";
import type { AnswerText } from "./answer-text.js";
import type { UnreportedCall } from "./attempt.js";
import { callerEffort } from "./caller-effort.js";
import { ClientDisconnected } from "./cancellation.js";
import { answerTokens } from "./counted-tokens.js";
import type { InferenceDependencies } from "./dependencies.js";
import { LAST_RESORT } from "./deployment-order.js";
import type { Answer } from "./inference.js";
import { type PlannedModel, plannedName } from "./planned-models.js";
import type { ConversationFields, InferenceRequest, RequestContext } from "./request.js";
import { type CostBaseline, savingsAgainst } from "./savings.js";
import type { Turn } from "./sticky-conversations.js";
import { toolLoopOf } from "./tool-loop.js";
import { tracedMessages } from "./traced-messages.js";
import {
  answerUsage,
  billedUsage,
  billingOf,
  callUsage,
  NO_BOUND,
  type UsageBound,
  type UsageFacts,
} from "./usage.js";
import type { WarmAnswer } from "./warm-host.js";

/** The recorded facts of the request itself. */
export interface RecordedRequest {
  readonly kind: TraceKind;
  readonly body: ChatBody;
  readonly stream: boolean;
  readonly metadata: Trace["metadata"];
  /** As the request named it; undefined where it names none. */
  readonly requestedModel?: string | undefined;
  readonly conversation?: ConversationFields | undefined;
  /** The request, where its answer may be observed. */
  readonly request?: InferenceRequest;
  /** The effort of reasoning that the caller asks for; undefined when it asks for none in particular. */
  readonly effort?: string | undefined;
  /** Most that a call of the deployment can have used. */
  readonly boundOf: (deployment: Deployment) => UsageBound;
  /** Tokens of the prompt by a tokenizer, which is chosen by the provider's name of the model. */
  readonly promptTokens: (model: string) => Promise<number>;
}

export interface SettlementDependencies
  extends Pick<InferenceDependencies, "traces" | "lengths" | "observer" | "counter" | "clock" | "settings"> {
  /** Counts what no caller waits for. */
  readonly backgroundCounter: TokenCounter;
  /** What routed answers are compared with now; undefined without a baseline. */
  readonly baseline: () => CostBaseline | undefined;
  /** Called once, when the request is over. */
  readonly onSettled: () => void;
}

/** An answer, or what came of it. */
export interface Generation {
  /** As the provider counted them; null when it did not. */
  readonly tokens: TokenUsage | null;
  /** Null for embeddings. */
  readonly text: AnswerText | null;
  /** When its first content came, by the clock. Default: now, when it is whole. */
  readonly firstContentMs?: number;
}

/** The models that a request is sent to, and what was known when they were chosen. */
export interface Plan {
  readonly models: readonly PlannedModel[];
  /** Candidates of the decision; empty without one. */
  readonly candidates: readonly Candidate[];
  /** Most US dollars of all calls together; undefined without such a cap. */
  readonly maxUsd?: number | undefined;
  /** Undefined when the request continues no conversation. */
  readonly turn?: Turn | undefined;
  /** What answered before in that conversation, while its prompt cache lasts. */
  readonly warm?: WarmAnswer | undefined;
}

/** What of a trace depends on how the request ended. */
interface Outcome extends Pick<Trace, "model" | "provider" | "status" | "error" | "usage"> {
  readonly text: AnswerText | null;
  /** As the provider counted them; null when it did not. */
  readonly tokens?: TokenUsage | null;
}

/**
 * An accepted request. `reserve` and `called` note each upstream call; then exactly one of `answered`, `decided`, `failed` and
 * `brokeOff` is called, once: it settles the reservation and records the trace.
 */
export class RunningRequest {
  /** All upstream calls so far, in order. */
  readonly attempts: Attempt[] = [];
  /** The decision, once there is one. */
  routing: RoutingBody | null = null;
  /** Which deployment answers, of which plan; set before `answered`. */
  answering: { readonly deployment: Deployment; readonly plan: Plan } | undefined;
  /** Tokens that the answer counts as at least, where the provider counts none: of a run that goes on without its client. */
  leastTokens = 0;
  /** Failed calls without reported usage, which is estimated when the request is over. */
  readonly #unreported: UnreportedCall[] = [];
  /** What was called last, and what that may cost, in dollars. */
  #called: Deployment | undefined;
  #callUsd = 0;
  /** US dollars of all calls before, or what they may have cost. */
  spentUsd = 0;

  constructor(
    readonly recorded: RecordedRequest,
    readonly context: RequestContext,
    readonly reservation: Reservation,
    private readonly dependencies: SettlementDependencies,
  ) {
    context.span?.accepted();
  }

  /**
   * Notes what is called next, and reserves what that may cost beside the calls before; null where it has no known price.
   *
   * @returns null, or why it must not be called
   */
  reserve(deployment: Deployment, costUsd: number | null): RefusedCost | Promise<RefusedCost> {
    this.#called = deployment;
    this.#callUsd = costUsd ?? 0;
    return this.reservation.reserveCost(this.spentUsd + this.#callUsd, "refuse");
  }

  /** Adds a call that ended, a stream that began, or one that was not made. */
  called(attempt: Attempt, unreported: UnreportedCall | null = null): void {
    this.attempts.push(attempt);
    this.spentUsd += unreported === null ? (attempt.usage?.total_cost_usd ?? 0) : this.#callUsd;
    if (unreported !== null) this.#unreported.push(unreported);
  }

  /** The last call is over: its stream has ended. What was said of the call when it began stays. */
  ended(attempt: Partial<Attempt>): void {
    const last = this.attempts.pop();
    if (last !== undefined) this.attempts.push({ ...last, ...attempt });
  }

  /** @returns the usage, synchronously when the provider counted */
  answered(generation: Generation): Usage | Promise<Usage> {
    const usage = this.#measured(generation, this.dependencies.counter);
    return usage instanceof Promise
      ? usage.then((counted) => this.#succeeded(counted, generation))
      : this.#succeeded(usage, generation);
  }

  #succeeded(usage: Usage, { tokens, text }: Generation): Usage {
    const { deployment, plan } = this.#answer();
    const { model, provider } = deployment;
    if (plan.candidates.length > 0) this.#observeLength(usage);
    const { upstream, key } = this.attempts.at(-1) ?? {};
    plan.turn?.answered({ model: plannedName(deployment, plan.models), provider, upstream, key }, tokens);
    this.#close({ model, provider, status: "success", error: null, usage, text, tokens });
    return usage;
  }

  /** A request for a decision alone. */
  decided(routing: RoutingBody, turn: Turn | undefined): void {
    this.routing = routing;
    const { selected_model: model, selected_provider: provider } = routing;
    turn?.answered({ model, provider }, null);
    this.#close({ model, provider, status: "success", error: null, usage: null, text: null });
  }

  /** An answer broke off after its first content. A count that fails must not cost the trace. */
  brokeOff(error: unknown, generation: Generation): void {
    const { text } = generation;
    const usage = this.#measured(generation);
    if (!(usage instanceof Promise)) this.failed(error, { usage, text });
    else
      void usage.then(
        (counted) => this.failed(error, { usage: counted, text }),
        () => this.failed(error, { usage: null, text }),
      );
  }

  /** A client error before any upstream call releases the reservation and records no trace (API §3). */
  failed(
    error: unknown,
    { usage, text }: Pick<Outcome, "usage" | "text"> = { usage: null, text: null },
  ): void {
    const { reservation, context, dependencies } = this;
    const called = this.attempts.findLast(({ code }) => code === "paused" || !NOT_CALLED.has(code));
    if (called === undefined && error instanceof SextantError && isClientError(error)) {
      if (error instanceof LimitRefusal) reservation.refuse(error);
      else reservation.settle(NOTHING);
      context.span?.finished(null);
      dependencies.onSettled();
      return;
    }
    this.#close({
      model: called?.model ?? null,
      // A provider has no part in what an operator paused.
      provider: called === undefined || NOT_CALLED.has(called.code) ? null : called.provider,
      status: error instanceof SextantError && error.code === "upstream_timeout" ? "timeout" : "error",
      error: recordedError(error, dependencies.traces.wantsContent),
      usage,
      text,
    });
  }

  #answer(): NonNullable<RunningRequest["answering"]> {
    if (this.answering === undefined) throw new TypeError("no deployment answers this request");
    return this.answering;
  }

  /**
   * Usage and cost as of now, by the provider's count, which is never overruled. Tokens are counted here only where it sent no
   * count, or for the answer alone where it counted the prompt and then broke off.
   *
   * @returns synchronously when the provider counted
   */
  #measured(
    { tokens, text, firstContentMs }: Generation,
    counter: TokenCounter = this.dependencies.backgroundCounter,
  ): Usage | Promise<Usage> {
    const { deployment } = this.#answer();
    const { clock } = this.dependencies;
    const { arrivedMs } = this.context;
    const latencyMs = clock() - arrivedMs;
    const facts: UsageFacts = {
      ...billingOf(deployment, tokens),
      bound: this.recorded.boundOf(deployment),
      latencyMs,
      ttftMs: firstContentMs === undefined ? latencyMs : firstContentMs - arrivedMs,
    };
    if (tokens !== null && tokens.completionPending !== true) return billedUsage(tokens, facts);
    const { upstreamModel: model } = deployment;
    const reported = tokens ?? this.recorded.promptTokens(model);
    return Promise.all([reported, answerTokens(text, model, counter)]).then(([known, counted]) => {
      const before =
        typeof known === "number"
          ? { ...NO_PARTS, promptTokens: known, completionTokens: this.leastTokens }
          : known;
      const completionTokens = Math.max(before.completionTokens, counted);
      return { ...billedUsage({ ...before, completionTokens }, facts), estimated: true };
    });
  }

  /**
   * Learns from the length of a routed answer, but for the sandbox's, several in one, and those that the provider did not count. An
   * answer cut off by `max_tokens` counts, since the limit also bounds its expected length.
   */
  #observeLength({ estimated, completion_tokens: actualTokens }: Usage): void {
    const { deployment, plan } = this.#answer();
    const { n } = this.recorded.body;
    if (deployment.provider === LAST_RESORT) return;
    if ((typeof n === "number" && n !== 1) || estimated === true || actualTokens <= 0) return;
    const name = plannedName(deployment, plan.models);
    const candidate = plan.candidates.find(({ model }) => model === name);
    if (candidate === undefined) return;
    const { model, answerTokens: expected } = candidate;
    this.dependencies.lengths?.observe({
      model,
      expectedTokens: Math.max(1, expected.profiled),
      actualTokens,
    });
  }

  #close(outcome: Outcome): void {
    const { usage } = outcome;
    // The last call generated the answer.
    if (usage !== null) this.ended({ usage: answerUsage(usage) });
    const latencyMs = usage?.latency_ms ?? shownMs(this.dependencies.clock() - this.context.arrivedMs);
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
    try {
      const [promptTokens, completionTokens] = await Promise.all([
        this.recorded.promptTokens(model),
        answerTokens(text, model, this.dependencies.backgroundCounter),
      ]);
      const tokens = { ...NO_PARTS, promptTokens, completionTokens };
      const usage = callUsage(tokens, { price, bound: NO_BOUND });
      this.attempts[this.attempts.indexOf(attempt)] = { ...attempt, usage: { ...usage, estimated: true } };
    } catch {}
  }

  #record({ text, tokens = null, ...outcome }: Outcome, latencyMs: number): void {
    const { context, reservation, attempts, routing } = this;
    const { traces, observer, onSettled } = this.dependencies;
    const { kind, stream, metadata, request, requestedModel } = this.recorded;
    const bill = billed(attempts);
    // Dollars that are null, which budgets ignore, only when something of unknown price was used.
    reservation.settle({ tokens: bill.tokens, costUsd: bill.costUsd });
    const trace: Trace = {
      requestId: context.requestId,
      kind,
      source: context.source,
      principal: context.principal.id,
      createdAtMs: context.createdAtMs,
      latencyMs,
      ttftMs: outcome.usage?.ttft_ms ?? null,
      streamed: stream,
      finishReason: text?.finishReason ?? null,
      ...(requestedModel !== undefined && { requestedModel }),
      ...this.#effort(outcome.model),
      attempts: traces.wantsContent ? attempts : attempts.map(withoutMessage),
      routing,
      metadata,
      content: traces.wantsContent ? this.#content(text) : null,
      ...this.#toolLoop(outcome.usage),
      ...(routing !== null && this.#savings(outcome, { bill, tokens })),
      ...outcome,
    };
    traces.record(trace);
    context.span?.finished(trace);
    text?.release();
    if (request !== undefined && text !== null && trace.status === "success")
      observer?.answered({ trace, request, text: () => text.output() });
    onSettled();
  }

  /** The answer was bounded while it was collected. */
  #content(text: AnswerText | null): TraceContent {
    const messages = tracedMessages(this.recorded.body.messages);
    const input = boundedInput(messages, this.dependencies.settings.traceMaxTextCharacters);
    if (text === null) return { input, output: "" };
    const reasoning = text.reasoning();
    return { input, output: text.output(), ...(reasoning !== null && { reasoning }) };
  }

  #savings(
    { status, usage }: Pick<Outcome, "status" | "usage">,
    { bill, tokens }: { readonly bill: Billed; readonly tokens: TokenUsage | null },
  ): Pick<Trace, "savings"> {
    if (status !== "success" || usage === null) return {};
    const baseline = this.dependencies.baseline();
    if (baseline === undefined) return {};
    const { deployment, plan } = this.#answer();
    const previous = plan.turn?.previous;
    const stays =
      previous?.model === plannedName(deployment, plan.models) && previous.provider === deployment.provider;
    const movedFrom = stays ? undefined : previous;
    const savings = savingsAgainst(baseline, { usage, tokens, bill, movedFrom });
    return savings === undefined ? {} : { savings };
  }

  #effort(model: string | null): Pick<Trace, "effort"> {
    const candidates = this.answering?.plan.candidates ?? this.routing?.candidates ?? [];
    const decided = candidates.find((candidate) => candidate.model === model)?.effort;
    const effort = this.recorded.effort ?? decided ?? callerEffort({ body: this.#called?.parameters ?? {} });
    return effort === undefined ? {} : { effort };
  }

  #toolLoop(usage: Usage | null): Pick<Trace, "toolLoop"> {
    const loop = toolLoopOf(this.recorded.body.messages);
    if (loop === undefined) return {};
    const window = this.answering?.deployment.contextTokens ?? null;
    const share = usage === null || window === null ? null : usage.prompt_tokens / window;
    return { toolLoop: { ...loop, context_share: share } };
  }
}

/** A provider's 429 is no error of the client, although its status is one. */
const isClientError = ({ status, code }: SextantError): boolean =>
  status < 500 && code !== "upstream_rate_limited";

const NOTHING = { tokens: 0, costUsd: 0 } as const;

/** Removes the provider's message, which may quote the prompt, for a trace without content. */
const withoutMessage = (attempt: Attempt): Attempt => ({ ...attempt, message: null });

function recordedError(error: unknown, withContent: boolean): NonNullable<Trace["error"]> {
  if (error instanceof SextantError) {
    return { code: error.code, message: withContent ? error.message : error.safeMessage };
  }
  if (error instanceof ClientDisconnected) return { code: error.code, message: error.message };
  return { code: "internal_error", message: "Something went wrong inside the server." };
}

/** What an answer says of where it is from. The attempts are a copy: the last one is replaced when a stream ends. */
export const answeredBy = (
  { model, provider }: Deployment,
  { attempts, routing, reservation }: RunningRequest,
): Omit<Answer, "kind" | "completion" | "usage"> => ({
  model,
  provider,
  attempts: [...attempts],
  routing,
  limitHeaders: reservation.headers,
});
