import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { Attempt } from "../traces/trace.js";
import type { AttemptRecord } from "./attempt.js";
import type { Blocked } from "./health.js";

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
    const { fault, attempt: code } = blocked;
    record.called(notCalled(deployment, code, fault === null ? null : `${BLOCKED_BY[code]} ${fault}`));
  }
}

/** The attempt of a call that was not made. */
export const notCalled = ({ provider, model }: Deployment, code: string, why: string | null): Attempt => ({
  provider,
  model,
  status: null,
  code,
  latency_ms: 0,
  message: why === null ? null : `not called: ${why}`,
});
