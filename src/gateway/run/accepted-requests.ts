/** What every request has in common: its limits, its accounting, and the headers that say how much is left. */
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import { SextantError } from "../../foundation/errors.js";
import type { Limiter, Reservation, UsageEstimate } from "../access/limits/limits.js";
import type { Settings } from "../settings/settings.js";
import { backgroundCounter, type TokenCounter } from "../token-counting/token-counter.js";
import { cancellationOf } from "./cancellation.js";
import type { Answer } from "./inference.js";
import type { ModelCatalog } from "./model-catalog.js";
import type { RequestContext } from "./request.js";
import { baselineOf } from "./savings.js";
import { type AccountedRequest, RequestAccounting, type RequestAccountingDependencies } from "./settle.js";

/** An accepted request in progress. */
export interface Accepted {
  readonly context: RequestContext;
  readonly reservation: Reservation;
  readonly accounting: RequestAccounting;
}

export interface AcceptedRequestsDependencies
  extends Pick<RequestAccountingDependencies, "traces" | "observer" | "counter" | "clock"> {
  readonly limiter: Pick<Limiter, "reserve">;
  readonly catalog: ModelCatalog;
  readonly settings: Pick<Settings, "baselineModel">;
  /** Observes the answers of routed requests; undefined when lengths are not corrected. */
  readonly lengths?: RequestAccountingDependencies["lengths"];
}

interface AcceptOptions {
  readonly context: RequestContext;
  readonly estimate: UsageEstimate;
  /** Whether another model may answer; default: it may not. */
  readonly isSwitchable?: () => boolean;
}

type LimitHeaders = Pick<Answer, "limitHeaders">;

export class AcceptedRequests {
  readonly #open = new OpenRequests();
  readonly #backgroundCounter: TokenCounter;

  constructor(private readonly dependencies: AcceptedRequestsDependencies) {
    this.#backgroundCounter = backgroundCounter(dependencies.counter);
  }

  /** Resolves once all are over: their reservations settled, their traces recorded. */
  settled(): Promise<void> {
    return this.#open.none();
  }

  /** @throws SextantError `rate_limit_exceeded`, `budget_exceeded`; such a request is not accepted and leaves no trace */
  async accept(
    asked: AccountedRequest,
    { context, estimate, isSwitchable }: AcceptOptions,
  ): Promise<Accepted> {
    const { limiter, traces, lengths, observer, clock, counter } = this.dependencies;
    const { catalog, settings } = this.dependencies;
    const { principal, source, requestId } = context;
    const { team } = principal;
    const startMs = clock();
    // What the key says of its holder's team is so in traces, too.
    const entry = team ? { ...asked, metadata: { ...asked.metadata, team } } : asked;
    const tags = { requestId, source, metadata: entry.metadata, isSwitchable };
    const reservation = await this.#open.track(limiter.reserve(principal, estimate, tags));
    context.span?.part("reserve limits", startMs);
    const counters = { counter, backgroundCounter: this.#backgroundCounter };
    const baseline = () => baselineOf(settings.baselineModel, catalog);
    const recording = { context, reservation, traces, lengths, observer, baseline, clock };
    return { context, reservation, accounting: new RequestAccounting(entry, { ...recording, ...counters }) };
  }

  /** Records a failure of the work, which gets the headers of the limits; work that succeeds does both itself. */
  async accounted<Result>(
    { context, reservation, accounting }: Accepted,
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const cancelled = context.signal.aborted && !(error instanceof SextantError);
      const reason = cancelled ? cancellationOf(context.signal) : error;
      accounting.failed(reason);
      throw reason instanceof SextantError ? reason.withHeaders(reservation.headers) : reason;
    }
  }

  /** Work that uses no tokens and leaves no trace. @throws as `accept`, and as the work */
  async untraced<Result>(
    { principal, source, requestId }: RequestContext,
    work: () => Promise<Result>,
  ): Promise<Result & LimitHeaders> {
    const { limiter } = this.dependencies;
    const reservation = await this.#open.track(limiter.reserve(principal, NO_TOKENS, { requestId, source }));
    try {
      return { ...(await work()), limitHeaders: reservation.headers };
    } catch (error) {
      throw error instanceof SextantError ? error.withHeaders(reservation.headers) : error;
    } finally {
      reservation.settle(NO_TOKENS);
    }
  }
}

/** What an answer says of where it is from. The attempts are a copy: the accounting replaces the last one when a stream ends. */
export const answeredBy = (
  { model, provider }: Deployment,
  { accounting, reservation }: Accepted,
): Omit<Answer, "kind" | "completion" | "usage"> => ({
  model,
  provider,
  attempts: [...accounting.attempts],
  routing: accounting.routing,
  limitHeaders: reservation.headers,
});

/** Of a request that no model answers, such as a decision alone. */
export const NO_TOKENS: UsageEstimate = { tokens: 0, costUsd: 0 };

/** A class, because V8 makes a dictionary of an object literal with getters, which is slow to make and to read. */
class OpenReservation implements Reservation {
  constructor(
    private readonly reservation: Reservation,
    private readonly onSettled: () => void,
  ) {}

  get headers() {
    return this.reservation.headers;
  }

  get instead() {
    return this.reservation.instead;
  }

  reserveCost(...asked: Parameters<Reservation["reserveCost"]>) {
    return this.reservation.reserveCost(...asked);
  }

  settle(used: Parameters<Reservation["settle"]>[0]): void {
    this.reservation.settle(used);
    this.onSettled();
  }

  refuse(refusal: Parameters<Reservation["refuse"]>[0]): void {
    this.reservation.refuse(refusal);
    this.onSettled();
  }
}

/** Counts the accepted requests that are not settled yet: those under way, and those whose tokens are still being counted. */
class OpenRequests {
  #open = 0;
  #whenNone: (() => void)[] = [];

  /** Counts a request from now on until its reservation is refused or settled. */
  async track(reserving: Reservation | Promise<Reservation>): Promise<Reservation> {
    this.#open += 1;
    try {
      return new OpenReservation(await reserving, () => this.#ended());
    } catch (refusal) {
      this.#ended();
      throw refusal;
    }
  }

  #ended(): void {
    this.#open -= 1;
    if (this.#open > 0) return;
    for (const resolve of this.#whenNone) resolve();
    this.#whenNone = [];
  }

  /** Resolves once there are none, their traces recorded. */
  none(): Promise<void> {
    return this.#open === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenNone.push(resolve));
  }
}
