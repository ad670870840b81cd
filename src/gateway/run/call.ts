/** Retries of a deployment and fallbacks to others. */
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { CancelSignal } from "../../foundation/cancel-signal.js";
import { SextantError } from "../../foundation/errors.js";
import type { LimitRefusal } from "../access/limits/limit-replies.js";
import type { Provider, ProviderFault } from "../providers/provider.js";
import type { Attempt, HostChoice } from "../traces/trace.js";
import type { AttemptOutcome, ChatAnswer, EmbeddingsAnswer } from "./attempt.js";
import { type AppliedLimits, type CallKind, withMeasured } from "./call-limits.js";
import {
  type FailedCall,
  firstDueMs,
  nextRound,
  type ScheduledCall,
  type ScheduleOptions,
} from "./call-schedule.js";
import { cancellationOf, wait } from "./cancellation.js";
import { isAffordable } from "./caps.js";
import { orderDeployments } from "./deployment-order.js";
import type { Admission, Blocked, CallNeeds, DeploymentHealth } from "./health.js";
import type { CalledRequest, Calling, Operation } from "./operations.js";
import type { PlannedModel } from "./planned-models.js";
import { expectedCostUsd } from "./request-size.js";
import { type CallFailure, failureError, refusalError } from "./upstream-errors.js";

/** A deployment that answered. Its attempt is the last of the request. */
export type Reached<Answer> = Answer & {
  readonly deployment: Deployment;
  /** Of a stream: to be ended together with it. */
  readonly admission: Admission;
};

/**
 * Calls the models of the plan in order until one answers; for a stream, until its first content.
 *
 * The deployments of a model are called one after the other, best first; then, after a wait, those with a transient
 * fault again, up to `retries` times; then those of the next model. A deployment is not retried after a time limit, a fault of
 * the account, or a requested wait longer than `retryMaxWaitMs`. A deployment whose circuit is open is skipped, and
 * called in the end when nothing else answered. A call that fails because of one of several keys is made again with another
 * at once, which does not count towards `maxAttempts`. One for which budgets have no room is left out. A deployment that refuses by name what may be changed is called again with that changed.
 * There are at most `maxAttempts` calls, and all of it ends at the deadline.
 *
 * @throws SextantError `upstream_error`, `upstream_timeout` when all failed, `upstream_rate_limited` when all did by a 429 or
 * are not called because of one; `budget_exceeded` when there was no room for any; at once, what the request itself is refused for. A `Cancellation` when the signal aborts: the call under way is then aborted in the same tick
 */
export const callModels = <Answer extends ChatAnswer | EmbeddingsAnswer>(
  operation: Operation<Answer>,
  calling: Calling,
): Promise<Reached<Answer>> => new Calls(operation, calling).run();

class Calls<Answer extends ChatAnswer | EmbeddingsAnswer> {
  readonly #request: CalledRequest;
  /** Aborted when the client goes away. */
  readonly #signal: CancelSignal;
  /** End of the whole request, by the clock. */
  readonly #deadlineMs: number;
  readonly #models: readonly PlannedModel[];
  readonly #called = new Set<Deployment>();
  /** Those that were not called, with the reason of each. */
  readonly #passedOver = new Map<Deployment, Blocked>();
  readonly #failures: CallFailure[] = [];
  #calls = 0;
  /** Why the first that was left out because of a budget was not called. */
  #overBudget: LimitRefusal | undefined;
  /** Whether the plan has one deployment, so that nothing else can serve the request. */
  #isOnly: boolean;
  /** Why the deployments of the model are called in their order; undefined once an attempt has it. */
  #choice: HostChoice | undefined;
  /** Of a key, whichever the model. */
  readonly #keyNeeds: Omit<CallNeeds, "model"> & { readonly avoid: Set<Provider> };
  readonly #schedule: ScheduleOptions;

