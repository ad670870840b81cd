import type { Deployment } from "../../../engine/catalog/deployments/deployment.js";
import { type Clock, shownMs } from "../../../foundation/timers.js";
import { FAULTS, type ProviderFault, type ProviderFaultCode } from "../../providers/provider.js";
import type { Settings } from "../../settings/settings.js";
import {
  type CountedAnswer,
  DecayingFigures,
  EXPECTED_FIGURES,
  type HostFigures,
} from "../hosts/host-figures.js";
import type { CircuitCount, Health, ModelHealth } from "../inference.js";
import { CIRCUIT_STATES, CircuitBreaker, type CircuitState, type Pass } from "./circuit-breaker.js";

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
}

/** Permission for one call to a deployment. End it with exactly one of `succeeded`, `failed` and `released`. */
export interface Admission {
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
}

type Named = Pick<Deployment, "provider" | "model">;

/** Circuit state, error rate and time to first token for each pair of provider and model, from the calls made. */
export class HealthRegistry {
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly dependencies: HealthRegistryDependencies) {}

  /**
   * Null when the circuit is open, or half-open with another call probing it. For a request without alternative, only when
   * `circuitProbes` calls probe it already. In a pause that the provider asked for, there are at most that many calls too.
   */
  admit(deployment: Named, { requestId, alternative }: AdmitOptions = {}): Admission | null {
    const { clock, settings } = this.dependencies;
    const entry = this.#entryOf(deployment);
    const now = clock();
    const inPause = now < entry.pausedUntilMs;
    if (inPause && entry.callsInPause >= settings.circuitProbes) return null;
    const isOnly = alternative === "none";
    const pass = isOnly ? entry.circuit.enterWithoutAlternative(now) : entry.circuit.enter(now);
    if (pass === null) return null;
    return new OpenAdmission(entry, pass, { ...this.dependencies, requestId, isOnly, inPause });
  }

  /** Why the deployment is not called now: its last failure. Null when it has none. */
  blockedBy(deployment: Named): ProviderFaultCode | null {
    return this.#find(deployment)?.lastFault ?? null;
  }

  /** When the pause ends that the provider asked for, by the clock; null when it asked for none, or its circuit is open. */
  pauseEndMs(deployment: Named): number | null {
    const entry = this.#find(deployment);
    if (entry === undefined || entry.circuit.openUntilMs !== null) return null;
    return entry.pausedUntilMs > this.dependencies.clock() ? entry.pausedUntilMs : null;
  }

  /**
   * Priority for calls: 0 closed, 1 half-open, 2 paused by `retry-after`, 3 open. A circuit that has been half-open for
   * a whole cooldown ranks 0, so that a call probes it although other providers are healthy.
   */
  rank(deployment: Named): number {
    const entry = this.#find(deployment);
    if (entry === undefined) return 0;
    const now = this.dependencies.clock();
    const state = entry.circuit.state(now);
    if (state === "open") return 3;
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
  waitMs(deployment: Named): number | null {
    const entry = this.#find(deployment);
    if (entry === undefined) return null;
    const untilMs = Math.max(entry.pausedUntilMs, entry.circuit.openUntilMs ?? entry.pausedUntilMs);
    return untilMs > this.dependencies.clock() ? untilMs - this.dependencies.clock() : null;
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

interface AdmissionDependencies extends HealthRegistryDependencies {
  readonly requestId: string | undefined;
  /** Whether nothing else can serve the request. */
  readonly isOnly: boolean;
  readonly inPause: boolean;
}

class OpenAdmission implements Admission {
  #pass: Pass;
  #inPause: boolean;

  constructor(
    private readonly entry: Entry,
    pass: Pass,
    private readonly dependencies: AdmissionDependencies,
  ) {
    this.#pass = pass;
    this.#inPause = dependencies.inPause;
    if (this.#inPause) entry.callsInPause += 1;
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
    this.entry.recent.succeeded(firstContentMs);
    this.entry.figures.succeeded(this.dependencies.clock(), firstContentMs, generated);
    this.entry.pausedUntilMs = Number.NEGATIVE_INFINITY;
    if (this.entry.circuit.succeeded(this.#pass)) this.#logClosed();
  }

  failed(fault: ProviderFault): void {
    if (!FAULTS[fault.code].counts) {
      this.released();
      return;
    }
    this.#leavePause();
    const now = this.dependencies.clock();
    this.entry.recent.failed();
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
    this.entry.circuit.released(this.#pass);
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
