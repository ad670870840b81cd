/** The one place for retries and fallback. */
import type { Offer } from "../../catalog/offer.js";
import { SextantError } from "../../foundation/errors.js";
import type { Clock, Timers } from "../../foundation/timers.js";
import type { ChatBody, ChatCompletion } from "../../providers/chat.js";
import type { Provider, ProviderFault } from "../../providers/provider.js";
import type { TokenUsage } from "../../providers/token-usage.js";
import type { Settings } from "../../settings/settings.js";
import type { Attempt } from "../../traces/trace.js";
import { orderOffers } from "../planning/offer-order.js";
import type { PlannedModel } from "../planning/plan.js";
import type { RequestSize } from "../planning/request-size.js";
import { type AttemptOutcome, attempt, type OpenStream, type StageLimits } from "./attempt.js";
import { backoffMs, wait } from "./backoff.js";
import { ClientDisconnected } from "./client-disconnected.js";
import type { Admission, HealthBook } from "./health.js";
import { upstreamBody } from "./upstream-body.js";
import { failureError, refusalError } from "./upstream-errors.js";

export interface DispatchParts {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly health: HealthBook;
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
  /** When everything has to be over, by the parts' clock. */
  readonly deadlineMs: number;
  /** Where attempts are written as they end, in order; there too when this throws. */
  readonly attempts: Attempt[];
}

/** An offer that answered. The attempt is the last of the request's. */
export type Reached =
  | {
      readonly kind: "completion";
      readonly offer: Offer;
      readonly completion: ChatCompletion;
      readonly tokens: TokenUsage | null;
    }
  | {
      readonly kind: "stream";
      readonly offer: Offer;
      readonly stream: OpenStream;
      /** To be ended when the stream is. */
      readonly admission: Admission;
    };

/**
 * Tries the models in order until one answers, for a stream: until its first content.
 *
 * A model's offers are tried one after the other, best first; then, after a wait, once more those whose fault may pass, up
 * to `retries` times; then it is the next model's turn. An offer that ran into a time limit is not tried again, nor one
 * that asks for a longer wait than `retryMaxWaitMs`. An offer whose circuit is open is passed over. There are at most
 * `maxAttempts` calls, and all of it ends at the deadline.
 *
 * @throws SextantError `upstream_error`, `upstream_timeout` when all failed; at once, what a fault means that no other try
 * would mend. ClientDisconnected when the client leaves: the call under way is then aborted in the same tick
 */
export function dispatch(
  plan: readonly PlannedModel[],
  request: DispatchRequest,
  parts: DispatchParts,
): Promise<Reached> {
  return new Dispatch(request, parts).run(plan);
}

/** An offer's turn in a round. */
interface Turn {
  readonly offer: Offer;
  /** Not before this. */
  readonly dueMs: number;
}

interface Failure {
  readonly offer: Offer;
  readonly fault: ProviderFault;
  readonly failedMs: number;
}

interface Tried {
  readonly offer: Offer;
  readonly admission: Admission;
  readonly startedMs: number;
}

class Dispatch {
  #calls = 0;
  readonly #passedOver = new Set<Offer>();

  constructor(
    private readonly request: DispatchRequest,
    private readonly parts: DispatchParts,
  ) {}

  async run(plan: readonly PlannedModel[]): Promise<Reached> {
    for (const { offers } of plan) {
      const reached = await this.#tryModel(offers);
      if (reached !== null) return reached;
    }
    throw failureError(this.request.attempts, {
      deadlinePassed: this.#deadlinePassed(),
      retryAfterMs: this.#retryAfterMs(plan),
    });
  }

