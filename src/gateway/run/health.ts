/** What is known of every provider and model that this process calls, from the calls it made, and whether they may be called now. */
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import { type Clock, shownMs } from "../../foundation/timers.js";
import type { KeyPool, KeyRequest, TakenKey } from "../providers/keys/key-pool.js";
import { restMsOf } from "../providers/keys/key-rest.js";
import { FAULTS, ProviderFault, type ProviderFaultCode } from "../providers/provider.js";
import type { Settings } from "../settings.js";
import type { CallKind, ConcurrencyLimit } from "./call-limits.js";
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
  readonly needs: CallNeeds;
  /** Named in the line of a circuit that opens or closes by this call. */
  readonly requestId?: string | undefined;
  /** Whether the request can be served by something else. Default: yes. */
  readonly alternative?: "none" | "other deployments";
  /** Absent: its times are not compared with others'. */
  readonly kind?: CallKind | undefined;
}

/** What a call needs of a key, and the limit of calls at once that it counts against. */
export interface CallNeeds extends KeyRequest {
  readonly concurrency?: ConcurrencyLimit | undefined;
}

type Named = Pick<Deployment, "provider" | "model">;

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

/** What all deployments share. */
interface Shared extends HealthDependencies {
  readonly probes: number;
  /** Calls under way, by the entry of `model_limits` whose concurrency they count against. */
  readonly underWay: Map<number, number>;
  /** Called whenever a call ends that others may wait for. */
  readonly waiting: Set<() => void>;
}

export class HealthRegistry {
  readonly #deployments = new Map<string, DeploymentHealth>();
  /** By provider: each rests when the vendor refuses the operator's account. */
  readonly #accounts = new Map<string, Guard>();
  readonly #shared: Shared;

  constructor(dependencies: HealthDependencies) {
    const probes = dependencies.probes ?? PROBES;
    this.#shared = { ...dependencies, probes, underWay: new Map(), waiting: new Set() };
  }

