/** When the deployments of a model are called, and called again. */
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { Clock } from "../../foundation/timers.js";
import type { ProviderFault } from "../providers/provider.js";
import type { HealthRegistry } from "./health.js";

/** A deployment to call in a round. */
export interface ScheduledCall {
  readonly deployment: Deployment;
  /** Earliest time of the call. */
  readonly dueMs: number;
}

export interface FailedCall {
  readonly deployment: Deployment;
  readonly fault: ProviderFault;
  readonly failedMs: number;
}

export interface ScheduleOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly health: Pick<HealthRegistry, "of">;
  /** The longest wait for a deployment. */
  readonly longestMs: number;
  /** End of the whole request, by the clock. */
  readonly deadlineMs: number;
}

/**
 * When a deployment is called at first: at the end of a pause that its provider asked for, where it is soon enough to wait for
 * it; else now.
 */
export function firstDueMs(
  endMs: number | null,
  { clock, random, longestMs, deadlineMs }: ScheduleOptions,
): number {
  if (endMs === null || endMs - clock() > longestMs) return Number.NEGATIVE_INFINITY;
  // Those who wait for the same end do not all call at once.
  const dueMs = endMs + backoffMs(0, { random, longestMs });
  return dueMs < deadlineMs ? dueMs : Number.NEGATIVE_INFINITY;
}

/**
 * Deployments with a transient fault, in the order in which they may be called again.
 *
 * @param round 0 after the first
 */
export function nextRound(
  failures: readonly FailedCall[],
  round: number,
  { clock, random, health, longestMs, deadlineMs }: ScheduleOptions,
): readonly ScheduledCall[] {
  const earliestMs = clock() + backoffMs(round, { random, longestMs });
  return failures
    .filter(({ fault }) => fault.passing && (fault.retryAfterMs ?? 0) <= longestMs)
    .map(({ deployment, fault, failedMs }) => ({
      deployment,
      dueMs: Math.max(earliestMs, failedMs + (fault.retryAfterMs ?? 0)),
    }))
    .filter(({ deployment, dueMs }) => dueMs < deadlineMs && !health.of(deployment).isOpen())
    .sort((left, right) => left.dueMs - right.dueMs);
}

/** Upper limit of the first wait, doubled in every round (guess: long enough for a dropped connection, short for a person). */
const BASE_MS = 250;

interface BackoffOptions {
  readonly random: () => number;
  readonly longestMs: number;
}

/**
 * The wait before a retry: uniform between zero and a limit that doubles in every round ("full jitter"), so that
 * clients do not retry simultaneously.
 *
 * @param round 0 for the first wait
 */
function backoffMs(round: number, { random, longestMs }: BackoffOptions): number {
  return random() * Math.min(longestMs, BASE_MS * 2 ** round);
}