  async #tryModel(offers: readonly Offer[]): Promise<Reached | null> {
    const { health, settings } = this.parts;
    const rank = (offer: Offer): number => health.rank(offer);
    let turns: readonly Turn[] = orderOffers(offers, { rank, size: this.request.size }).map(atOnce);
    for (let round = 0; ; round++) {
      const failures: Failure[] = [];
      for (const { offer, dueMs } of turns) {
        if (this.#isOver()) return null;
        if (dueMs > this.parts.clock()) await this.#waitUntil(dueMs);
        const tried = await this.#try(offer);
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
    const { clock, random, health, settings } = this.parts;
    const longestMs = settings.retryMaxWaitMs;
    const earliestMs = clock() + backoffMs(round, { random, longestMs });
    return failures
      .filter(({ fault }) => fault.code !== "timeout" && (fault.retryAfterMs ?? 0) <= longestMs)
      .map(({ offer, fault, failedMs }) => ({
        offer,
        dueMs: Math.max(earliestMs, failedMs + (fault.retryAfterMs ?? 0)),
      }))
      .filter(({ offer, dueMs }) => dueMs < this.request.deadlineMs && !health.isOpen(offer))
      .sort((left, right) => left.dueMs - right.dueMs);
  }

  /** Null: its circuit is open. */
  async #try(offer: Offer): Promise<Reached | Failure | null> {
    if (this.request.signal.aborted) throw new ClientDisconnected();
    const { providers, health, clock, timers, settings } = this.parts;
    const provider = providers.get(offer.provider);
    if (provider === undefined) {
      throw new SextantError("internal_error", `the catalog enables ${offer.provider}, which is not there`);
    }
    const admission = health.admit(offer);
    if (admission === null) return this.#passOver(offer);
    this.#calls += 1;
    const { body, stream, signal: clientSignal, deadlineMs, attempts } = this.request;
    const startedMs = clock();
    const outcome = await attempt(offer, provider, {
      body: upstreamBody(body, offer),
      stream,
      stages: settings,
      clientSignal,
      deadlineMs,
      clock,
      timers,
    });
    attempts.push(outcome.attempt);
    return this.#judge(outcome, { offer, admission, startedMs });
  }

  #judge(outcome: AttemptOutcome, { offer, admission, startedMs }: Tried): Reached | Failure {
    const { clock, remedyOf } = this.parts;
    switch (outcome.kind) {
      case "completion":
        admission.succeeded(clock() - startedMs);
        return { kind: "completion", offer, completion: outcome.completion, tokens: outcome.tokens };
      case "stream":
        admission.answered();
        return { kind: "stream", offer, stream: outcome.stream, admission };
      case "failed": {
        const { fault } = outcome;
        admission.failed(fault);
        if (fault.retryable) return { offer, fault, failedMs: clock() };
        const { attempts } = this.request;
        throw refusalError(fault, offer, { attempts, remedy: remedyOf(offer.provider) });
      }
      case "abandoned":
        admission.released();
        throw new ClientDisconnected();
      case "broken":
        admission.released();
        throw outcome.error;
    }
  }

  /** Told of once for each offer: a circuit that stays open is no further news. */
  #passOver(offer: Offer): null {
    const { provider, model } = offer;
    if (!this.#passedOver.has(offer)) {
      this.#passedOver.add(offer);
      this.request.attempts.push({ provider, model, status: null, code: "circuit_open", latency_ms: 0 });
    }
    return null;
  }

  #waitUntil(dueMs: number): Promise<void> {
    const { clock, timers } = this.parts;
    return wait(Math.ceil(dueMs - clock()), { timers, signal: this.request.signal });
  }

  #isOver(): boolean {
    return this.#calls >= this.parts.settings.maxAttempts || this.#deadlinePassed();
  }

  #deadlinePassed(): boolean {
    return this.parts.clock() >= this.request.deadlineMs;
  }

  /** When every provider asked for a rest, or gets one, the time until the first may be asked again. */
  #retryAfterMs(plan: readonly PlannedModel[]): number | null {
    const { attempts } = this.request;
    if (!attempts.every(({ code }) => code === "rate_limited" || code === "circuit_open")) return null;
    const waits = plan.flatMap(({ offers }) =>
      offers.flatMap((offer) => this.parts.health.waitMs(offer) ?? []),
    );
    return waits.length === 0 ? null : Math.min(...waits);
  }
}

const atOnce = (offer: Offer): Turn => ({ offer, dueMs: Number.NEGATIVE_INFINITY });
