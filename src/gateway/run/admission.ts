import type { Clock } from "../../foundation/timers.js";
import type { TakenKey } from "../providers/keys/key-pool.js";
import { restMsOf } from "../providers/keys/key-rest.js";
import { FAULTS, type ProviderFault, type ProviderFaultCode } from "../providers/provider.js";
import type { Settings } from "../settings/settings.js";
import type { CircuitBreaker, Pass } from "./circuit-breaker.js";
import type { CountedAnswer, DecayingFigures } from "./host-figures.js";
import type { CallTimes } from "./measured-limits.js";
import type { RecentCalls } from "./recent-calls.js";

/** Limit of a requested wait: a provider that asks for a day would otherwise not be called even after it recovered. */
const LONGEST_PAUSE_MS = 3_600_000;

/** Receives a line whenever a circuit opens or closes, and whenever an account or a model there begins to rest. */
export interface CircuitLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
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
  /** @param firstContentMs from the start of the call; for a whole reply, to its end */
  succeeded(firstContentMs: number, times?: AnswerTimes): void;
  failed(fault: ProviderFault): void;
  /** The call ended without evidence about the provider: the client disconnected, or the request was at fault. */
  released(): void;
}

interface AnswerTimes {
  /** Absent where the provider did not count. */
  readonly counted?: CountedAnswer | undefined;
  /** The longest silence in a stream after its first content. */
  readonly silenceMs?: number | undefined;
}

/** What keeps calls away from an account, or from a model there. */
export interface Guard {
  readonly circuit: CircuitBreaker;
  /** The last failure that opened the circuit or asked for a pause. */
  lastFault: ProviderFaultCode | null;
}

/** What is known of a model at a provider. */
export interface DeploymentHealth extends Guard {
  readonly provider: string;
  readonly model: string;
  readonly recent: RecentCalls;
  /** Of its calls, by kind. */
  readonly times: Map<string, CallTimes>;
  readonly figures: DecayingFigures;
  /** End of the pause that the provider asked for (`retry-after`). */
  pausedUntilMs: number;
  /** Calls under way that began in that pause. */
  callsInPause: number;
}

interface AdmissionDependencies {
  readonly clock: Clock;
  readonly settings: Pick<Settings, "circuitFailures" | "circuitCooldownMs">;
  readonly logger?: CircuitLog | undefined;
  /** Where the times of the call count; undefined when they are not compared. */
  readonly timed: (() => CallTimes) | undefined;
  /** Of a call that has to fit in. */
  readonly ended: (() => void) | undefined;
  readonly key: TakenKey | null;
  /** Undefined for a provider with one key or none. */
  readonly takeKey: (() => TakenKey | null) | undefined;
  readonly requestId: string | undefined;
  /** Whether nothing else can serve the request. */
  readonly isOnly: boolean;
  readonly inPause: boolean;
  readonly account: Guard;
  /** Whichever of deployment and account gave the pass. */
  readonly guard: Guard;
}

export class OpenAdmission implements Admission {
  #pass: Pass;
  #inPause: boolean;
  #key: TakenKey | null;

  constructor(
    private readonly entry: DeploymentHealth,
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
    if (this.#key === null || fault.rests === null) return false;
    this.#key.ended(fault);
    const next = this.dependencies.takeKey?.() ?? null;
    if (next === null) return false;
    this.#key = next;
    return true;
  }

  answered(): void {
    this.#leavePause();
    this.entry.pausedUntilMs = Number.NEGATIVE_INFINITY;
    const { pass, closed } = this.dependencies.guard.circuit.answered(this.#pass);
    this.#pass = pass;
    if (closed) this.#log("info", "circuit closed");
  }

  succeeded(firstContentMs: number, { counted, silenceMs }: AnswerTimes = {}): void {
    this.#leavePause();
    this.#ended(null);
    this.entry.recent.succeeded(firstContentMs);
    const { timed, clock } = this.dependencies;
    timed?.().add(firstContentMs, silenceMs);
    this.entry.figures.succeeded(clock(), firstContentMs, counted);
    this.entry.pausedUntilMs = Number.NEGATIVE_INFINITY;
    if (this.dependencies.guard.circuit.succeeded(this.#pass)) this.#log("info", "circuit closed");
  }

  failed(fault: ProviderFault): void {
    if ("counts" in FAULTS[fault.code]) {
      this.released();
      return;
    }
    this.#leavePause();
    this.#ended(fault);
    const { clock, guard, account, isOnly, settings } = this.dependencies;
    const now = clock();
    this.entry.recent.failed();
    if (this.#key !== null && fault.rests !== null) {
      // Its keys rest by themselves; the provider may well serve the others.
      guard.circuit.released(this.#pass);
      return;
    }
    this.entry.figures.failed(now);
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

  #rest(resting: Guard, fault: ProviderFault): void {
    const { code, status, upstreamCode: upstream_code, rests } = fault;
    const rests_ms = restMsOf(fault);
    resting.lastFault = code;
    if (resting.circuit.rest(this.dependencies.clock() + rests_ms))
      this.#log("warn", `${rests} rests`, { code, status, upstream_code, rests_ms });
  }

  released(): void {
    this.#leavePause();
    this.#ended(undefined);
    this.dependencies.guard.circuit.released(this.#pass);
  }

  #ended(fault: ProviderFault | null | undefined): void {
    this.#key?.ended(fault);
    this.dependencies.ended?.();
  }

  #leavePause(): void {
    if (this.#inPause) this.entry.callsInPause -= 1;
    this.#inPause = false;
  }

  #log(level: keyof CircuitLog, message: string, fields: object = {}): void {
    const { provider, model } = this.entry;
    const { requestId: request_id, logger } = this.dependencies;
    logger?.[level]({ request_id, provider, model, ...fields }, message);
  }
}
