import type { Deployment } from "../../../engine/catalog/deployments/deployment.js";
import { type Clock, shownMs } from "../../../foundation/timers.js";
import type { KeyPool, KeyRequest, TakenKey } from "../../providers/keys/key-pool.js";
import { isKeyFault } from "../../providers/keys/key-rest.js";
import { FAULTS, ProviderFault, type ProviderFaultCode } from "../../providers/provider.js";
import type { Settings } from "../../settings/settings.js";
import {
  type CountedAnswer,
  DecayingFigures,
  EXPECTED_FIGURES,
  type HostFigures,
} from "../hosts/host-figures.js";
import type { CircuitCount, Health, ModelHealth } from "../inference.js";
import { CIRCUIT_STATES, CircuitBreaker, type CircuitState, type Pass } from "./circuit-breaker.js";
import { FirstTokens } from "./first-tokens.js";
import type { ConcurrencyLimit, TimeAllowed } from "./model-limits.js";

/** Limit of a requested wait: a provider that asks for a day would otherwise not be called even after it recovered. */
const LONGEST_PAUSE_MS = 3_600_000;

/** Maximum number of entries, one for each pair of provider and model; the oldest is dropped first. About 2 MB. */
const MOST_ENTRIES = 4096;

/** Receives a line whenever a circuit opens or closes. */
export interface CircuitLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export interface HealthRegistryDependencies {
  readonly clock: Clock;
  readonly settings: Pick<Settings, "circuitFailures" | "circuitCooldownMs" | "circuitProbes">;
  readonly logger?: CircuitLog | undefined;
  /** Of a provider that has several. */
  readonly keysOf?: (provider: string) => KeyPool | undefined;
}

/** Permission for one call to a deployment. End it with exactly one of `succeeded`, `failed` and `released`. */
export interface Admission {
  /** What the call has to be made with; null for a provider with one key or none. */
  readonly key: TakenKey | null;
  /**
   * Takes another key of the provider after a call that failed because of its key, which rests from then on.
   *
   * @returns whether there is one; the call may then be made again
   */
  takeNextKey(fault: ProviderFault): boolean;
  /** The first content of a stream arrived. */
  answered(): void;
  /**
   * @param firstContentMs from the start of the call
   * @param generated absent where the provider did not count
   */
  succeeded(firstContentMs: number, generated?: CountedAnswer): void;
  failed(fault: ProviderFault): void;
  /** The call ended without evidence about the provider: the client disconnected, or the request was at fault. */
  released(): void;
}

interface Entry {
  readonly provider: string;
  readonly model: string;
  readonly circuit: CircuitBreaker;
  readonly recent: RecentCalls;
  /** Of its streams, by kind. */
  readonly firstTokens: Map<string, FirstTokens>;
  readonly figures: DecayingFigures;
  /** End of the pause that the provider asked for (`retry-after`). */
  pausedUntilMs: number;
  /** Calls under way that began in that pause. */
  callsInPause: number;
  /** The last failure that opened the circuit or asked for the pause. */
  lastFault: ProviderFaultCode | null;
}

export interface AdmitOptions {
  /** Named in the line of a circuit that opens or closes by this call. */
  readonly requestId?: string;
  /** Whether the request can be served by something else. Default: yes. */
  readonly alternative?: "none" | "other deployments";
  readonly needs?: CallNeeds;
  /** Kind of a stream, such as its effort, whose times to the first content are compared; absent for other calls. */
  readonly stream?: string | undefined;
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
  readonly #entries = new Map<string, Entry>();
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
    { requestId, alternative, needs = NO_NEEDS, stream }: AdmitOptions = {},
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
    const call = { clock, settings, logger, requestId, isOnly, inPause, key, takeKey, stream, ended };
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

