/** What is known of every provider and model that this process calls, from the calls it made, and whether they may be called now. */
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import { type Clock, shownMs } from "../../foundation/timers.js";
import type { KeyPool, KeyRequest, TakenKey } from "../providers/keys/key-pool.js";
import { restMsOf } from "../providers/keys/key-rest.js";
import { FAULTS, ProviderFault, type ProviderFaultCode } from "../providers/provider.js";
import type { Settings } from "../settings.js";
import type { CallKind, CallTimes, ConcurrencyLimit } from "./call-limits.js";
import { type AnsweredCall, CallStatistics, EXPECTED_FIGURES, type HostFigures } from "./call-statistics.js";
import { CIRCUIT_STATES, CircuitBreaker, type Pass } from "./circuit-breaker.js";
import type { InferenceLog } from "./dependencies.js";
import type { CircuitCount, Health, ModelHealth } from "./inference.js";

/** Maximum number of entries, one for each pair of provider and model; the oldest is dropped first. About 16 MB with all. */
const MOST_ENTRIES = 4096;

/** Enough to find out soon that a service has recovered, few enough that one that hangs holds hardly any requests. */
const PROBES = 4;

/** Limit of a requested wait: a provider that asks for a day would otherwise not be called even after it recovered. */
const LONGEST_PAUSE_MS = 3_600_000;

type CircuitLog = Pick<InferenceLog, "warn" | "info">;

export interface HealthDependencies {
  readonly clock: Clock;
  readonly settings: Pick<Settings, "circuitFailures" | "circuitCooldownMs">;
  /** Most calls at once of requests that nothing else can serve while a circuit is not closed or a provider asked for a wait. Default: 4. */
  readonly probes?: number | undefined;
  /** Receives a line whenever a circuit opens or closes, and whenever an account or a model there begins to rest. */
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

/** What keeps calls away from an account, or from a model there. */
interface Guard {
  readonly circuit: CircuitBreaker;
  /** The last failure that opened the circuit or asked for a pause. */
  lastFault: ProviderFaultCode | null;
}

/** What is known of a model at a provider. */
interface DeploymentHealth extends Guard {
  readonly provider: string;
  readonly model: string;
  readonly calls: CallStatistics;
  /** End of the pause that the provider asked for (`retry-after`). */
  pausedUntilMs: number;
  /** Calls under way that began in that pause. */
  callsInPause: number;
}

const NO_CALLS = new CallStatistics();
const NO_NEEDS: CallNeeds = { tokens: 0 };

export class HealthRegistry {
  readonly #entries = new Map<string, DeploymentHealth>();
  /** By provider: each rests when the vendor refuses the operator's account. */
  readonly #accounts = new Map<string, Guard>();
  /** Calls under way, by the entry of `model_limits` whose concurrency they count against. */
  readonly #underWay = new Map<number, number>();
  readonly #waiting = new Set<() => void>();

  readonly #probes: number;

  constructor(private readonly dependencies: HealthDependencies) {
    this.#probes = dependencies.probes ?? PROBES;
  }