  constructor(
    private readonly operation: Operation<Answer>,
    private readonly calling: Calling,
  ) {
    this.#request = operation.request;
    const { running, size, plan, key } = operation.request;
    const { clock, random, health, settings } = calling;
    this.#signal = running.context.signal;
    this.#deadlineMs = running.context.arrivedMs + settings.upstreamTotalTimeoutMs;
    this.#models = plan.models;
    const first = plan.models[0]?.deployments[0];
    this.#isOnly = plan.models.every(({ deployments }) => deployments.every((one) => one === first));
    this.#keyNeeds = {
      tokens: size.promptTokens + size.answerTokens,
      prefer: key ?? plan.warm?.key,
      avoid: new Set(),
    };
    const longestMs = settings.retryMaxWaitMs;
    this.#schedule = {
      clock,
      random,
      health,
      longestMs,
      deadlineMs: this.#deadlineMs,
    };
  }

  async run(): Promise<Reached<Answer>> {
    for (const model of this.#models) {
      const success = await this.#tryModel(model);
      if (success !== null) return success;
    }
    const success = await this.#tryPassedOver();
    if (success !== null) return success;
    if (this.#overBudget !== undefined && this.#failures.length + this.#passedOver.size === 0)
      throw this.#overBudget;
    throw failureError(this.#request.running.attempts, {
      failures: this.#failures,
      blocked: [...this.#passedOver].map(([{ provider }, { fault }]) => ({ provider, code: fault })),
      remedyOf: this.calling.remedyOf,
      deadlinePassed: this.#deadlinePassed(),
      retryAfterMs: this.#retryAfterMs(),
    });
  }

  /** Nothing else answered: those whose circuits are open, each once, as far as they may be probed. */
  async #tryPassedOver(): Promise<Reached<Answer> | null> {
    this.#isOnly = true;
    for (const deployment of [...this.#passedOver.keys()]) {
      if (this.#isOver()) return null;
      const isOver =
        (this.#called.has(deployment) && this.#passedOver.get(deployment)?.attempt !== "keys_resting") ||
        this.#failures.some(
          ({ attempt, fault }) => attempt.provider === deployment.provider && fault.rests === "account",
        );
      let tried = isOver ? null : await this.#try(deployment);
      while (tried === null && this.#passedOver.get(deployment)?.attempt === "concurrency_limit") {
        await this.#waitForEnd();
        if (this.#isOver()) return null;
        tried = await this.#try(deployment);
      }
      if (tried !== null && !("fault" in tried)) return tried;
    }
    return null;
  }

  async #tryModel({ name, deployments }: PlannedModel): Promise<Reached<Answer> | null> {
    const { settings, health } = this.calling;
    const { size, hosts: rules, plan } = this.#request;
    const { warm } = plan;
    const ordered = orderDeployments(deployments, {
      size,
      rules,
      sort: settings.hostSort,
      warm: warm?.model === name ? warm : undefined,
      rank: (deployment) => health.of(deployment).rank(this.#needsOf(deployment)),
      figures: (deployment) => health.of(deployment).figures(),
    });
    this.#choice = ordered.choice;
    let scheduled: readonly ScheduledCall[] = ordered.deployments.map((deployment) => {
      const pauseEndMs = health.of(deployment).pauseEndMs(this.#needsOf(deployment));
      return { deployment, dueMs: firstDueMs(pauseEndMs, this.#schedule) };
    });
    for (let round = 0; ; round++) {
      const failures: FailedCall[] = [];
      for (const { deployment, dueMs } of scheduled) {
        if (this.#isOver()) return null;
        if (dueMs > this.calling.clock()) await this.#waitUntil(dueMs);
        const tried = await this.#try(deployment);
        if (tried === null) continue;
        if ("fault" in tried) failures.push(tried);
        else return tried;
      }
      if (round === settings.retries) return null;
      scheduled = nextRound(failures, round, this.#schedule);
    }
  }

  /** Null when its circuit is open, and it may not be probed. */
  async #try(deployment: Deployment): Promise<Reached<Answer> | FailedCall | null> {
    const { running, size, plan } = this.#request;
    if (this.#signal.aborted) throw cancellationOf(this.#signal);
    const { providers, clock, timers } = this.calling;
    const health = this.calling.health.of(deployment);
    const { requestId, span } = running.context;
    const provider = providers.get(deployment.provider);
    if (provider === undefined) {
      throw new SextantError(
        "internal_error",
        `the catalog enables ${deployment.provider}, which is not there`,
      );
    }
    const { limits, kind } = this.#limitsOf(deployment, health);
    const needs = { ...this.#needsOf(deployment), concurrency: limits.concurrency };
    const alternative = this.#isOnly ? "none" : "other deployments";
    const admission = health.admit({ requestId, needs, kind, alternative });
    if (admission === null) {
      this.#passOver(deployment, health.blockedBy(needs));
      return null;
    }
    this.#passedOver.delete(deployment);
    const { maxUsd } = plan;
    if (maxUsd !== undefined && !isAffordable(deployment, size, maxUsd - running.spentUsd)) {
      admission.released();
      const cap = "earlier calls leave too little of `max_usd_per_request`";
      running.called(notCalled(deployment, "over_budget", cap));
      return null;
    }
    const reserving = running.reserve(deployment, expectedCostUsd(size, deployment.price));
    const refusal = reserving instanceof Promise ? await reserving : reserving;
    if (refusal !== null) {
      admission.released();
      this.#overBudget ??= refusal;
      running.called(notCalled(deployment, "over_budget", refusal.message));
      return null;
    }
    this.#calls += 1;
    this.#called.add(deployment);
    for (;;) {
      const startedMs = clock();
      const headers = span?.callStarted(deployment, running.attempts.length);
      const { key } = admission;
      const host = this.#choice;
      this.#choice = undefined;
      const outcome = await this.operation.send(deployment, key?.provider ?? provider, {
        clientSignal: this.#signal,
        deadlineMs: this.#deadlineMs,
        clock,
        timers,
        headers,
        key,
        host,
        limits,
      });
      running.called(outcome.attempt, "unreported" in outcome ? outcome.unreported : null);
      this.#log(outcome);
      if (outcome.kind === "failed" && key !== null) {
        this.#keyNeeds.avoid.add(key.provider);
        if (!this.#deadlinePassed() && admission.takeNextKey(outcome.fault)) continue;
      }
      return this.#judge(outcome, { deployment, health, admission, startedMs });
    }
  }

  #needsOf({ upstreamModel: model }: Deployment): CallNeeds {
    return { ...this.#keyNeeds, model };
  }

  /** Recorded once for each deployment, however often it is skipped. */
  #passOver(deployment: Deployment, blocked: Blocked): void {
    const isNew = !this.#passedOver.has(deployment);
    this.#passedOver.set(deployment, blocked);
    if (!isNew) return;
    const { fault, attempt: code } = blocked;
    const why = fault === null ? null : `${BLOCKED_BY[code]} ${fault}`;
    this.#request.running.called(notCalled(deployment, code, why));
  }

  /** What limits a call of the deployment, and its kind; undefined where times are not measured. */
  #limitsOf(
    deployment: Deployment,
    { calls }: DeploymentHealth,
  ): { readonly limits: AppliedLimits; readonly kind: CallKind | undefined } {
    const { limits: table, health, settings } = this.calling;
    const { measuredTimeouts } = settings;
    const effort = measuredTimeouts || table.byEffort ? this.operation.effortAt(deployment) : undefined;
    const limits = table.of(deployment, effort);
    const { reply } = this.operation;
    if (!measuredTimeouts || reply === undefined) return { limits, kind: undefined };
    const kind = { reply, effort };
    const hasAnother = () =>
      this.#models.some(({ deployments }) =>
        deployments.some(
          (one) =>
            one !== deployment && !this.#called.has(one) && health.of(one).rank(this.#needsOf(one)) < 2,
        ),
      );
    return { limits: withMeasured(limits, calls.timesOf(kind), { hasAnother }), kind };
  }

  /** Waits until a call ends that may leave room for another. */
  #waitForEnd(): Promise<void> {
    const { clock, timers, health } = this.calling;
    const [signal, ms] = [this.#signal, Math.ceil(this.#deadlineMs - clock())];
    return wait(ms, { timers, signal, sooner: (wake) => health.onFree(wake) });
  }

  /** Without what the provider said, which may quote the prompt. */
  #log({ kind, attempt }: AttemptOutcome<Answer>): void {
    const { provider, model, status, code, latency_ms } = attempt;
    const fields = {
      request_id: this.#request.running.context.requestId,
      provider,
      model,
      status,
      code,
      latency_ms,
    };
    if (kind === "failed") this.calling.logger?.info(fields, "upstream call failed");
    else this.calling.logger?.debug(fields, "upstream call");
  }

  #judge(
    outcome: AttemptOutcome<Answer>,
    { deployment, health, admission, startedMs }: MadeCall,
  ): Reached<Answer> | FailedCall | Promise<Reached<Answer> | FailedCall | null> {
    const { clock } = this.calling;
    switch (outcome.kind) {
      case "answered":
        if (outcome.attempt.served_model !== undefined) health.servedAnother();
        this.operation.repaired?.(deployment);
        this.#end(admission, outcome.answer, clock() - startedMs);
        return { ...outcome.answer, deployment, admission };
      case "failed": {
        const { attempt } = outcome;
        if (!outcome.fault.passing && this.#isRepaired(deployment, outcome.fault)) {
          this.#failures.push({ attempt, fault: outcome.fault });
          admission.released();
          return this.#try(deployment);
        }
        admission.failed(outcome.fault);
        const fault = health.faultOfAll(outcome.fault, this.#needsOf(deployment));
        this.#failures.push({ attempt, fault });
        // A key may be free again once everything else was tried.
        if (fault !== outcome.fault)
          this.#passedOver.set(deployment, { attempt: "keys_resting", fault: fault.code });
        if (fault.retryable) return { deployment, fault, failedMs: clock() };
        throw refusalError(fault, deployment, this.operation);
      }
      case "abandoned":
        admission.released();
        throw cancellationOf(this.#signal);
      case "broken":
        admission.released();
        throw outcome.error;
    }
  }

  /** Ends the admission of a call that was answered; that of a stream goes on. */
  #end(admission: Admission, answer: ChatAnswer | EmbeddingsAnswer, totalMs: number): void {
    if (answer.kind === "stream") admission.answered();
    else {
      const tokens = answer.kind === "completion" ? answer.tokens?.completionTokens : undefined;
      const counted = tokens === undefined ? undefined : { tokens, totalMs };
      admission.succeeded({ firstContentMs: totalMs, counted });
    }
  }

  /** Whether a request that was refused can be sent again, changed. */
  #isRepaired(deployment: Deployment, fault: ProviderFault): boolean {
    const field = this.#isOver() ? null : (this.operation.repair?.(deployment, fault) ?? null);
    if (field === null) return false;
    const { provider, model } = deployment;
    const fields = { request_id: this.#request.running.context.requestId, provider, model, field };
    this.calling.logger?.info(
      fields,
      "sent again with a field changed or left out that the provider refused",
    );
    return true;
  }

  #waitUntil(dueMs: number): Promise<void> {
    const { clock, timers } = this.calling;
    return wait(Math.ceil(dueMs - clock()), { timers, signal: this.#signal });
  }

  #isOver(): boolean {
    return this.#calls >= this.calling.settings.maxAttempts || this.#deadlinePassed();
  }

  #deadlinePassed(): boolean {
    return this.calling.clock() >= this.#deadlineMs;
  }

  /** When every provider asked for a wait or is not called, the time until the first may be called again. */
  #retryAfterMs(): number | null {
    if (!this.#failures.every(({ fault }) => fault.code === "rate_limited")) return null;
    const waits = this.#models.flatMap(({ deployments }) =>
      deployments.flatMap((one) => this.calling.health.of(one).waitMs(this.#needsOf(one)) ?? []),
    );
    return waits.length === 0 ? null : Math.min(...waits);
  }
}

/** A call that was answered, or failed. */
interface MadeCall {
  readonly deployment: Deployment;
  readonly health: DeploymentHealth;
  readonly admission: Admission;
  readonly startedMs: number;
}

const BLOCKED_BY = {
  circuit_open: "the last failure was",
  concurrency_limit: "the limit of concurrent calls is reached, which counts as",
  keys_resting: "none of its keys can be used now; the first rests because of",
} as const satisfies Record<Blocked["attempt"], string>;

/** The attempt of a call that was not made. */
const notCalled = ({ provider, model }: Deployment, code: string, why: string | null): Attempt => ({
  provider,
  model,
  status: null,
  code,
  latency_ms: 0,
  message: why === null ? null : `not called: ${why}`,
});
