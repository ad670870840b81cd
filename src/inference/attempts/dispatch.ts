/** Retries and fallback; no other file has any. */
import type { Deployment } from "../../catalog/deployment.js";
import { SextantError } from "../../foundation/errors.js";
import type { Clock, Timers } from "../../foundation/timers.js";
import type { ChatBody, ChatCompletion } from "../../providers/chat.js";
import type { Provider, ProviderFault } from "../../providers/provider.js";
import type { TokenUsage } from "../../providers/token-usage.js";
import type { Settings } from "../../settings/settings.js";
import type { Attempt } from "../../traces/trace.js";
import { orderDeployments } from "../planning/deployment-order.js";
import type { PlannedModel } from "../planning/plan.js";
import type { RequestSize } from "../planning/request-size.js";
import { type AttemptOutcome, attempt, type OpenStream, type StageLimits } from "./attempt.js";
import { backoffMs, wait } from "./backoff.js";
import { ClientDisconnected } from "./client-disconnected.js";
import type { Admission, HealthRegistry } from "./health-registry.js";
import { upstreamBody } from "./upstream-body.js";
import { failureError, refusalError } from "./upstream-errors.js";

export interface DispatchDependencies {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly health: HealthRegistry;
  readonly clock: Clock;
  readonly timers: Timers;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly settings: StageLimits & Pick<Settings, "retries" | "retryMaxWaitMs" | "maxAttempts">;
  /** What would give a provider working credentials. */
  readonly remedyOf: (provider: string) => string | undefined;
}

export interface DispatchRequest {
  readonly body: ChatBody;
  readonly stream: boolean;
  readonly size: RequestSize;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /** When everything has to be over, by `clock`. */
  readonly deadlineMs: number;
  /** Where attempts are written as they end, in order; there too when this throws. */
  readonly attempts: Attempt[];
}

/** A deployment that answered. The attempt is the last of the request's. */
export type Reached =
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
      /** To be ended when the stream is. */
      readonly admission: Admission;
    };

/**
 * Tries the models in order until one answers, for a stream: until its first content.
 *
 * A model's deployments are tried one after the other, best first; then, after a wait, once more those whose fault may pass, up
 * to `retries` times; then those of the next model. A deployment that ran into a time limit is not tried again, nor one
 * that asks for a longer wait than `retryMaxWaitMs`. A deployment whose circuit is open is skipped. There are at most
 * `maxAttempts` calls, and all of it ends at the deadline.
 *
 * @throws SextantError `upstream_error`, `upstream_timeout` when all failed; at once, what a fault means that no other try
 * would mend. ClientDisconnected when the client leaves: the call under way is then aborted in the same tick
 */
export function dispatch(
  plan: readonly PlannedModel[],
  request: DispatchRequest,
  dependencies: DispatchDependencies,
): Promise<Reached> {
  return new Dispatch(request, dependencies).run(plan);
}

/** A deployment to try in a round. */
interface Turn {
  readonly deployment: Deployment;
  /** Not before this. */
  readonly dueMs: number;
}

interface Failure {
  readonly deployment: Deployment;
  readonly fault: ProviderFault;
  readonly failedMs: number;
}

interface Tried {
  readonly deployment: Deployment;
  readonly admission: Admission;
  readonly startedMs: number;
}

class Dispatch {
  #calls = 0;
  readonly #passedOver = new Set<Deployment>();

  constructor(
    private readonly request: DispatchRequest,
    private readonly dependencies: DispatchDependencies,
  ) {}

  async run(plan: readonly PlannedModel[]): Promise<Reached> {
    for (const { deployments } of plan) {
      const reached = await this.#tryModel(deployments);
      if (reached !== null) return reached;
    }
    throw failureError(this.request.attempts, {
      deadlinePassed: this.#deadlinePassed(),
      retryAfterMs: this.#retryAfterMs(plan),
    });
  }

  async #tryModel(deployments: readonly Deployment[]): Promise<Reached | null> {
    const { health, settings } = this.dependencies;
    const rank = (deployment: Deployment): number => health.rank(deployment);
    let turns: readonly Turn[] = orderDeployments(deployments, { rank, size: this.request.size }).map(atOnce);
    for (let round = 0; ; round++) {
      const failures: Failure[] = [];
      for (const { deployment, dueMs } of turns) {
        if (this.#isOver()) return null;
        if (dueMs > this.dependencies.clock()) await this.#waitUntil(dueMs);
        const tried = await this.#try(deployment);
        if (tried === null) continue;
        if ("fault" in tried) failures.push(tried);
        else return tried;
      }
      if (round === settings.retries) return null;
      turns = this.#nextRound(failures, round);
    }
  }

