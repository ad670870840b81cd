/** Retries of a deployment and fallbacks to others. */
import type { Deployment } from "../../../engine/catalog/deployments/deployment.js";
import { SextantError } from "../../../foundation/errors.js";
import { once } from "../../../foundation/once.js";
import type { Clock, Timers } from "../../../foundation/timers.js";
import type { ChatBody, ChatCompletion, JsonObject } from "../../providers/chat.js";
import type { EmbeddingBody } from "../../providers/embeddings.js";
import type { EmbeddingReply, Provider, ProviderFault } from "../../providers/provider.js";
import type { TokenUsage } from "../../providers/token-usage.js";
import type { Settings } from "../../settings/settings.js";
import type { HostChoice } from "../../traces/trace.js";
import type { WarmAnswer } from "../conversations/warm-host.js";
import { HAS_HOSTS_OF_ITS_OWN } from "../hosts/host-preferences.js";
import type { HostRules } from "../planning/allowed-hosts.js";
import { withCacheBreakpoint } from "../planning/cache-breakpoints.js";
import { callerEffort, upstreamBody } from "../planning/caller-effort.js";
import { orderDeployments } from "../planning/deployment-order.js";
import { nativeRequestFor } from "../planning/native-plan.js";
import type { PlannedModel } from "../planning/plan.js";
import type { RequestSize } from "../planning/request-size.js";
import type { InferenceRequest, NativeForm, RequestSpan } from "../request.js";
import type { Admission } from "./admission.js";
import {
  type AttemptOutcome,
  type AttemptRecord,
  attempt,
  attemptEmbeddings,
  type ChatAnswered,
  type OpenStream,
} from "./attempt.js";
import { backoffMs, wait } from "./backoff.js";
import { cancellationOf } from "./cancellation.js";
import type { Blocked, CallNeeds, HealthRegistry } from "./health-registry.js";
import { type AppliedLimits, type ModelLimits, withOutputCap } from "./model-limits.js";
import { effortsIn } from "./repairs/efforts.js";
import { type Repair, type Repairs, repairOf } from "./repairs/repairs.js";
import type { CallLimits } from "./upstream-call.js";
import { type CallFailure, failureError, refusalError } from "./upstream-errors.js";

export interface DispatchDependencies {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly health: HealthRegistry;
  readonly repairs: Repairs;
  readonly clock: Clock;
  readonly timers: Timers;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly limits: ModelLimits;
  readonly settings: Pick<
    Settings,
    | "retries"
    | "retryMaxWaitMs"
    | "maxAttempts"
    | "measuredTimeouts"
    | "hostSort"
    | "cacheBreakpoints"
    | "servedModel"
  >;
  /** Receives a line for each upstream call. */
  readonly logger?: CallLog | undefined;
  /** Where a provider's credentials are configured. */
  readonly remedyOf: (provider: string) => string;
}

type Report = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** Failed calls are `info`, the others `debug`. */
export interface CallLog {
  readonly info: Report;
  readonly debug: Report;
}

export interface ChatDispatch extends DispatchRequest {
  readonly body: ChatBody;
  readonly effort: InferenceRequest["effort"];
  readonly stream: boolean;
  readonly native?: NativeForm | undefined;
  readonly idempotencyKey?: InferenceRequest["idempotencyKey"];
}

export interface EmbeddingDispatch extends DispatchRequest {
  readonly body: EmbeddingBody;
}

/** The properties of a request that all endpoints share. */
interface DispatchRequest {
  readonly requestId: string;
  readonly size: RequestSize;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /** Null or absent unless spans are exported. */
  readonly span?: RequestSpan | null | undefined;
  /** End of the whole request, by `clock`. */
  readonly deadlineMs: number;
  /** Receives attempts as they end, in order, also when this throws. */
  readonly record: AttemptRecord;
  /** What the request asks of providers; absent: nothing. */
  readonly hosts?: HostRules | undefined;
  /** The provider that answered before in the conversation, by the model that a request or decision names. */
  readonly warm?: WarmAnswer | undefined;
}

