import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import { type Clock, shownMs } from "../../foundation/timers.js";
import type { KeyPool, KeyRequest, TakenKey } from "../providers/keys/key-pool.js";
import { ProviderFault, type ProviderFaultCode } from "../providers/provider.js";
import type { Settings } from "../settings/settings.js";
import type { Admission, CircuitLog, DeploymentHealth, Guard } from "./admission.js";
import { OpenAdmission } from "./admission.js";
import { CIRCUIT_STATES, CircuitBreaker } from "./circuit-breaker.js";
import { DecayingFigures, EXPECTED_FIGURES, type HostFigures } from "./host-figures.js";
import type { CircuitCount, Health, ModelHealth } from "./inference.js";
import { type CallKind, CallTimes } from "./measured-limits.js";
import type { ConcurrencyLimit } from "./model-limits.js";
import { RecentCalls } from "./recent-calls.js";

/** Maximum number of entries, one for each pair of provider and model; the oldest is dropped first. About 16 MB with all. */
const MOST_ENTRIES = 4096;

export interface HealthRegistryDependencies {
  readonly clock: Clock;
  readonly settings: Pick<Settings, "circuitFailures" | "circuitCooldownMs" | "circuitProbes">;
  readonly logger?: CircuitLog | undefined;
  /** Of a provider that has several. */
  readonly keysOf?: (provider: string) => KeyPool | undefined;
}

export interface AdmitOptions {
  /** Named in the line of a circuit that opens or closes by this call. */
  readonly requestId?: string;
  /** Whether the request can be served by something else. Default: yes. */
  readonly alternative?: "none" | "other deployments";
  readonly needs?: CallNeeds;
  /** Absent: its times are not compared with others'. */
  readonly kind?: CallKind | undefined;
}

/** What a request needs of a key, whichever the model, and the limit of calls at once that it counts against. */
export interface CallNeeds extends Omit<KeyRequest, "model"> {
  readonly concurrency?: ConcurrencyLimit | undefined;
}

type Named = Pick<Deployment, "provider" | "model">;
type Called = Named & Partial<Pick<Deployment, "upstreamModel">>;

/** Why a deployment is not called, as an attempt says it, and the fault behind it. */
export interface Blocked {
  readonly attempt: "circuit_open" | "keys_resting" | "concurrency_limit";
  /** Null when there is none. */
  readonly fault: ProviderFaultCode | null;
}

const NO_CALLS = new RecentCalls();
const NO_NEEDS: CallNeeds = { tokens: 0 };

/** Circuit state, error rate and time to first token for each pair of provider and model, from the calls made. */
export class HealthRegistry {
  readonly #entries = new Map<string, DeploymentHealth>();
  /** By provider: each rests when the vendor refuses the operator's account. */
  readonly #accounts = new Map<string, Guard>();
  /** Calls under way, by the entry of `model_limits` whose concurrency they count against. */
  readonly #underWay = new Map<number, number>();
  readonly #waiting = new Set<() => void>();

  constructor(private readonly dependencies: HealthRegistryDependencies) {}