  /** Those that may do better soon, the soonest first. */
  #nextRound(failures: readonly Failure[], round: number): readonly Turn[] {
    const { clock, random, health, settings } = this.dependencies;
    const longestMs = settings.retryMaxWaitMs;
    const earliestMs = clock() + backoffMs(round, { random, longestMs });
    return failures
      .filter(({ fault }) => fault.code !== "timeout" && (fault.retryAfterMs ?? 0) <= longestMs)
      .map(({ deployment, fault, failedMs }) => ({
        deployment,
        dueMs: Math.max(earliestMs, failedMs + (fault.retryAfterMs ?? 0)),
      }))
      .filter(({ deployment, dueMs }) => dueMs < this.request.deadlineMs && !health.isOpen(deployment))
      .sort((left, right) => left.dueMs - right.dueMs);
  }

  /** Null: its circuit is open. */
  async #try(deployment: Deployment): Promise<Reached | Failure | null> {
    if (this.request.signal.aborted) throw new ClientDisconnected();
    const { providers, health, clock, timers, settings } = this.dependencies;
    const provider = providers.get(deployment.provider);
    if (provider === undefined) {
      throw new SextantError(
        "internal_error",
        `the catalog enables ${deployment.provider}, which is not there`,
      );
    }
    const admission = health.admit(deployment);
    if (admission === null) return this.#passOver(deployment);
    this.#calls += 1;
    const { body, stream, signal: clientSignal, deadlineMs, attempts } = this.request;
    const startedMs = clock();
    const outcome = await attempt(deployment, provider, {
      body: upstreamBody(body, deployment),
      stream,
      stages: settings,
      clientSignal,
      deadlineMs,
      clock,
      timers,
    });
    attempts.push(outcome.attempt);
    return this.#judge(outcome, { deployment, admission, startedMs });
  }

  #judge(outcome: AttemptOutcome, { deployment, admission, startedMs }: Tried): Reached | Failure {
    const { clock, remedyOf } = this.dependencies;
    switch (outcome.kind) {
      case "completion":
        admission.succeeded(clock() - startedMs);
        return { kind: "completion", deployment, completion: outcome.completion, tokens: outcome.tokens };
      case "stream":
        admission.answered();
        return { kind: "stream", deployment, stream: outcome.stream, admission };
      case "failed": {
        const { fault } = outcome;
        admission.failed(fault);
        if (fault.retryable) return { deployment, fault, failedMs: clock() };
        const { attempts } = this.request;
        throw refusalError(fault, deployment, { attempts, remedy: remedyOf(deployment.provider) });
      }
      case "abandoned":
        admission.released();
        throw new ClientDisconnected();
      case "broken":
        admission.released();
        throw outcome.error;
    }
  }

  /** Recorded once for each deployment, however often its circuit is found open. */
  #passOver(deployment: Deployment): null {
    const { provider, model } = deployment;
    if (!this.#passedOver.has(deployment)) {
      this.#passedOver.add(deployment);
      this.request.attempts.push({ provider, model, status: null, code: "circuit_open", latency_ms: 0 });
    }
    return null;
  }

  #waitUntil(dueMs: number): Promise<void> {
    const { clock, timers } = this.dependencies;
    return wait(Math.ceil(dueMs - clock()), { timers, signal: this.request.signal });
  }

  #isOver(): boolean {
    return this.#calls >= this.dependencies.settings.maxAttempts || this.#deadlinePassed();
  }

  #deadlinePassed(): boolean {
    return this.dependencies.clock() >= this.request.deadlineMs;
  }

  /** When every provider asked for a rest, or gets one, the time until the first may be asked again. */
  #retryAfterMs(plan: readonly PlannedModel[]): number | null {
    const { attempts } = this.request;
    if (!attempts.every(({ code }) => code === "rate_limited" || code === "circuit_open")) return null;
    const waits = plan.flatMap(({ deployments }) =>
      deployments.flatMap((deployment) => this.dependencies.health.waitMs(deployment) ?? []),
    );
    return waits.length === 0 ? null : Math.min(...waits);
  }
}

const atOnce = (deployment: Deployment): Turn => ({ deployment, dueMs: Number.NEGATIVE_INFINITY });