  /** The record of a model at a provider, begun with the first look at it. */
  of({ provider, model }: Named): DeploymentHealth {
    const name = `${provider}\n${model}`;
    const known = this.#deployments.get(name);
    if (known !== undefined) return known;
    const [oldest] = this.#deployments.keys();
    if (oldest !== undefined && this.#deployments.size >= MOST_ENTRIES) this.#deployments.delete(oldest);
    const begun = this.#begun({ provider, model });
    this.#deployments.set(name, begun);
    return begun;
  }

  /** As of one that was never called where nothing is known. */
  health({ provider, model }: Named): Health {
    return (this.#deployments.get(`${provider}\n${model}`) ?? this.#begun({ provider, model })).shown();
  }

  /** Calls the listener whenever a call ends that others may wait for. @returns what stops that */
  onFree(wake: () => void): () => void {
    this.#shared.waiting.add(wake);
    return () => this.#shared.waiting.delete(wake);
  }

  /** What is known of these providers does not hold any more. Calls under way count for nothing. */
  forget(providers: readonly string[]): void {
    for (const [name, { provider }] of this.#deployments)
      if (providers.includes(provider)) this.#deployments.delete(name);
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

  /** Of every provider and model that was called. */
  all(): readonly ModelHealth[] {
    return [...this.#deployments.values()]
      .filter(({ wasCalled }) => wasCalled)
      .map((one) => ({ provider: one.provider, model: one.model, health: one.shown() }));
  }

  #begun({ provider, model }: Named): DeploymentHealth {
    const account = this.#accounts.get(provider) ?? newGuard(this.#shared);
    this.#accounts.set(provider, account);
    return new DeploymentHealth({ provider, model, account }, this.#shared);
  }
}

function newGuard({ settings, probes }: Shared): Guard {
  const { circuitFailures: failures, circuitCooldownMs: cooldownMs } = settings;
  return { circuit: new CircuitBreaker({ failures, cooldownMs, probes }), lastFault: null };
}

/** What is known of a model at a provider, and whether it may be called now. */
export class DeploymentHealth implements Guard {
  readonly provider: string;
  readonly model: string;
  readonly account: Guard;
  readonly circuit: CircuitBreaker;
  lastFault: ProviderFaultCode | null = null;
  readonly calls = new CallStatistics();
  wasCalled = false;
  /** End of the pause that the provider asked for (`retry-after`). */
  pausedUntilMs = Number.NEGATIVE_INFINITY;
  /** Calls under way that began in that pause. */
  callsInPause = 0;
  constructor(
    { provider, model, account }: Named & { readonly account: Guard },
    readonly shared: Shared,
  ) {
    this.provider = provider;
    this.model = model;
    this.account = account;
    this.circuit = newGuard(shared).circuit;
  }

  /** Of a provider that has several, as it is configured now. */
  get keys(): KeyPool | undefined {
    return this.shared.keysOf?.(this.provider);
  }

  /** Of deployment and account, what keeps calls away for longer. */
  get #guard(): Guard {
    return (this.account.circuit.openUntilMs ?? 0) > (this.circuit.openUntilMs ?? 0) ? this.account : this;
  }

  /**
   * Null when the circuit, or that of the account, is open, or half-open with another call probing it. For a request without
   * alternative, only when `probes` calls probe it already. In a pause that the provider asked for, there are at most that many calls too.
   * Also null when none of several keys may be used, and when as many calls are under way as `model_limits` allow.
   */
  admit({ requestId, alternative, needs, kind }: AdmitOptions): Admission | null {
    const { clock, probes, underWay } = this.shared;
    if (this.#isFull(needs)) return null;
    this.wasCalled = true;
    const now = clock();
    const inPause = now < this.pausedUntilMs;
    if (inPause && this.callsInPause >= probes) return null;
    const isOnly = alternative === "none";
    const guard = this.#guard;
    const pass = isOnly ? guard.circuit.enterWithoutAlternative(now) : guard.circuit.enter(now);
    if (pass === null) return null;
    const key = this.keys?.take(needs) ?? null;
    if (this.keys !== undefined && key === null) {
      guard.circuit.released(pass);
      return null;
    }
    const { concurrency } = needs;
    if (concurrency !== undefined)
      underWay.set(concurrency.entry, (underWay.get(concurrency.entry) ?? 0) + 1);
    return new Admission(this, { guard, pass, key, needs, inPause, isOnly, requestId, kind });
  }

  #isFull({ concurrency }: CallNeeds): boolean {
    return (
      concurrency !== undefined && (this.shared.underWay.get(concurrency.entry) ?? 0) >= concurrency.most
    );
  }

  /** Why it is not called now. */
  blockedBy(needs: CallNeeds): Blocked {
    if (this.#isFull(needs)) return { attempt: "concurrency_limit", fault: "rate_limited" };
    const byKeys = this.keys?.blockedBy(needs);
    const { circuit, lastFault: fault } = this.#guard;
    if (byKeys === undefined || circuit.openUntilMs !== null) return { attempt: "circuit_open", fault };
    if (byKeys === "in_use") return { attempt: "concurrency_limit", fault: "rate_limited" };
    return { attempt: "keys_resting", fault: byKeys };
  }

  /**
   * What a fault of a key means for the deployment once there is no other key: the reason and the wait of the key that may
   * be used first. Any other fault as it is.
   */
  faultOfAll(fault: ProviderFault, needs: CallNeeds): ProviderFault {
    if (this.keys === undefined || fault.rests === null) return fault;
    const code = this.blockedBy(needs).fault ?? fault.code;
    const { status, upstreamMessage } = fault;
    const retryAfterMs = this.keys.waitMs(needs);
    const details = { status: code === fault.code ? status : null, upstreamMessage, retryAfterMs };
    return new ProviderFault(code, fault.message, details);
  }

  /** Milliseconds of the pause that the provider asked for and of the rest of the first of its keys; 0 when there is neither. */
  #pauseMs(needs: CallNeeds): number {
    return Math.max(0, this.keys?.waitMs(needs) ?? 0, this.pausedUntilMs - this.shared.clock());
  }

  /**
   * When the pause ends that the provider asked for, or the rest of the first of its keys, by the clock; null when it asked
   * for none, or its circuit is open.
   */
  pauseEndMs(needs: CallNeeds): number | null {
    if (this.#guard.circuit.openUntilMs !== null) return null;
    const pauseMs = this.#pauseMs(needs);
    return pauseMs > 0 ? this.shared.clock() + pauseMs : null;
  }

  /**
   * Priority for calls: 0 closed, 1 half-open, 2 paused by `retry-after` or with all keys resting, 3 open. A circuit that
   * has been half-open for a whole cooldown ranks 0, so that a call probes it although other providers are healthy.
   */
  rank(needs: CallNeeds): number {
    const { circuit } = this.#guard;
    const now = this.shared.clock();
    const state = circuit.state(now);
    if (state === "open") return 3;
    if (this.#pauseMs(needs) > 0) return 2;
    return state === "half_open" && !circuit.isDue(now) ? 1 : 0;
  }

  /** What it can be expected to do, from the calls made. */
  figures(): HostFigures {
    return this.wasCalled ? this.calls.figuresAt(this.shared.clock()) : EXPECTED_FIGURES;
  }

  /** A call that succeeded was answered by another model than was asked for. */
  servedAnother(): void {
    this.calls.servedAnother(this.shared.clock());
  }

  isOpen(): boolean {
    return this.#guard.circuit.state(this.shared.clock()) === "open";
  }

  /** Milliseconds until it may be called again; null when it may be called now. */
  waitMs(needs: CallNeeds): number | null {
    const openMs = (this.#guard.circuit.openUntilMs ?? 0) - this.shared.clock();
    const waitMs = Math.max(openMs, this.#pauseMs(needs));
    return waitMs > 0 ? waitMs : null;
  }

  shown(): Health {
    const { circuit, lastFault } = this.#guard;
    const { errorRate, medianFirstContentMs: median } = this.calls;
    return {
      state: circuit.state(this.shared.clock()),
      reason: circuit.openUntilMs === null ? null : lastFault,
      error_rate: errorRate,
      p50_ttft_ms: median === null ? null : shownMs(median),
    };
  }
}

interface AdmittedCall extends Pick<AdmitOptions, "needs" | "requestId" | "kind"> {
  /** Whichever of deployment and account gave the pass. */
  readonly guard: Guard;
  readonly pass: Pass;
  readonly key: TakenKey | null;
  readonly inPause: boolean;
  /** Whether nothing else can serve the request. */
  readonly isOnly: boolean;
}

/** Permission for one call to a deployment. End it with exactly one of `succeeded`, `failed` and `released`. */
export class Admission {
  #pass: Pass;
  #inPause: boolean;
  /** What the call has to be made with; null for a provider with one key or none. */
  key: TakenKey | null;

  constructor(
    private readonly health: DeploymentHealth,
    private readonly call: AdmittedCall,
  ) {
    this.#pass = call.pass;
    this.key = call.key;
    this.#inPause = call.inPause;
    if (call.inPause) health.callsInPause += 1;
  }

  /**
   * Takes another key of the provider after a call that failed because of its key, which rests from then on.
   *
   * @returns whether there is one; the call may then be made again
   */
  takeNextKey(fault: ProviderFault): boolean {
    if (this.key === null || fault.rests === null) return false;
    this.key.ended(fault);
    const next = this.health.keys?.take(this.call.needs) ?? null;
    if (next !== null) this.key = next;
    return next !== null;
  }

  /** The first content of a stream arrived. */
  answered(): void {
    this.#leavePause();
    this.health.pausedUntilMs = Number.NEGATIVE_INFINITY;
    const { pass, closed } = this.call.guard.circuit.answered(this.#pass);
    this.#pass = pass;
    if (closed) this.#log("info", "circuit closed");
  }

  succeeded(answered: Omit<AnsweredCall, "kind">): void {
    this.#end(null);
    const { kind, guard } = this.call;
    this.health.calls.succeeded(this.health.shared.clock(), { ...answered, kind });
    this.health.pausedUntilMs = Number.NEGATIVE_INFINITY;
    if (guard.circuit.succeeded(this.#pass)) this.#log("info", "circuit closed");
  }

  failed(fault: ProviderFault): void {
    if ("counts" in FAULTS[fault.code]) {
      this.released();
      return;
    }
    this.#end(fault);
    const { guard, isOnly } = this.call;
    const { clock, settings } = this.health.shared;
    const now = clock();
    const isOfKey = this.key !== null && fault.rests !== null;
    this.health.calls.failed(isOfKey ? null : now);
    if (isOfKey) {
      // Its keys rest by themselves; the provider may well serve the others.
      guard.circuit.released(this.#pass);
      return;
    }
    if (fault.rests === "account" || fault.rests === "model") {
      guard.circuit.released(this.#pass);
      this.#rest(fault.rests === "account" ? this.health.account : this.health, fault);
      return;
    }
    guard.lastFault = fault.code;
    if (fault.retryAfterMs !== null) {
      this.health.pausedUntilMs = now + Math.min(fault.retryAfterMs, LONGEST_PAUSE_MS);
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
    if (resting.circuit.rest(this.health.shared.clock() + rests_ms))
      this.#log("warn", `${rests} rests`, { code, status, upstream_code, rests_ms });
  }

  #end(fault: ProviderFault | null | undefined): void {
    this.#leavePause();
    this.key?.ended(fault);
    const { underWay, waiting } = this.health.shared;
    const { concurrency } = this.call.needs;
    if (concurrency !== undefined)
      underWay.set(concurrency.entry, (underWay.get(concurrency.entry) ?? 0) - 1);
    if (concurrency !== undefined || this.call.key !== null) for (const wake of waiting) wake();
  }

  #leavePause(): void {
    if (this.#inPause) this.health.callsInPause -= 1;
    this.#inPause = false;
  }

  #log(level: keyof CircuitLog, message: string, fields: object = {}): void {
    const { provider, model, shared } = this.health;
    const { requestId: request_id } = this.call;
    shared.logger?.[level]({ request_id, provider, model, ...fields }, message);
  }
}
