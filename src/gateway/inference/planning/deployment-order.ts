import type { Deployment } from "../../../engine/catalog/deployments/deployment.js";
import { expectedCostUsd, type RequestSize } from "./request-size.js";

export interface OrderOptions {
  /** Health rank of the deployment's provider; lower is better. */
  readonly rank: (deployment: Deployment) => number;
  readonly size: RequestSize;
}

/** Generated locally, free and never failing; used when no other deployment answers. */
export const LAST_RESORT = "sandbox";

/**
 * Deployments of one model in the order of calls: by rank, then by the cost of this request with unknown prices last;
 * the sandbox always last.
 */
export function orderDeployments(
  deployments: readonly Deployment[],
  { rank, size }: OrderOptions,
): readonly Deployment[] {
  if (deployments.length < 2) return deployments;
  return deployments
    .map((deployment) => ({
      deployment,
      rank: deployment.provider === LAST_RESORT ? Number.MAX_VALUE : rank(deployment),
      cost: expectedCostUsd(size, deployment.price) ?? Number.MAX_VALUE,
    }))
    .sort((left, right) => left.rank - right.rank || left.cost - right.cost)
    .map(({ deployment }) => deployment);
}