/** A deployment that answered. Its attempt is the last of the request. */
export type DispatchResult =
  | {
      readonly kind: "completion";
      readonly deployment: Deployment;
      readonly completion: ChatCompletion;
      readonly tokens: TokenUsage | null;
    }
  | {
      readonly kind: "stream";
      readonly deployment: Deployment;
      readonly stream: OpenStream;
      /** To be ended together with the stream. */
      readonly admission: Admission;
    };

/** A deployment that returned embeddings. Its attempt is the last of the request. */
export interface ReachedEmbeddings extends EmbeddingReply {
  readonly deployment: Deployment;
}

/**
 * Calls the models in order until one answers; for a stream, until its first content.
 *
 * The deployments of a model are called one after the other, best first; then, after a wait, those with a transient
 * fault again, up to `retries` times; then those of the next model. A deployment is not retried after a time limit, an
 * exhausted quota, or a requested wait longer than `retryMaxWaitMs`. A deployment whose circuit is open is skipped, and
 * called in the end when nothing else answered. A call that fails because of one of several keys is made again with another
 * at once, which does not count towards `maxAttempts`. A deployment that refuses by name what may be changed is called once more with that changed.
 * There are at most `maxAttempts` calls, and all of it ends at the deadline.
 *
 * @throws SextantError `upstream_error`, `upstream_timeout` when all failed, `upstream_rate_limited` when all did by a 429 or
 * are not called because of one; at once, what a fault means that no other try would mend. A `Cancellation` when the signal aborts: the call under way is then aborted in the same tick
 */
export function dispatch(
  plan: readonly PlannedModel[],
  request: ChatDispatch,
  dependencies: DispatchDependencies,
): Promise<DispatchResult> {
  return new Dispatch(chatSending(request, dependencies), dependencies).run(plan);
}

/** `dispatch` for embeddings. */
export function dispatchEmbeddings(
  plan: readonly PlannedModel[],
  request: EmbeddingDispatch,
  dependencies: DispatchDependencies,
): Promise<ReachedEmbeddings> {
  return new Dispatch(embeddingSending(request, dependencies), dependencies).run(plan);
}

interface SendOptions extends CallLimits {
  readonly stages: AppliedLimits;
}

/** How a request is sent to a deployment, and its answer handled. */
interface Sending<Answered, Result> {
  readonly request: DispatchRequest;
  /** Field of the request with the model's input. */
  readonly promptParam: "messages" | "input";
  /** The effort that a call of the deployment asks for; undefined when it says nothing of it. */
  effortAt(deployment: Deployment): string | undefined;
  readonly stream: boolean;
  /** Makes one call. Never rejects. */
  send(deployment: Deployment, provider: Provider, options: SendOptions): Promise<AttemptOutcome<Answered>>;
  /** The field that is changed or left out in the next call, because the deployment refuses it; null when none can be. */
  repair?(deployment: Deployment, fault: ProviderFault): string | null;
  /** Ends the admission of a call that was answered, or passes it on. */
  accept(answered: Answered, tried: Attempted): Result;
}