  /**
   * Null when the circuit, or that of the account, is open, or half-open with another call probing it. For a request without
   * alternative, only when `circuitProbes` calls probe it already. In a pause that the provider asked for, there are at most that many calls too.
   * Also null when none of several keys may be used, and when as many calls are under way as `model_limits` allow.
   */
  admit(
    deployment: Called,
    { requestId, alternative, needs = NO_NEEDS, kind }: AdmitOptions = {},
  ): Admission | null {
    const { clock, settings } = this.dependencies;
    if (this.#isFull(needs)) return null;
    const entry = this.#entryOf(deployment);
    const now = clock();
    const inPause = now < entry.pausedUntilMs;
    if (inPause && entry.callsInPause >= settings.circuitProbes) return null;
    const isOnly = alternative === "none";
    const guard = this.#guardOf(deployment);
    const pass = isOnly ? guard.circuit.enterWithoutAlternative(now) : guard.circuit.enter(now);
    if (pass === null) return null;
    const keys = this.#keysOf(deployment);
    const takeKey = keys && (() => keys.take(keyRequest(deployment, needs)));
    const key = takeKey?.() ?? null;
    if (keys !== undefined && key === null) {
      guard.circuit.released(pass);
      return null;
    }
    const ended = this.#begin(needs, key);
    const { logger } = this.dependencies;
    const timed = kind && (() => timesIn(entry, kind));
    const account = this.#accountOf(deployment);
    const call = { clock, settings, logger, requestId, isOnly, inPause, key, takeKey, timed, ended };
    return new OpenAdmission(entry, pass, { ...call, guard, account });
  }

  #isFull({ concurrency }: CallNeeds): boolean {
    return concurrency !== undefined && (this.#underWay.get(concurrency.entry) ?? 0) >= concurrency.most;
  }

  /** Counts a call that has to fit in. @returns what ends it; undefined for calls that need not */
  #begin({ concurrency }: CallNeeds, key: TakenKey | null): (() => void) | undefined {
    if (concurrency === undefined && key === null) return undefined;
    const add = (calls: number): void => {
      if (concurrency === undefined) return;
      this.#underWay.set(concurrency.entry, (this.#underWay.get(concurrency.entry) ?? 0) + calls);
    };
    add(1);
    return () => {
      add(-1);
      for (const wake of this.#waiting) wake();
    };
  }

  /** Calls the listener whenever a call ends that others may wait for. @returns what stops that */
  onFree(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  /** The times of such calls; undefined before the first. */
  timesOf(deployment: Named, kind: CallKind): CallTimes | undefined {
    return this.#find(deployment)?.times.get(nameOf(kind));
  }

  #keysOf({ provider }: Named): KeyPool | undefined {
    return this.dependencies.keysOf?.(provider);
  }

  /** Why the deployment is not called now. */
  blockedBy(deployment: Called, needs: CallNeeds = NO_NEEDS): Blocked {
    if (this.#isFull(needs)) return { attempt: "concurrency_limit", fault: "rate_limited" };
    const byKeys = this.#keysOf(deployment)?.blockedBy(keyRequest(deployment, needs));
    const { circuit, lastFault: fault } = this.#guardOf(deployment);
    if (byKeys === undefined || circuit.openUntilMs !== null) return { attempt: "circuit_open", fault };
    if (byKeys === "in_use") return { attempt: "concurrency_limit", fault: "rate_limited" };
    return { attempt: "keys_resting", fault: byKeys };
  }

  /**
   * What a fault of a key means for the deployment once there is no other key: the reason and the wait of the key that may
   * be used first. Any other fault as it is.
   */
  faultOfAll(deployment: Called, fault: ProviderFault, needs: CallNeeds = NO_NEEDS): ProviderFault {
    const keys = this.#keysOf(deployment);
    if (keys === undefined || fault.rests === null) return fault;
    const code = this.blockedBy(deployment, needs).fault ?? fault.code;
    const retryAfterMs = keys.waitMs(keyRequest(deployment, needs));
    const { status, upstreamMessage } = fault;
    const details = { status: code === fault.code ? status : null, upstreamMessage, retryAfterMs };
    return new ProviderFault(code, fault.message, details);
  }

  /**
   * When the pause ends that the provider asked for, or the rest of the first of its keys, by the clock; null when it asked
   * for none, or its circuit is open.
   */
  pauseEndMs(deployment: Called, needs: CallNeeds = NO_NEEDS): number | null {
    if (this.#guardOf(deployment).circuit.openUntilMs !== null) return null;
    const now = this.dependencies.clock();
    const pausedUntilMs = this.#find(deployment)?.pausedUntilMs ?? 0;
    const endMs = Math.max(pausedUntilMs, now + this.#keysRestMs(deployment, needs));
    return endMs > now ? endMs : null;
  }

  /** Milliseconds until the first of several keys may be used; 0 when one may be now. */
  #keysRestMs(deployment: Called, needs: CallNeeds): number {
    return this.#keysOf(deployment)?.waitMs(keyRequest(deployment, needs)) ?? 0;
  }

  /**
   * Priority for calls: 0 closed, 1 half-open, 2 paused by `retry-after` or with all keys resting, 3 open. A circuit that
   * has been half-open for a whole cooldown ranks 0, so that a call probes it although other providers are healthy.
   */
  rank(deployment: Called, needs: CallNeeds = NO_NEEDS): number {
    const { circuit } = this.#guardOf(deployment);
    const now = this.dependencies.clock();
    const state = circuit.state(now);
    if (state === "open") return 3;
    const pausedUntilMs = this.#find(deployment)?.pausedUntilMs ?? 0;
    if (this.#keysRestMs(deployment, needs) > 0 || now < pausedUntilMs) return 2;
    return state === "half_open" && !circuit.isDue(now) ? 1 : 0;
  }

  /** What it can be expected to do, from the calls made. */
  figures(deployment: Named): HostFigures {
    return this.#find(deployment)?.figures.at(this.dependencies.clock()) ?? EXPECTED_FIGURES;
  }

  /** A call that succeeded was answered by another model than was asked for. */
  servedAnother(deployment: Named): void {
    this.#find(deployment)?.figures.servedAnother(this.dependencies.clock());
  }

  isOpen(deployment: Named): boolean {
    return this.#guardOf(deployment).circuit.state(this.dependencies.clock()) === "open";
  }

  /** Milliseconds until the deployment may be called again; null when it may be called now. */
  waitMs(deployment: Called, needs: CallNeeds = NO_NEEDS): number | null {
    const pausedUntilMs = this.#find(deployment)?.pausedUntilMs ?? 0;
    const untilMs = Math.max(pausedUntilMs, this.#guardOf(deployment).circuit.openUntilMs ?? 0);
    const waitMs = Math.max(untilMs - this.dependencies.clock(), this.#keysRestMs(deployment, needs));
    return waitMs > 0 ? waitMs : null;
  }

  /** What is known of these providers does not hold any more. Calls under way count for nothing. */
  forget(providers: readonly string[]): void {
    for (const [key, { provider }] of this.#entries)
      if (providers.includes(provider)) this.#entries.delete(key);
    for (const provider of providers) this.#accounts.delete(provider);
  }

  /** Of how many models each provider's circuits are in each state, of those that were called: 0 of a state too, without a reason. */
  circuits(): readonly CircuitCount[] {
    const counts = new Map<string, CircuitCount>();
    const add = (one: CircuitCount): void => {
      const key = `${one.provider} ${one.state} ${one.reason}`;
      counts.set(key, { ...one, models: one.models + (counts.get(key)?.models ?? 0) });
    };
    for (const { provider, health } of this.all()) {
      for (const state of CIRCUIT_STATES) add({ provider, state, reason: null, models: 0 });
      add({ provider, state: health.state, reason: health.reason, models: 1 });
    }
    return [...counts.values()];
  }

  health(deployment: Named): Health {
    const { circuit, lastFault } = this.#guardOf(deployment);
    const { errorRate, medianFirstContentMs: median } = this.#find(deployment)?.recent ?? NO_CALLS;
    return {
      state: circuit.state(this.dependencies.clock()),
      reason: circuit.openUntilMs === null ? null : lastFault,
      error_rate: errorRate,
      p50_ttft_ms: median === null ? null : shownMs(median),
    };
  }

  /** Of every provider and model that was called. */
  all(): readonly ModelHealth[] {
    return [...this.#entries.values()].map(({ provider, model }) => {
      return { provider, model, health: this.health({ provider, model }) };
    });
  }

  /** Of deployment and account, what keeps calls away for longer. */
  #guardOf(deployment: Named): Guard {
    const account = this.#accountOf(deployment);
    const entry = this.#find(deployment) ?? account;
    return (account.circuit.openUntilMs ?? 0) > (entry.circuit.openUntilMs ?? 0) ? account : entry;
  }

  #accountOf({ provider }: Pick<Named, "provider">): Guard {
    const account = this.#accounts.get(provider) ?? this.#newGuard();
    this.#accounts.set(provider, account);
    return account;
  }

  #newGuard(): Guard {
    const {
      circuitFailures: failures,
      circuitCooldownMs: cooldownMs,
      circuitProbes: probes,
    } = this.dependencies.settings;
    return { circuit: new CircuitBreaker({ failures, cooldownMs, probes }), lastFault: null };
  }

  #find({ provider, model }: Named): DeploymentHealth | undefined {
    return this.#entries.get(keyOf(provider, model));
  }

  #entryOf({ provider, model }: Named): DeploymentHealth {
    const key = keyOf(provider, model);
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const entry: DeploymentHealth = {
      provider,
      model,
      ...this.#newGuard(),
      recent: new RecentCalls(),
      times: new Map(),
      figures: new DecayingFigures(),
      pausedUntilMs: Number.NEGATIVE_INFINITY,
      callsInPause: 0,
    };
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= MOST_ENTRIES) this.#entries.delete(oldest);
    this.#entries.set(key, entry);
    return entry;
  }
}

const keyRequest = ({ model, upstreamModel = model }: Called, needs: CallNeeds): KeyRequest => ({
  ...needs,
  model: upstreamModel,
});

const nameOf = ({ reply, effort = "" }: CallKind): string => `${reply} ${effort}`;

function timesIn({ times }: DeploymentHealth, kind: CallKind): CallTimes {
  const name = nameOf(kind);
  const known = times.get(name) ?? new CallTimes(kind.reply);
  times.set(name, known);
  return known;
}

const keyOf = (provider: string, model: string): string => `${provider}\n${model}`;
