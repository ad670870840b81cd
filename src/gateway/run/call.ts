/** Retries of a deployment and fallbacks to others. */
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import { SextantError } from "../../foundation/errors.js";
import type { Timers } from "../../foundation/timers.js";
import type { LimitRefusal } from "../access/limits/limit-replies.js";
import type { Provider, ProviderFault } from "../providers/provider.js";
import type { Settings } from "../settings/settings.js";
import type { HostChoice } from "../traces/trace.js";
import type { AttemptOutcome } from "./attempt.js";
import { wait } from "./backoff.js";
import { type FailedCall, firstRound, nextRound, type ScheduleOptions } from "./call-schedule.js";
import { cancellationOf } from "./cancellation.js";
import { isAffordable } from "./caps.js";
import { orderDeployments } from "./deployment-order.js";
import type { CallNeeds, HealthRegistry } from "./health.js";
import { type CallKind, withMeasured } from "./measured-limits.js";
import type { AppliedLimits, ModelLimits } from "./model-limits.js";
import { notCalled, PassedOver } from "./passed-over.js";
import type { PlannedModel } from "./planned-models.js";
import { expectedCostUsd } from "./request-size.js";
import type { Attempted, DispatchRequest, Sending, SendingDependencies } from "./sending.js";
import { type CallFailure, failureError, refusalError } from "./upstream-errors.js";

export interface DispatchDependencies extends SendingDependencies {
  readonly health: HealthRegistry;
  readonly timers: Timers;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly limits: ModelLimits;
  readonly settings: SendingDependencies["settings"] &
    Pick<Settings, "retries" | "retryMaxWaitMs" | "maxAttempts" | "measuredTimeouts" | "hostSort">;
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

/**
 * Calls the models in order until one answers; for a stream, until its first content.
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
export const dispatch = <Answered, Result>(
  plan: readonly PlannedModel[],
  sending: Sending<Answered, Result>,
  dependencies: DispatchDependencies,
): Promise<Result> => new Dispatch(sending, dependencies).run(plan);

interface Success<Result> {
  readonly result: Result;
}

class Dispatch<Answered, Result> {
  readonly #called = new Set<Deployment>();
  readonly #passedOver = new PassedOver();
  readonly #failures: CallFailure[] = [];
  #calls = 0;
  /** Why the first that was left out because of a budget was not called. */
  #overBudget: LimitRefusal | undefined;
  /** Whether the plan has one deployment, so that nothing else can serve the request. */
  #isOnly = false;
  /** Why the deployments of the model are called in their order; undefined once an attempt has it. */
  #choice: HostChoice | undefined;

  readonly #request: DispatchRequest;
  readonly #keyNeeds: CallNeeds & { readonly avoid: Set<Provider> };
  readonly #schedule: ScheduleOptions;
  #plan: readonly PlannedModel[] = [];