function chatSending(
  request: ChatDispatch,
  { providers, clock, repairs, settings }: DispatchDependencies,
): Sending<ChatAnswered, DispatchResult> {
  const { body, effort, stream, native, idempotencyKey } = request;
  const tried = new Map<Deployment, Repair>();
  function bodyFor<Body extends JsonObject>(asked: Body, deployment: Deployment): Body {
    const known = repairs.applied(asked, deployment);
    return (tried.get(deployment)?.change.apply(known) ?? known) as Body;
  }
  const marked = <Body extends JsonObject>(asked: Body, deployment: Deployment): Body => {
    if (settings.cacheBreakpoints === "off") return asked;
    const { promptTokens } = request.size;
    return withCacheBreakpoint(asked, {
      deployment,
      provider: providers.get(deployment.provider),
      promptTokens,
    });
  };
  function bodiesFor(deployment: Deployment, most: number | undefined) {
    const asked = nativeRequestFor(deployment, native, providers);
    const own = deployment.provider === HAS_HOSTS_OF_ITS_OWN ? withHosts(body, request) : body;
    return {
      body: withOutputCap(
        bodyFor(marked(upstreamBody(own, deployment, { effort }), deployment), deployment),
        most,
        "chat",
      ),
      native: asked && {
        ...asked,
        body: withOutputCap(bodyFor(marked(asked.body, deployment), deployment), most, asked.api),
      },
    };
  }
  const asked = once(() => callerEffort({ body, effort, native }));
  return {
    request,
    promptParam: "messages",
    stream,
    effortAt: ({ parameters }) => asked() ?? effortsIn(parameters)[0],
    send(deployment, provider, options) {
      const bodies = bodiesFor(deployment, options.stages.maxOutputTokens);
      const { servedModel } = settings;
      return attempt(deployment, provider, { ...bodies, stream, idempotencyKey, servedModel, ...options });
    },
    repair(deployment, fault) {
      const sent = bodiesFor(deployment, undefined);
      const repair = repairOf(fault, sent.native?.body ?? sent.body);
      if (repair === null) return null;
      tried.set(deployment, repair);
      return repair.change.field;
    },
    accept(answered, { deployment, admission, startedMs }) {
      const repair = tried.get(deployment);
      if (repair !== undefined) repairs.keep(repair, deployment);
      if (answered.kind === "completion") {
        const ms = clock() - startedMs;
        const tokens = answered.tokens?.completionTokens;
        admission.succeeded(ms, tokens === undefined ? undefined : { tokens, totalMs: ms });
        return { ...answered, deployment };
      }
      admission.answered();
      return { ...answered, deployment, admission };
    },
  };
}

/**
 * The body for OpenRouter, whose `provider` says which of its hosts may answer: the caller's preferences, and the host
 * that has the conversation in its cache first. It takes the names that its replies have:
 * https://openrouter.ai/docs/sdks/typescript/models/providername, and its own stickiness gives way to an order:
 * https://openrouter.ai/docs/guides/best-practices/prompt-caching (as indexed on 2026-11-26).
 */
function withHosts(body: ChatBody, { hosts, warm }: Pick<ChatDispatch, "hosts" | "warm">): ChatBody {
  const { passedOn = {}, onlyFirst = false } = hosts ?? {};
  const upstream = warm?.provider === HAS_HOSTS_OF_ITS_OWN ? warm.upstream : undefined;
  if (upstream === undefined || onlyFirst || passedOn.order !== undefined)
    return hosts === undefined ? body : { ...body, provider: passedOn };
  return { ...body, provider: { ...passedOn, order: [upstream] } };
}

function embeddingSending(
  request: EmbeddingDispatch,
  { clock }: DispatchDependencies,
): Sending<EmbeddingReply, ReachedEmbeddings> {
  return {
    request,
    promptParam: "input",
    stream: false,
    effortAt: () => undefined,
    send: (deployment, provider, options) =>
      attemptEmbeddings(deployment, provider, { body: request.body, ...options }),
    accept(answered, { deployment, admission, startedMs }) {
      admission.succeeded(clock() - startedMs);
      return { ...answered, deployment };
    },
  };
}

/** A deployment to call in a round. */
interface ScheduledCall {
  readonly deployment: Deployment;
  /** Earliest time of the call. */
  readonly dueMs: number;
}

interface Failure {
  readonly deployment: Deployment;
  readonly fault: ProviderFault;
  readonly failedMs: number;
}

interface Success<Result> {
  readonly result: Result;
}

interface Attempted {
  readonly deployment: Deployment;
  readonly admission: Admission;
  readonly startedMs: number;
}

const BLOCKED_BY = {
  circuit_open: "the last failure was",
  concurrency_limit: "as many calls as the settings allow are under way, which counts as",
  keys_resting: "none of its keys may be used, and the first rests because of",
} as const satisfies Record<Blocked["attempt"], string>;
/** The outcome with the choice in its attempt. */
function withHost<Outcome extends AttemptOutcome<unknown>>(
  outcome: Outcome,
  host: HostChoice | undefined,
): Outcome {
  if (host === undefined) return outcome;
  const attempt = { ...outcome.attempt, host };
  if (!("unreported" in outcome) || outcome.unreported === null) return { ...outcome, attempt };
  return { ...outcome, attempt, unreported: { ...outcome.unreported, attempt } };
}

