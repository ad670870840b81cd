import type { ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { SextantError } from "../../../../foundation/errors.js";
import type { ServerDependencies } from "../../dependencies.js";
import { reading } from "../../operations/metrics/readings.js";
import { TurnDelay } from "./turn-delay.js";

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
        "Whoever runs the server can start more workers or instances, or raise SEXTANT_MAX_QUEUE_MS.",
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
  metrics.watch("inFlight", () => reading(admission.inFlight));
  metrics.watch("inFlightLimit", () => reading(limits.maxRequestsInFlight));
}

export const overloaded = (message: string): SextantError =>
  new SextantError("overloaded", message, { extra: { retry_after: 1 } });
