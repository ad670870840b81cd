import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { Price } from "../../engine/catalog/models/price.js";
import { priceAtTier } from "../../engine/index.js";
import type { TokenUsage } from "../providers/token-usage.js";

/** What a call is billed by. */
export interface Billing {
  /** Null when unknown: of the model, or of the service tier that the reply names. */
  readonly price: Price | null;
  /** What the provider bills beside the costs, as far as its reply says so. */
  readonly notCounted: readonly string[];
}

/** The price of a call by the service tier that answered it, and what that leaves out. */
export function billingOf(
  { provider, upstreamModel, price }: Pick<Deployment, "provider" | "upstreamModel" | "price">,
  tokens: TokenUsage | null,
): Billing {
  if (tokens === null || price === null) return { price, notCounted: [] };
  const { serviceTier: tier, hostedCalls = {}, surcharges = [] } = tokens;
  const billed = tier === undefined ? price : priceAtTier(price, { provider, upstreamModel, tier });
  const notCounted = [
    ...(billed === null ? [`service_tier ${tier}`] : []),
    ...Object.keys(hostedCalls).filter((tool) => price.usdPerThousandCalls?.[tool] === undefined),
    ...surcharges,
  ];
  return { price: billed, notCounted };
}