  /** The limit that follows from the times to the first content of such streams; undefined without enough of them. */
  measuredLimit(deployment: Named, stream: string): TimeAllowed | undefined {
    return this.#find(deployment)?.firstTokens.get(stream)?.limit;
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
    const endMs = Math.max(entry?.pausedUntilMs ?? 0, this.#keysRestUntilMs(deployment, needs));
    return endMs > this.dependencies.clock() ? endMs : null;
  }

  /** When the first of several keys may be used, by the clock. */
  #keysRestUntilMs(deployment: Called, needs: CallNeeds): number {
    const keys = this.#keysOf(deployment);
    if (keys === undefined) return Number.NEGATIVE_INFINITY;
    return this.dependencies.clock() + keys.waitMs(keyRequest(deployment, needs));
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
    if (this.#keysRestUntilMs(deployment, needs) > now) return 2;
    if (entry === undefined) return 0;
    if (now < entry.pausedUntilMs) return 2;
    return state === "half_open" && !entry.circuit.isDue(now) ? 1 : 0;
  }

  /** What it can be expected to do, from the calls made. */
  figures(deployment: Named): HostFigures {
    return this.#find(deployment)?.figures.at(this.dependencies.clock()) ?? EXPECTED_FIGURES;
  }

  isOpen(deployment: Named): boolean {
    return this.#find(deployment)?.circuit.state(this.dependencies.clock()) === "open";
  }

  /** Milliseconds until the deployment may be called again; null when it may be called now. */
  waitMs(deployment: Called, needs: CallNeeds = NO_NEEDS): number | null {
    const entry = this.#find(deployment);
    const untilMs = Math.max(
      entry?.pausedUntilMs ?? Number.NEGATIVE_INFINITY,
      entry?.circuit.openUntilMs ?? Number.NEGATIVE_INFINITY,
      this.#keysRestUntilMs(deployment, needs),
    );
    return untilMs > this.dependencies.clock() ? untilMs - this.dependencies.clock() : null;
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

  #healthOf({ circuit, recent }: Entry): Health {
    const median = recent.medianFirstContentMs;
    return {
      state: circuit.state(this.dependencies.clock()),
      error_rate: recent.errorRate,
      p50_ttft_ms: median === null ? null : shownMs(median),
    };
  }

  #find({ provider, model }: Named): Entry | undefined {
    return this.#entries.get(keyOf(provider, model));
  }

