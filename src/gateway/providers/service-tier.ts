import type { TokenUsage } from "./token-usage.js";

/** Names of the tier that a list price is for; every other one has a price of its own. */
const STANDARD: ReadonlySet<string> = new Set(["", "auto", "default", "standard", "on_demand"]);

/** The `service_tier` of a reply, as a member of its usage; none where the list price applies. */
export function servedBy(tier: unknown): { readonly serviceTier?: string } {
  if (typeof tier !== "string" || STANDARD.has(tier) || !/^[\w-]{1,40}$/.test(tier)) return {};
  return { serviceTier: tier };
}

/** The usage of a reply that names its tier beside it. */
export const withTier = (tokens: TokenUsage | null, tier: unknown): TokenUsage | null =>
  tokens && { ...tokens, ...servedBy(tier) };
