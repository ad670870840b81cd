import type { Offer } from "../../catalog/offer.js";
import { expectedCostUsd, type RequestSize } from "./request-size.js";

export interface OrderOptions {
  /** Smaller is better: how well the offer's provider does. */
  readonly rank: (offer: Offer) => number;
  readonly size: RequestSize;
}

/** Made-up answers cost nothing and never fail, and are for when nobody else answers. */
export const LAST_RESORT = "sandbox";

/**
 * Offers of one model in the order to try them: the better rank, then the cheaper for this request, an unknown price last;
 * the sandbox behind them all.
 */
export function orderOffers(offers: readonly Offer[], { rank, size }: OrderOptions): readonly Offer[] {
  if (offers.length < 2) return offers;
  return offers
    .map((offer) => ({
      offer,
      rank: offer.provider === LAST_RESORT ? Number.MAX_VALUE : rank(offer),
      cost: expectedCostUsd(size, offer.price) ?? Number.MAX_VALUE,
    }))
    .sort((left, right) => left.rank - right.rank || left.cost - right.cost)
    .map(({ offer }) => offer);
}
