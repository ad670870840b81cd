import type { Deployment } from "../../../engine/catalog/deployments/deployment.js";
import type { AttemptRecord } from "./attempt.js";
import type { Blocked } from "./health-registry.js";

const BLOCKED_BY = {
  circuit_open: "the last failure was",
  concurrency_limit: "as many calls as the settings allow are under way, which counts as",
  keys_resting: "none of its keys may be used, and the first rests because of",
} as const satisfies Record<Blocked["attempt"], string>;

/** The deployments that a request did not call, with the reason of each. */
export class PassedOver extends Map<Deployment, Blocked> {
  /** Recorded once for each deployment, however often it is skipped. */
  skip(deployment: Deployment, blocked: Blocked, record: AttemptRecord): void {
    const isNew = !this.has(deployment);
    this.set(deployment, blocked);
    if (!isNew) return;
    const { provider, model } = deployment;
    const { fault, attempt: code } = blocked;
    const message = fault === null ? null : `not called: ${BLOCKED_BY[code]} ${fault}`;
    record.called({ provider, model, status: null, code, message, latency_ms: 0 });
  }
}