  /**
   * Null when the circuit, or that of the account, is open, or half-open with another call probing it. For a request without
   * alternative, only when `probes` calls probe it already. In a pause that the provider asked for, there are at most that many calls too.
   * Also null when none of several keys may be used, and when as many calls are under way as `model_limits` allow.
   */
  admit(
    deployment: Called,
    { requestId, alternative, needs = NO_NEEDS, kind }: AdmitOptions = {},
  ): Admission | null {
    const { clock } = this.dependencies;
    if (this.#isFull(needs)) return null;
    const entry = this.#entryOf(deployment);
    const now = clock();
    const inPause = now < entry.pausedUntilMs;
    if (inPause && entry.callsInPause >= this.#probes) return null;
    const isOnly = alternative === "none";
    const guard = this.#guardOf(deployment);
    const pass = isOnly ? guard.circuit.enterWithoutAlternative(now) : guard.circuit.enter(now);
    if (pass === null) return null;
    const keys = this.#keysOf(deployment);
    const takeKey = () => keys?.take(keyRequest(deployment, needs)) ?? null;
    const key = takeKey();
    if (keys !== undefined && key === null) {
      guard.circuit.released(pass);
      return null;
    }
    this.#count(needs, 1);
    return new Admission(entry, {
      ...this.dependencies,
      guard,
      account: this.#accountOf(deployment),
      pass,
      key,
      takeKey,
      inPause,
      isOnly,
      requestId,
      kind,
      onEnd: () => {
        this.#count(needs, -1);
        if (needs.concurrency !== undefined || key !== null) for (const wake of this.#waiting) wake();
      },
    });
  }

  #isFull({ concurrency }: CallNeeds): boolean {
    return concurrency !== undefined && (this.#underWay.get(concurrency.entry) ?? 0) >= concurrency.most;
  }

  #count({ concurrency }: CallNeeds, calls: number): void {
    if (concurrency === undefined) return;
    this.#underWay.set(concurrency.entry, (this.#underWay.get(concurrency.entry) ?? 0) + calls);
  }

  /** Calls the listener whenever a call ends that others may wait for. @returns what stops that */
  onFree(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  /** The times of such calls; undefined before the first. */
  timesOf(deployment: Named, kind: CallKind): CallTimes | undefined {
    return this.#find(deployment)?.calls.timesOf(kind);
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

  /** Milliseconds of the pause that the provider asked for and of the rest of the first of its keys; 0 when there is neither. */
  #pauseMs(deployment: Called, needs: CallNeeds): number {
    const keys = this.#keysOf(deployment);
    const keysMs = keys === undefined ? 0 : keys.waitMs(keyRequest(deployment, needs));
    const pausedUntilMs = this.#find(deployment)?.pausedUntilMs ?? 0;
    return Math.max(0, keysMs, pausedUntilMs - this.dependencies.clock());
  }

  /**
   * When the pause ends that the provider asked for, or the rest of the first of its keys, by the clock; null when it asked
   * for none, or its circuit is open.
   */
  pauseEndMs(deployment: Called, needs: CallNeeds = NO_NEEDS): number | null {
    if (this.#guardOf(deployment).circuit.openUntilMs !== null) return null;
    const pauseMs = this.#pauseMs(deployment, needs);
    return pauseMs > 0 ? this.dependencies.clock() + pauseMs : null;
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
    if (this.#pauseMs(deployment, needs) > 0) return 2;
    return state === "half_open" && !circuit.isDue(now) ? 1 : 0;
  }

  /** What it can be expected to do, from the calls made. */
  figures(deployment: Named): HostFigures {
    return this.#find(deployment)?.calls.figuresAt(this.dependencies.clock()) ?? EXPECTED_FIGURES;
  }

  /** A call that succeeded was answered by another model than was asked for. */
  servedAnother(deployment: Named): void {
    this.#find(deployment)?.calls.servedAnother(this.dependencies.clock());
  }

  isOpen(deployment: Named): boolean {
    return this.#guardOf(deployment).circuit.state(this.dependencies.clock()) === "open";
  }

  /** Milliseconds until the deployment may be called again; null when it may be called now. */
  waitMs(deployment: Called, needs: CallNeeds = NO_NEEDS): number | null {
    const openMs = (this.#guardOf(deployment).circuit.openUntilMs ?? 0) - this.dependencies.clock();
    const waitMs = Math.max(openMs, this.#pauseMs(deployment, needs));
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
    const { errorRate, medianFirstContentMs: median } = this.#find(deployment)?.calls ?? NO_CALLS;
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
    const { circuitFailures: failures, circuitCooldownMs: cooldownMs } = this.dependencies.settings;
    const circuit = new CircuitBreaker({ failures, cooldownMs, probes: this.#probes });
    return { circuit, lastFault: null };
  }

  #find({ provider, model }: Named): DeploymentHealth | undefined {
    return this.#entries.get(`${provider}\n${model}`);
  }

  #entryOf({ provider, model }: Named): DeploymentHealth {
    const known = this.#find({ provider, model });
    if (known !== undefined) return known;
    const entry: DeploymentHealth = {
      provider,
      model,
      ...this.#newGuard(),
      calls: new CallStatistics(),
      pausedUntilMs: Number.NEGATIVE_INFINITY,
      callsInPause: 0,
    };
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= MOST_ENTRIES) this.#entries.delete(oldest);
    this.#entries.set(`${provider}\n${model}`, entry);
    return entry;
  }
}

const keyRequest = ({ model, upstreamModel = model }: Called, needs: CallNeeds): KeyRequest => ({
  ...needs,
  model: upstreamModel,
});

interface AdmittedCall extends HealthDependencies {
  /** Whichever of deployment and account gave the pass. */
  readonly guard: Guard;
  readonly account: Guard;
  readonly pass: Pass;
  readonly key: TakenKey | null;
  readonly takeKey: () => TakenKey | null;
  readonly inPause: boolean;
  /** Whether nothing else can serve the request. */
  readonly isOnly: boolean;
  readonly requestId: string | undefined;
  readonly kind: CallKind | undefined;
  readonly onEnd: () => void;
}

/** Permission for one call to a deployment. End it with exactly one of `succeeded`, `failed` and `released`. */
export class Admission {
  #pass: Pass;
  #inPause: boolean;
  /** What the call has to be made with; null for a provider with one key or none. */
  key: TakenKey | null;

  constructor(
    private readonly entry: DeploymentHealth,
    private readonly call: AdmittedCall,
  ) {
    this.#pass = call.pass;
    this.key = call.key;
    this.#inPause = call.inPause;
    if (call.inPause) entry.callsInPause += 1;
  }

  /**
   * Takes another key of the provider after a call that failed because of its key, which rests from then on.
   *
   * @returns whether there is one; the call may then be made again
   */
  takeNextKey(fault: ProviderFault): boolean {
    if (this.key === null || fault.rests === null) return false;
    this.key.ended(fault);
    const next = this.call.takeKey();
    if (next !== null) this.key = next;
    return next !== null;
  }

  /** The first content of a stream arrived. */
  answered(): void {
    this.#leavePause();
    this.entry.pausedUntilMs = Number.NEGATIVE_INFINITY;
    const { pass, closed } = this.call.guard.circuit.answered(this.#pass);
    this.#pass = pass;
    if (closed) this.#log("info", "circuit closed");
  }

  succeeded(answered: Omit<AnsweredCall, "kind">): void {
    this.#end(null);
    const { kind, clock, guard } = this.call;
    this.entry.calls.succeeded(clock(), { ...answered, kind });
    this.entry.pausedUntilMs = Number.NEGATIVE_INFINITY;
    if (guard.circuit.succeeded(this.#pass)) this.#log("info", "circuit closed");
  }

  failed(fault: ProviderFault): void {
    if ("counts" in FAULTS[fault.code]) {
      this.released();
      return;
    }
    this.#end(fault);
    const { clock, guard, account, isOnly, settings } = this.call;
    const now = clock();
    const isOfKey = this.key !== null && fault.rests !== null;
    this.entry.calls.failed(isOfKey ? null : now);
    if (isOfKey) {
      // Its keys rest by themselves; the provider may well serve the others.
      guard.circuit.released(this.#pass);
      return;
    }
    if (fault.rests === "account" || fault.rests === "model") {
      guard.circuit.released(this.#pass);
      this.#rest(fault.rests === "account" ? account : this.entry, fault);
      return;
    }
    guard.lastFault = fault.code;
    if (fault.retryAfterMs !== null) {
      this.entry.pausedUntilMs = now + Math.min(fault.retryAfterMs, LONGEST_PAUSE_MS);
    }
    // A limit that was reached is no failure where waiting is all that helps: an open circuit would refuse what the limit allows.
    if (fault.rests === "limit" && isOnly) guard.circuit.released(this.#pass);
    else if (guard.circuit.failed(this.#pass, now)) {
      const { circuitFailures: failures, circuitCooldownMs: cooldown_ms } = settings;
      this.#log("warn", "circuit opened", { code: fault.code, failures, cooldown_ms });
    }
  }

  /** The call ended without evidence about the provider: the client disconnected, or the request was at fault. */
  released(): void {
    this.#end(undefined);
    this.call.guard.circuit.released(this.#pass);
  }

  #rest(resting: Guard, fault: ProviderFault): void {
    const { code, status, upstreamCode: upstream_code, rests } = fault;
    const rests_ms = restMsOf(fault);
    resting.lastFault = code;
    if (resting.circuit.rest(this.call.clock() + rests_ms))
      this.#log("warn", `${rests} rests`, { code, status, upstream_code, rests_ms });
  }

  #end(fault: ProviderFault | null | undefined): void {
    this.#leavePause();
    this.key?.ended(fault);
    this.call.onEnd();
  }

  #leavePause(): void {
    if (this.#inPause) this.entry.callsInPause -= 1;
    this.#inPause = false;
  }

  #log(level: keyof CircuitLog, message: string, fields: object = {}): void {
    const { provider, model } = this.entry;
    const { requestId: request_id, logger } = this.call;
    logger?.[level]({ request_id, provider, model, ...fields }, message);
  }
}