  #entryOf({ provider, model }: Named): Entry {
    const key = keyOf(provider, model);
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const {
      circuitFailures: failures,
      circuitCooldownMs: cooldownMs,
      circuitProbes: probes,
    } = this.dependencies.settings;
    const circuit = new CircuitBreaker({ failures, cooldownMs, probes });
    const entry: Entry = {
      provider,
      model,
      circuit,
      recent: new RecentCalls(),
      firstTokens: new Map(),
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

interface AdmissionDependencies extends HealthRegistryDependencies {
  readonly stream: string | undefined;
  /** Of a call that has to fit in. */
  readonly ended: (() => void) | undefined;
  readonly key: TakenKey | null;
  /** Undefined for a provider with one key or none. */
  readonly takeKey: (() => TakenKey | null) | undefined;
  readonly requestId: string | undefined;
  /** Whether nothing else can serve the request. */
  readonly isOnly: boolean;
  readonly inPause: boolean;
}

class OpenAdmission implements Admission {
  #pass: Pass;
  #inPause: boolean;
  #key: TakenKey | null;

  constructor(
    private readonly entry: Entry,
    pass: Pass,
    private readonly dependencies: AdmissionDependencies,
  ) {
    this.#pass = pass;
    this.#key = dependencies.key;
    this.#inPause = dependencies.inPause;
    if (this.#inPause) entry.callsInPause += 1;
  }

  get key(): TakenKey | null {
    return this.#key;
  }

  takeNextKey(fault: ProviderFault): boolean {
    if (this.#key === null || !isKeyFault(fault)) return false;
    this.#key.ended(fault);
    const next = this.dependencies.takeKey?.() ?? null;
    if (next === null) return false;
    this.#key = next;
    return true;
  }

  answered(): void {
    this.#leavePause();
    this.entry.pausedUntilMs = Number.NEGATIVE_INFINITY;
    const { pass, closed } = this.entry.circuit.answered(this.#pass);
    this.#pass = pass;
    if (closed) this.#logClosed();
  }

  succeeded(firstContentMs: number, generated?: CountedAnswer): void {
    this.#leavePause();
    this.#ended(null);
    this.entry.recent.succeeded(firstContentMs);
    const { stream, clock } = this.dependencies;
    if (stream !== undefined) firstTokensOf(this.entry, stream).add(firstContentMs);
    this.entry.figures.succeeded(clock(), firstContentMs, generated);
    this.entry.pausedUntilMs = Number.NEGATIVE_INFINITY;
    if (this.entry.circuit.succeeded(this.#pass)) this.#logClosed();
  }

  failed(fault: ProviderFault): void {
    if (!FAULTS[fault.code].counts) {
      this.released();
      return;
    }
    this.#leavePause();
    this.#ended(fault);
    const now = this.dependencies.clock();
    this.entry.recent.failed();
    if (this.#key !== null && isKeyFault(fault)) {
      // Its keys rest by themselves; the provider may well serve the others.
      this.entry.circuit.released(this.#pass);
      return;
    }
    this.entry.figures.failed(now);
    this.entry.lastFault = fault.code;
    if (fault.retryAfterMs !== null) {
      this.entry.pausedUntilMs = now + Math.min(fault.retryAfterMs, LONGEST_PAUSE_MS);
    }
    // A limit that was reached is no failure where waiting is all that helps: an open circuit would refuse what the limit allows.
    if (fault.code === "rate_limited" && this.dependencies.isOnly) this.entry.circuit.released(this.#pass);
    else if (this.entry.circuit.failed(this.#pass, now)) this.#logOpened(fault.code);
  }

  released(): void {
    this.#leavePause();
    this.#ended(undefined);
    this.entry.circuit.released(this.#pass);
  }

  #ended(fault: ProviderFault | null | undefined): void {
    this.#key?.ended(fault);
    this.dependencies.ended?.();
  }

  #leavePause(): void {
    if (this.#inPause) this.entry.callsInPause -= 1;
    this.#inPause = false;
  }

  #logOpened(code: ProviderFaultCode): void {
    const { provider, model } = this.entry;
    const { requestId: request_id, settings, logger } = this.dependencies;
    const { circuitFailures: failures, circuitCooldownMs: cooldown_ms } = settings;
    logger?.warn({ request_id, provider, model, code, failures, cooldown_ms }, "circuit opened");
  }

  #logClosed(): void {
    const { provider, model } = this.entry;
    const { requestId: request_id, logger } = this.dependencies;
    logger?.info({ request_id, provider, model }, "circuit closed");
  }
}

function firstTokensOf({ firstTokens }: Entry, stream: string): FirstTokens {
  const known = firstTokens.get(stream);
  if (known !== undefined) return known;
  const made = new FirstTokens();
  firstTokens.set(stream, made);
  return made;
}

const keyOf = (provider: string, model: string): string => `${provider}\n${model}`;

/** Number of calls kept: enough for a median, few enough to recover after an outage (guess). */
const REMEMBERED = 64;

/** The outcomes of the last calls, in a ring buffer: constant time for each call; the figures are computed when read. */
class RecentCalls {
  /** Milliseconds to the first content; NaN for a call that failed. */
  readonly #firstContentMs = new Float64Array(REMEMBERED);
  #recorded = 0;
  #failures = 0;

  succeeded(firstContentMs: number): void {
    this.#record(firstContentMs);
  }

  failed(): void {
    this.#record(Number.NaN);
    this.#failures += 1;
  }

  /** 0 to 1; null before the first call. */
  get errorRate(): number | null {
    return this.#recorded === 0 ? null : this.#failures / this.#size;
  }

  /** Median of the calls that succeeded, the lower of two middle ones; null without any. */
  get medianFirstContentMs(): number | null {
    const times = this.#firstContentMs.subarray(0, this.#size).filter((time) => !Number.isNaN(time));
    return times.sort()[Math.floor((times.length - 1) / 2)] ?? null;
  }

  get #size(): number {
    return Math.min(this.#recorded, REMEMBERED);
  }

  #record(firstContentMs: number): void {
    const index = this.#recorded % REMEMBERED;
    const forgotten = this.#firstContentMs[index];
    if (this.#recorded >= REMEMBERED && Number.isNaN(forgotten)) this.#failures -= 1;
    this.#firstContentMs[index] = firstContentMs;
    this.#recorded += 1;
  }
}