class Dispatch<Answered, Result> {
  readonly #called = new Set<Deployment>();
  /** Not called, with the reason of each. */
  readonly #passedOver = new Map<Deployment, Blocked>();
  readonly #failures: CallFailure[] = [];
  readonly #repaired = new Set<Deployment>();
  #calls = 0;
  /** Whether the plan has one deployment, so that nothing else can serve the request. */
  #isOnly = false;
  /** Why the deployments of the model are called in their order; undefined once an attempt has it. */
  #choice: HostChoice | undefined;

  readonly #request: DispatchRequest;
  readonly #keyNeeds: CallNeeds & { readonly avoid: Set<Provider> };
  #plan: readonly PlannedModel[] = [];

  constructor(
    private readonly sending: Sending<Answered, Result>,
    private readonly dependencies: DispatchDependencies,
  ) {
    this.#request = sending.request;
    const { size, warm } = sending.request;
    this.#keyNeeds = { tokens: size.promptTokens + size.answerTokens, prefer: warm?.key, avoid: new Set() };
  }

  async run(plan: readonly PlannedModel[]): Promise<Result> {
    const first = plan[0]?.deployments[0];
    this.#isOnly = plan.every(({ deployments }) => deployments.every((one) => one === first));
    this.#plan = plan;
    for (const planned of plan) {
      const success = await this.#tryModel(planned);
      if (success !== null) return success.result;
    }
    const success = await this.#tryPassedOver();
    if (success !== null) return success.result;
    throw failureError(this.#request.record.attempts, {
      failures: this.#failures,
      blockedBy: [...this.#passedOver.values()].map(({ fault }) => fault),
      deadlinePassed: this.#deadlinePassed(),
      retryAfterMs: this.#retryAfterMs(plan),
    });
  }

