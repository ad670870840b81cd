import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { RoutingBody } from "../../engine/router/routing-body.js";
import type { Trace } from "../traces/trace.js";

/** Observes one request while spans are exported; `telemetry` implements it. Moments are on the clock of `RequestContext.arrivedMs`. */
export interface RequestSpan {
  /** The request is accepted: `finished` follows, possibly after the client's connection is closed. */
  accepted(): void;
  /** A part of the work, which lasted from `startMs` until now. */
  part(name: string, startMs: number): void;
  /** A decision was made, from `startMs` until now. */
  decided(routing: RoutingBody, startMs: number): void;
  /**
   * An upstream call begins now. Its end and its outcome are those of the trace's attempt with that index.
   *
   * @returns headers for the provider, which continue the trace there
   */
  callStarted(deployment: Deployment, attemptIndex: number): Readonly<Record<string, string>>;
  /** The request is over. Null when it leaves no trace because it was refused before any call. */
  finished(trace: Trace | null): void;
}
