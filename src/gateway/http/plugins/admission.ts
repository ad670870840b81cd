import type { ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type { SextantError } from "../../../foundation/errors.js";
import type { ServerDependencies } from "../../dependencies.js";
import { overloaded } from "../error-reply.js";

declare module "fastify" {
  interface FastifyInstance {
    /** Of routes behind `limitRequestsInFlight`. */
    readonly admission: Admission;
  }
}

type AdmissionDependencies = Pick<ServerDependencies, "limits" | "metrics" | "clock">;

/** The requests under way, and which further ones are refused. */
class Admission {
  readonly #most: number;
  readonly #delay: TurnDelay;
  /** Made once, because an error with its stack costs a good part of a refusal. */
  readonly #tooLate: SextantError;
  /** Requests that no provider answers, or not yet. */
  #local = 0;
  readonly #atProviders = new Set<ServerResponse>();

  constructor({ limits, clock }: AdmissionDependencies) {
    const { maxQueueMs, maxRequestsInFlight } = limits;
    this.#most = maxRequestsInFlight;
    this.#delay = new TurnDelay({ maxQueueMs, clock, afterTurn: setImmediate });
    this.#tooLate = overloaded(
      "More requests come than the server can answer, and this one would have waited for too long. Send it again in a moment. " +
        "The operator of the server can start more instances, or raise SEXTANT_MAX_QUEUE_MS.",
    );
  }

  get inFlight(): number {
    return this.#local + this.#atProviders.size;
  }

  /** Counts a request until its answer is complete or its client is gone. @throws SextantError `overloaded` */
  admit(raw: ServerResponse): void {
    if (this.#delay.isTooLate()) throw this.#tooLate;
    this.#throwIfFull(this.#local);
    this.#local += 1;
    raw.once("close", () => {
      if (!this.#atProviders.delete(raw)) this.#local -= 1;
    });
  }

  /**
   * Counts an admitted request among those that providers answer, apart from the others: providers that hang keep no one from
   * decisions.
   *
   * @throws SextantError `overloaded` when there are `maxRequestsInFlight` of them
   */
  startRun(raw: ServerResponse): void {
    this.#throwIfFull(this.#atProviders.size);
    if (raw.destroyed) return;
    this.#local -= 1;
    this.#atProviders.add(raw);
  }

  #throwIfFull(inFlight: number): void {
    if (inFlight < this.#most) return;
    throw overloaded(
      `${inFlight} requests are being answered, which is the limit. Send the request again in a moment, or raise ` +
        "SEXTANT_MAX_REQUESTS_IN_FLIGHT.",
    );
  }
}

/**
 * Refuses requests of this instance's routes that are read too late (`limits.maxQueueMs`), and those past
 * `limits.maxRequestsInFlight`, before they are authenticated or their bodies read.
 */
export function limitRequestsInFlight(app: FastifyInstance, dependencies: AdmissionDependencies): void {
  const admission = new Admission(dependencies);
  app.decorate("admission", admission);
  app.addHook("onRequest", (_request, { raw }, done) => {
    try {
      admission.admit(raw);
    } catch (fault) {
      return done(fault as Error);
    }
    done();
  });
  const { metrics, limits } = dependencies;
  metrics.watch("inFlight", () => [{ value: admission.inFlight }]);
  metrics.watch("inFlightLimit", () => [{ value: limits.maxRequestsInFlight }]);
}

/**
 * Searches of traces at one time. They wait for each other in the store, so that more would only run out of time there; they
 * are counted apart from requests that run models, so that neither keeps the other out.
 */
const MOST_SEARCHES = 32;

/** Refuses requests of this instance's routes past `MOST_SEARCHES`, before anything is done for them. */
export function limitSearches(app: FastifyInstance): void {
  let running = 0;
  app.addHook("onRequest", (_request, reply, done) => {
    if (running >= MOST_SEARCHES)
      return done(
        overloaded(`${running} searches of traces are running, which is the limit. Try again in a moment.`),
      );
    running += 1;
    reply.raw.once("close", () => {
      running -= 1;
    });
    done();
  });
}

/** A queue that never became short for as long as the longest wait is cut to this share of it. */
const STANDING_SHARE = 0.2;

export interface TurnDelayOptions {
  /** Longest wait, in milliseconds, of a request in a burst. */
  readonly maxQueueMs: number;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  /** Calls back once everything that the system had ready for the server has been read. */
  readonly afterTurn: (callback: () => void) => void;
}

/**
 * How late requests are read. Whatever the system has ready for the server is read in one turn of the event loop, one request
 * after the other, and a decision is made before the next request is read: the time since the turn began is what the last
 * requests of a backlog have waited, at least, and no count of requests shows it.
 *
 * A burst may wait for `maxQueueMs`. When turns took longer than a fifth of it for all of that time, the queue is not a burst's
 * but stands, and requests wait a fifth of it at most: then the others are answered in time, at the same rate. This is the
 * controlled delay of "Fail at Scale" (Maurer, ACM Queue 2015), after CoDel (RFC 8289).
 */
export class TurnDelay {
  #turnStartedMs: number | undefined;
  #turnEndedMs = Number.NEGATIVE_INFINITY;
  /** Since when every turn was long and followed the one before at once. */
  #standsSinceMs: number | undefined;

  constructor(private readonly options: TurnDelayOptions) {}

  /** Whether the request that is read now has waited for too long. About a microsecond a turn. */
  isTooLate(): boolean {
    const { clock, maxQueueMs } = this.options;
    const nowMs = clock();
    this.#turnStartedMs ??= this.#startTurn(nowMs);
    const stands = nowMs - (this.#standsSinceMs ?? nowMs) > maxQueueMs;
    return nowMs - this.#turnStartedMs > (stands ? STANDING_SHARE * maxQueueMs : maxQueueMs);
  }

  #startTurn(startedMs: number): number {
    const { clock, maxQueueMs, afterTurn } = this.options;
    const shortMs = STANDING_SHARE * maxQueueMs;
    if (startedMs - this.#turnEndedMs > shortMs) this.#standsSinceMs = undefined;
    afterTurn(() => {
      this.#turnStartedMs = undefined;
      this.#turnEndedMs = clock();
      if (this.#turnEndedMs - startedMs <= shortMs) this.#standsSinceMs = undefined;
      else this.#standsSinceMs ??= startedMs;
    });
    return startedMs;
  }
}