  /** Nothing else answered: those whose circuits are open, each once, as far as they may be probed. */
  async #tryPassedOver(): Promise<Success<Result> | null> {
    this.#isOnly = true;
    for (const deployment of [...this.#passedOver.keys()]) {
      if (this.#isOver()) return null;
      const isOver =
        this.#called.has(deployment) && this.#passedOver.get(deployment)?.attempt !== "keys_resting";
      let tried = isOver ? null : await this.#try(deployment);
      while (tried === null && this.#passedOver.get(deployment)?.attempt === "concurrency_limit") {
        await this.#waitForEnd();
        if (this.#isOver()) return null;
        tried = await this.#try(deployment);
      }
      if (tried !== null && "result" in tried) return tried;
    }
    return null;
  }

  async #tryModel({ name, deployments }: PlannedModel): Promise<Success<Result> | null> {
    const { settings, health } = this.dependencies;
    const { size, hosts: rules, warm } = this.#request;
    const ordered = orderDeployments(deployments, {
      ...{ size, rules, sort: settings.hostSort, warm: warm?.model === name ? warm : undefined },
      rank: (deployment) => health.rank(deployment, this.#keyNeeds),
      figures: (deployment) => health.figures(deployment),
    });
    this.#choice = ordered.choice;
    let scheduled: readonly ScheduledCall[] = ordered.deployments.map((deployment) => ({
      deployment,
      dueMs: this.#firstDueMs(deployment),
    }));
    for (let round = 0; ; round++) {
      const failures: Failure[] = [];
      for (const { deployment, dueMs } of scheduled) {
        if (this.#isOver()) return null;
        if (dueMs > this.dependencies.clock()) await this.#waitUntil(dueMs);
        const tried = await this.#try(deployment);
        if (tried === null) continue;
        if ("fault" in tried) failures.push(tried);
        else return tried;
      }
      if (round === settings.retries) return null;
      scheduled = this.#nextRound(failures, round);
    }
  }

  /** The end of a pause that the provider asked for, where it is soon enough to wait for it; else now. */
  #firstDueMs(deployment: Deployment): number {
    const { health, clock, random, settings } = this.dependencies;
    const endMs = health.pauseEndMs(deployment, this.#keyNeeds);
    const longestMs = settings.retryMaxWaitMs;
    if (endMs === null || endMs - clock() > longestMs) return Number.NEGATIVE_INFINITY;
    // Those who wait for the same end do not all call at once.
    const dueMs = endMs + backoffMs(0, { random, longestMs });
    return dueMs < this.#request.deadlineMs ? dueMs : Number.NEGATIVE_INFINITY;
  }

  /** Deployments with a transient fault, in the order in which they may be called again. */
  #nextRound(failures: readonly Failure[], round: number): readonly ScheduledCall[] {
    const { clock, random, health, settings } = this.dependencies;
    const longestMs = settings.retryMaxWaitMs;
    const earliestMs = clock() + backoffMs(round, { random, longestMs });
    return failures
      .filter(({ fault }) => fault.passing && (fault.retryAfterMs ?? 0) <= longestMs)
      .map(({ deployment, fault, failedMs }) => ({
        deployment,
        dueMs: Math.max(earliestMs, failedMs + (fault.retryAfterMs ?? 0)),
      }))
      .filter(({ deployment, dueMs }) => dueMs < this.#request.deadlineMs && !health.isOpen(deployment))
      .sort((left, right) => left.dueMs - right.dueMs);
  }

  /** Null when its circuit is open, and it may not be probed. */
  async #try(deployment: Deployment): Promise<Success<Result> | Failure | null> {
    if (this.#request.signal.aborted) throw cancellationOf(this.#request.signal);
    const { providers, health, clock, timers } = this.dependencies;
    const provider = providers.get(deployment.provider);
    if (provider === undefined) {
      throw new SextantError(
        "internal_error",
        `the catalog enables ${deployment.provider}, which is not there`,
      );
    }
    const { requestId } = this.#request;
    const { limits, stream } = this.#limitsOf(deployment);
    const { concurrency } = limits;
    const needs = concurrency === undefined ? this.#keyNeeds : { ...this.#keyNeeds, concurrency };
    const alternative = this.#isOnly ? "none" : "other deployments";
    const admission = health.admit(deployment, { requestId, needs, stream, alternative });
    if (admission === null) return this.#passOver(deployment, needs);
    this.#calls += 1;
    this.#called.add(deployment);
    this.#passedOver.delete(deployment);
    const { signal: clientSignal, span, deadlineMs, record } = this.#request;
    for (;;) {
      const startedMs = clock();
      const headers = span?.callStarted(deployment, record.attempts.length);
      const { key } = admission;
      const call = {
        ...{ clientSignal, deadlineMs, clock, timers, headers, key },
        ...{ stages: limits, total: limits.total },
      };
      record.calling(deployment);
      const sent = await this.sending.send(deployment, key?.provider ?? provider, call);
      const outcome = withHost(sent, this.#choice);
      this.#choice = undefined;
      record.called(outcome.attempt, "unreported" in outcome ? outcome.unreported : null);
      this.#log(outcome);
      if (outcome.kind === "failed" && key !== null) {
        this.#keyNeeds.avoid.add(key.provider);
        if (!this.#deadlinePassed() && admission.takeNextKey(outcome.fault)) continue;
      }
      return this.#judge(outcome, { deployment, admission, startedMs });
    }
  }

  /** What limits a call of the deployment, and the kind of stream that it is; undefined for another call. */
  #limitsOf(deployment: Deployment): { readonly limits: AppliedLimits; readonly stream: string | undefined } {
    const { limits: table, health, settings } = this.dependencies;
    const measures = this.sending.stream && settings.measuredTimeouts;
    const effort = measures || table.byEffort ? this.sending.effortAt(deployment) : undefined;
    const limits = table.of(deployment, effort);
    const stream = measures ? (effort ?? "") : undefined;
    const measured = stream === undefined ? undefined : health.measuredLimit(deployment, stream);
    if (measured === undefined || measured.ms >= (limits.firstToken?.ms ?? Number.POSITIVE_INFINITY))
      return { limits, stream };
    const others = this.#plan.some(({ deployments }) =>
      deployments.some(
        (one) => one !== deployment && !this.#called.has(one) && health.rank(one, this.#keyNeeds) < 2,
      ),
    );
    return { limits: others ? { ...limits, firstToken: measured } : limits, stream };
  }

  /** Waits until a call ends that may leave room for another. */
  #waitForEnd(): Promise<void> {
    const { clock, timers, health } = this.dependencies;
    const { deadlineMs, signal } = this.#request;
    return wait(Math.ceil(deadlineMs - clock()), { timers, signal, sooner: (wake) => health.onFree(wake) });
  }

  /** Without what the provider said, which may quote the prompt. */
  #log({ kind, attempt }: AttemptOutcome<Answered>): void {
    const { provider, model, status, code, latency_ms } = attempt;
    const fields = { request_id: this.#request.requestId, provider, model, status, code, latency_ms };
    if (kind === "failed") this.dependencies.logger?.info(fields, "upstream call failed");
    else this.dependencies.logger?.debug(fields, "upstream call");
  }

  #judge(
    outcome: AttemptOutcome<Answered>,
    tried: Attempted,
  ): Success<Result> | Failure | Promise<Success<Result> | Failure | null> {
    const { deployment, admission } = tried;
    const { clock, health, remedyOf } = this.dependencies;
    switch (outcome.kind) {
      case "answered":
        return { result: this.sending.accept(outcome.answered, tried) };
      case "failed": {
        const { attempt } = outcome;
        if (!outcome.fault.retryable && this.#isRepaired(deployment, outcome.fault)) {
          this.#failures.push({ attempt, fault: outcome.fault });
          admission.released();
          return this.#try(deployment);
        }
        admission.failed(outcome.fault);
        const fault = health.faultOfAll(deployment, outcome.fault, this.#keyNeeds);
        this.#failures.push({ attempt, fault });
        // A key may be free again once everything else was tried.
        if (fault !== outcome.fault)
          this.#passedOver.set(deployment, { attempt: "keys_resting", fault: fault.code });
        if (fault.retryable || fault !== outcome.fault) return { deployment, fault, failedMs: clock() };
        const attempts = this.#request.record.attempts;
        const remedy = remedyOf(deployment.provider);
        throw refusalError(fault, deployment, { attempts, remedy, promptParam: this.sending.promptParam });
      }
      case "abandoned":
        admission.released();
        throw cancellationOf(this.#request.signal);
      case "broken":
        admission.released();
        throw outcome.error;
    }
  }

  /** Whether a request that was refused can be sent again, changed: once. */
  #isRepaired(deployment: Deployment, fault: ProviderFault): boolean {
    if (this.#isOver() || this.#repaired.has(deployment)) return false;
    const field = this.sending.repair?.(deployment, fault) ?? null;
    if (field === null) return false;
    this.#repaired.add(deployment);
    const { provider, model } = deployment;
    const fields = { request_id: this.#request.requestId, provider, model, field };
    this.dependencies.logger?.info(
      fields,
      "asked again with a field changed or left out that the provider refuses",
    );
    return true;
  }

  /** Recorded once for each deployment, however often it is skipped. */
  #passOver(deployment: Deployment, needs: CallNeeds): null {
    const { provider, model } = deployment;
    const blocked = this.dependencies.health.blockedBy(deployment, needs);
    const isNew = !this.#passedOver.has(deployment);
    this.#passedOver.set(deployment, blocked);
    if (isNew) {
      const { fault, attempt: code } = blocked;
      const message = fault === null ? null : `not called: ${BLOCKED_BY[code]} ${fault}`;
      const skipped = { status: null, code, message, latency_ms: 0 };
      this.#request.record.called({ provider, model, ...skipped });
    }
    return null;
  }

  #waitUntil(dueMs: number): Promise<void> {
    const { clock, timers } = this.dependencies;
    return wait(Math.ceil(dueMs - clock()), { timers, signal: this.#request.signal });
  }

  #isOver(): boolean {
    return this.#calls >= this.dependencies.settings.maxAttempts || this.#deadlinePassed();
  }

  #deadlinePassed(): boolean {
    return this.dependencies.clock() >= this.#request.deadlineMs;
  }

  /** When every provider asked for a wait or is not called, the time until the first may be called again. */
  #retryAfterMs(plan: readonly PlannedModel[]): number | null {
    if (!this.#failures.every(({ fault }) => fault.code === "rate_limited")) return null;
    const waits = plan.flatMap(({ deployments }) =>
      deployments.flatMap((deployment) => this.dependencies.health.waitMs(deployment, this.#keyNeeds) ?? []),
    );
    return waits.length === 0 ? null : Math.min(...waits);
  }
}
