import type { Deployment } from "../../catalog/deployment.js";
import { type Clock, shownMs } from "../../foundation/timers.js";
import type { ProviderFault, ProviderFaultCode } from "../../providers/provider.js";
import type { Settings } from "../../settings/settings.js";
import type { Health } from "../inference.js";
import { CircuitBreaker, type Pass } from "./circuit-breaker.js";
import { RecentCalls } from "./recent-calls.js";

/** Faults that say something of the provider. The others are about one request, which any provider would refuse. */
const PROVIDER_FAILURES: ReadonlySet<ProviderFaultCode> = new Set([
  "connection_error",
  "cut_off",
  "timeout",
  "rate_limited",
  "overloaded",
  "server_error",
  "invalid_reply",
  "credentials_refused",
]);

/** Longest wait asked for by a provider that is believed: one that is put last for a day would never be found well again. */
const LONGEST_PAUSE_MS = 3_600_000;

/** Most pairs of provider and model that are remembered; the pair known for longest is forgotten first. About 2 MB. */
const MOST_ENTRIES = 4096;

/** Where the openings and closings of circuits are written. */
export interface CircuitLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export interface HealthParts {
  readonly clock: Clock;
  readonly settings: Pick<Settings, "circuitFailures" | "circuitCooldownMs">;
  readonly logger?: CircuitLog | undefined;
}

/** Leave to call a deployment. End it with exactly one of `succeeded`, `failed` and `released`. */
export interface Admission {
  /** The first content arrived; the stream goes on. */
  answered(): void;
  /** @param firstContentMs from the start of the call */
  succeeded(firstContentMs: number): void;
  failed(fault: ProviderFault): void;
  /** The client left, or a mistake of ours: no word about the provider. */
  released(): void;
}

/** What is known of one provider with one model. */
interface Entry {
  readonly provider: string;
  readonly model: string;
  readonly circuit: CircuitBreaker;
  readonly recent: RecentCalls;
  /** Until when the provider asked to be left alone. */
  pausedUntilMs: number;
}

type Named = Pick<Deployment, "provider" | "model">;

/** How providers do with models, learnt from real calls; each pair of provider and model on its own. */
export class HealthBook {
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly parts: HealthParts) {}

  /** Null: its circuit is open, or is being tried by another call. */
  admit(deployment: Named): Admission | null {
    const entry = this.#entryOf(deployment);
    const pass = entry.circuit.enter(this.parts.clock());
    return pass === null ? null : new OpenAdmission(entry, pass, this.parts);
  }

  /**
   * Order to try deployments in: 0 closed, 1 half-open, 2 asked to be left alone for now, 3 open. One that has been half-open
   * for a whole cooldown, because other providers did well, ranks with the closed ones until a call tries it.
   */
  rank(deployment: Named): number {
    const entry = this.#find(deployment);
    if (entry === undefined) return 0;
    const now = this.parts.clock();
    const state = entry.circuit.state(now);
    if (state === "open") return 3;
    if (now < entry.pausedUntilMs) return 2;
    return state === "half_open" && !entry.circuit.isDue(now) ? 1 : 0;
  }

  isOpen(deployment: Named): boolean {
    return this.#find(deployment)?.circuit.state(this.parts.clock()) === "open";
  }

  /** Milliseconds until the deployment may be tried again, as far as is known; null when nothing speaks against it. */
  waitMs(deployment: Named): number | null {
    const entry = this.#find(deployment);
    if (entry === undefined) return null;
    const untilMs = Math.max(entry.pausedUntilMs, entry.circuit.openUntilMs ?? entry.pausedUntilMs);
    return untilMs > this.parts.clock() ? untilMs - this.parts.clock() : null;
  }

  health({ provider, model }: Named): Health {
    const entry = this.#find({ provider, model });
    if (entry === undefined) return { state: "closed", error_rate: null, p50_ttft_ms: null };
    const median = entry.recent.medianFirstContentMs;
    return {
      state: entry.circuit.state(this.parts.clock()),
      error_rate: entry.recent.errorRate,
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
    const { circuitFailures: failures, circuitCooldownMs: cooldownMs } = this.parts.settings;
    const circuit = new CircuitBreaker({ failures, cooldownMs });
    const entry: Entry = {
      provider,
      model,
      circuit,
      recent: new RecentCalls(),
      pausedUntilMs: Number.NEGATIVE_INFINITY,
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

class OpenAdmission implements Admission {
  #pass: Pass;

  constructor(
    private readonly entry: Entry,
    pass: Pass,
    private readonly parts: HealthParts,
  ) {
    this.#pass = pass;
  }

  answered(): void {
    const { pass, closed } = this.entry.circuit.answered(this.#pass);
    this.#pass = pass;
    if (closed) this.#logClosed();
  }

  succeeded(firstContentMs: number): void {
    this.entry.recent.succeeded(firstContentMs);
    this.entry.pausedUntilMs = Number.NEGATIVE_INFINITY;
    if (this.entry.circuit.succeeded(this.#pass)) this.#logClosed();
  }

  failed(fault: ProviderFault): void {
    if (!PROVIDER_FAILURES.has(fault.code)) {
      this.released();
      return;
    }
    const now = this.parts.clock();
    this.entry.recent.failed();
    if (fault.retryAfterMs !== null) {
      this.entry.pausedUntilMs = now + Math.min(fault.retryAfterMs, LONGEST_PAUSE_MS);
    }
    if (this.entry.circuit.failed(this.#pass, now)) this.#logOpened(fault.code);
  }

  released(): void {
    this.entry.circuit.released(this.#pass);
  }

  #logOpened(code: ProviderFaultCode): void {
    const { provider, model } = this.entry;
    const { circuitFailures: failures, circuitCooldownMs: cooldown_ms } = this.parts.settings;
    this.parts.logger?.warn({ provider, model, code, failures, cooldown_ms }, "circuit opened");
  }

  #logClosed(): void {
    const { provider, model } = this.entry;
    this.parts.logger?.info({ provider, model }, "circuit closed");
  }
}

const keyOf = (provider: string, model: string): string => `${provider}\n${model}`;