  constructor(
    private readonly sending: Sending<Answered, Result>,
    private readonly dependencies: DispatchDependencies,
  ) {
    this.#request = sending.request;
    const { size, warm, key, deadlineMs } = sending.request;
    const { clock, random, health, settings } = dependencies;
    this.#keyNeeds = {
      tokens: size.promptTokens + size.answerTokens,
      prefer: key ?? warm?.key,
      avoid: new Set(),
    };
    const longestMs = settings.retryMaxWaitMs;
    this.#schedule = { clock, random, health, needs: this.#keyNeeds, longestMs, deadlineMs };
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
    if (this.#overBudget !== undefined && this.#failures.length + this.#passedOver.size === 0)
      throw this.#overBudget;
    throw failureError(this.#request.record.attempts, {
      failures: this.#failures,
      blocked: [...this.#passedOver].map(([{ provider }, { fault }]) => ({ provider, code: fault })),
      remedyOf: this.dependencies.remedyOf,
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
      if (tried !== null && "result" in tried) return tried;
    }
    return null;
  }

  async #tryModel({ name, deployments }: PlannedModel): Promise<Success<Result> | null> {
    const { settings, health } = this.dependencies;
    const { size, hosts: rules, warm } = this.#request;
    const ordered = orderDeployments(deployments, {
      size,
      rules,
      sort: settings.hostSort,
      warm: warm?.model === name ? warm : undefined,
      rank: (deployment) => health.rank(deployment, this.#keyNeeds),
      figures: (deployment) => health.figures(deployment),
    });
    this.#choice = ordered.choice;
    let scheduled = firstRound(ordered.deployments, this.#schedule);
    for (let round = 0; ; round++) {
      const failures: FailedCall[] = [];
      for (const { deployment, dueMs } of scheduled) {
        if (this.#isOver()) return null;
        if (dueMs > this.dependencies.clock()) await this.#waitUntil(dueMs);
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
  async #try(deployment: Deployment): Promise<Success<Result> | FailedCall | null> {
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
    const { limits, kind } = this.#limitsOf(deployment);
    const { concurrency } = limits;
    const needs = concurrency === undefined ? this.#keyNeeds : { ...this.#keyNeeds, concurrency };
    const alternative = this.#isOnly ? "none" : "other deployments";
    const admission = health.admit(deployment, { requestId, needs, kind, alternative });
    if (admission === null) {
      this.#passedOver.skip(deployment, health.blockedBy(deployment, needs), this.#request.record);
      return null;
    }
    const { signal: clientSignal, span, deadlineMs, record, size, maxUsd } = this.#request;
    this.#passedOver.delete(deployment);
    if (maxUsd !== undefined && !isAffordable(deployment, size, maxUsd - record.spentUsd)) {
      admission.released();
      const cap = "the calls before leave too little of `max_usd_per_request`";
      record.called(notCalled(deployment, "over_budget", cap));
      return null;
    }
    const reserving = record.reserve(deployment, expectedCostUsd(size, deployment.price));
    const refusal = reserving instanceof Promise ? await reserving : reserving;
    if (refusal !== null) {
      admission.released();
      this.#overBudget ??= refusal;
      record.called(notCalled(deployment, "over_budget", refusal.message));
      return null;
    }
    this.#calls += 1;
    this.#called.add(deployment);
    for (;;) {
      const startedMs = clock();
      const headers = span?.callStarted(deployment, record.attempts.length);
      const { key } = admission;
      const host = this.#choice;
      this.#choice = undefined;
      const outcome = await this.sending.send(deployment, key?.provider ?? provider, {
        clientSignal,
        deadlineMs,
        clock,
        timers,
        headers,
        key,
        host,
        stages: limits,
        total: limits.total,
      });
      record.called(outcome.attempt, "unreported" in outcome ? outcome.unreported : null);
      this.#log(outcome);
      if (outcome.kind === "failed" && key !== null) {
        this.#keyNeeds.avoid.add(key.provider);
        if (!this.#deadlinePassed() && admission.takeNextKey(outcome.fault)) continue;
      }
      return this.#judge(outcome, { deployment, admission, startedMs });
    }
  }

  /** What limits a call of the deployment, and its kind; undefined where times are not measured. */
  #limitsOf(deployment: Deployment): { readonly limits: AppliedLimits; readonly kind: CallKind | undefined } {
    const { limits: table, health, settings } = this.dependencies;
    const { measuredTimeouts } = settings;
    const effort = measuredTimeouts || table.byEffort ? this.sending.effortAt(deployment) : undefined;
    const limits = table.of(deployment, effort);
    const { reply } = this.sending;
    if (!measuredTimeouts || reply === undefined) return { limits, kind: undefined };
    const kind = { reply, effort };
    const hasAnother = () =>
      this.#plan.some(({ deployments }) =>
        deployments.some(
          (one) => one !== deployment && !this.#called.has(one) && health.rank(one, this.#keyNeeds) < 2,
        ),
      );
    return { limits: withMeasured(limits, health.timesOf(deployment, kind), { hasAnother }), kind };
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
  ): Success<Result> | FailedCall | Promise<Success<Result> | FailedCall | null> {
    const { deployment, admission } = tried;
    const { clock, health } = this.dependencies;
    switch (outcome.kind) {
      case "answered":
        if (outcome.attempt.served_model !== undefined) health.servedAnother(deployment);
        return { result: this.sending.accept(outcome.answered, tried) };
      case "failed": {
        const { attempt } = outcome;
        if (!outcome.fault.passing && this.#isRepaired(deployment, outcome.fault)) {
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
        if (fault.retryable) return { deployment, fault, failedMs: clock() };
        throw refusalError(fault, deployment, this.sending);
      }
      case "abandoned":
        admission.released();
        throw cancellationOf(this.#request.signal);
      case "broken":
        admission.released();
        throw outcome.error;
    }
  }

  /** Whether a request that was refused can be sent again, changed. */
  #isRepaired(deployment: Deployment, fault: ProviderFault): boolean {
    const field = this.#isOver() ? null : (this.sending.repair?.(deployment, fault) ?? null);
    if (field === null) return false;
    const { provider, model } = deployment;
    const fields = { request_id: this.#request.requestId, provider, model, field };
    this.dependencies.logger?.info(
      fields,
      "asked again with a field changed or left out that the provider refuses",
    );
    return true;
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
