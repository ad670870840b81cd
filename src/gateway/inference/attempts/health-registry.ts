import type { Deployment } from "../../../engine/catalog/deployments/deployment.js";
import { type Clock, shownMs } from "../../../foundation/timers.js";
import type { KeyPool, KeyRequest, TakenKey } from "../../providers/keys/key-pool.js";
import { isKeyFault } from "../../providers/keys/key-rest.js";
import { ProviderFault, type ProviderFaultCode } from "../../providers/provider.js";
import type { Settings } from "../../settings/settings.js";
import { DecayingFigures, EXPECTED_FIGURES, type HostFigures } from "../hosts/host-figures.js";
import type { CircuitCount, Health, ModelHealth } from "../inference.js";
import { type Admission, type CircuitLog, type DeploymentHealth, OpenAdmission } from "./admission.js";
import { CIRCUIT_STATES, CircuitBreaker, type CircuitState } from "./circuit-breaker.js";
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

const NO_NEEDS: CallNeeds = { tokens: 0 };

/** Circuit state, error rate and time to first token for each pair of provider and model, from the calls made. */
export class HealthRegistry {
  readonly #entries = new Map<string, DeploymentHealth>();
  /** Calls under way, by the entry of `model_limits` whose concurrency they count against. */
  readonly #underWay = new Map<number, number>();
  readonly #waiting = new Set<() => void>();

  constructor(private readonly dependencies: HealthRegistryDependencies) {}

  /**
   * Null when the circuit is open, or half-open with another call probing it. For a request without alternative, only when
   * `circuitProbes` calls probe it already. In a pause that the provider asked for, there are at most that many calls too.
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
    const pass = isOnly ? entry.circuit.enterWithoutAlternative(now) : entry.circuit.enter(now);
    if (pass === null) return null;
    const keys = this.#keysOf(deployment);
    const takeKey = keys && (() => keys.take(keyRequest(deployment, needs)));
    const key = takeKey?.() ?? null;
    if (keys !== undefined && key === null) {
      entry.circuit.released(pass);
      return null;
    }
    const ended = this.#begin(needs, key);
    const { logger } = this.dependencies;
    const timed = kind && (() => timesIn(entry, kind));
    const call = { clock, settings, logger, requestId, isOnly, inPause, key, takeKey, timed, ended };
    return new OpenAdmission(entry, pass, call);
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
    const entry = this.#find(deployment);
    const isOpen = entry !== undefined && entry.circuit.openUntilMs !== null;
    if (byKeys === undefined || isOpen) return { attempt: "circuit_open", fault: entry?.lastFault ?? null };
    if (byKeys === "in_use") return { attempt: "concurrency_limit", fault: "rate_limited" };
    return { attempt: "keys_resting", fault: byKeys };
  }

  /**
   * What a fault of a key means for the deployment once there is no other key: the reason and the wait of the key that may
   * be used first. Any other fault as it is.
   */
  faultOfAll(deployment: Called, fault: ProviderFault, needs: CallNeeds = NO_NEEDS): ProviderFault {
    const keys = this.#keysOf(deployment);
    if (keys === undefined || !isKeyFault(fault)) return fault;
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
    const entry = this.#find(deployment);
    if (entry !== undefined && entry.circuit.openUntilMs !== null) return null;
    const now = this.dependencies.clock();
    const endMs = Math.max(entry?.pausedUntilMs ?? 0, now + this.#keysRestMs(deployment, needs));
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
    const entry = this.#find(deployment);
    const now = this.dependencies.clock();
    const state = entry?.circuit.state(now);
    if (state === "open") return 3;
    if (this.#keysRestMs(deployment, needs) > 0) return 2;
    if (entry === undefined) return 0;
    if (now < entry.pausedUntilMs) return 2;
    return state === "half_open" && !entry.circuit.isDue(now) ? 1 : 0;
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
    return this.#find(deployment)?.circuit.state(this.dependencies.clock()) === "open";
  }

  /** Milliseconds until the deployment may be called again; null when it may be called now. */
  waitMs(deployment: Called, needs: CallNeeds = NO_NEEDS): number | null {
    const entry = this.#find(deployment);
    const untilMs = Math.max(entry?.pausedUntilMs ?? 0, entry?.circuit.openUntilMs ?? 0);
    const waitMs = Math.max(untilMs - this.dependencies.clock(), this.#keysRestMs(deployment, needs));
    return waitMs > 0 ? waitMs : null;
  }

  /** What is known of these providers does not hold any more. Calls under way count for nothing. */
  forget(providers: readonly string[]): void {
    for (const [key, { provider }] of this.#entries)
      if (providers.includes(provider)) this.#entries.delete(key);
  }

  /** Of how many models each provider's circuits are in each state, of those that were called. */
  circuits(): readonly CircuitCount[] {
    const now = this.dependencies.clock();
    const counts = new Map<string, Record<CircuitState, number>>();
    for (const { provider, circuit } of this.#entries.values()) {
      const states = counts.get(provider) ?? { closed: 0, open: 0, half_open: 0 };
      states[circuit.state(now)] += 1;
      counts.set(provider, states);
    }
    return [...counts].flatMap(([provider, states]) =>
      CIRCUIT_STATES.map((state) => ({ provider, state, models: states[state] })),
    );
  }

  health({ provider, model }: Named): Health {
    const entry = this.#find({ provider, model });
    if (entry === undefined) return { state: "closed", error_rate: null, p50_ttft_ms: null };
    return this.#healthOf(entry);
  }

  /** Of every provider and model that was called. */
  all(): readonly ModelHealth[] {
    return [...this.#entries.values()].map((entry) => {
      const { provider, model } = entry;
      return { provider, model, health: this.#healthOf(entry) };
    });
  }

  #healthOf({ circuit, recent }: DeploymentHealth): Health {
    const median = recent.medianFirstContentMs;
    return {
      state: circuit.state(this.dependencies.clock()),
      error_rate: recent.errorRate,
      p50_ttft_ms: median === null ? null : shownMs(median),
    };
  }

  #find({ provider, model }: Named): DeploymentHealth | undefined {
    return this.#entries.get(keyOf(provider, model));
  }

  #entryOf({ provider, model }: Named): DeploymentHealth {
    const key = keyOf(provider, model);
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const {
      circuitFailures: failures,
      circuitCooldownMs: cooldownMs,
      circuitProbes: probes,
    } = this.dependencies.settings;
    const circuit = new CircuitBreaker({ failures, cooldownMs, probes });
    const entry: DeploymentHealth = {
      provider,
      model,
      circuit,
      recent: new RecentCalls(),
      times: new Map(),
      figures: new DecayingFigures(),
      pausedUntilMs: Number.NEGATIVE_INFINITY,
      callsInPause: 0,
      lastFault: null,
    };
    if (this.#entries.size >= MOST_ENTRIES) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
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
