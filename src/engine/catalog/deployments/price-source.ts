/** Where the price of a deployment is from. */
export const PRICE_SOURCES = ["settings", "price_list"] as const;
export type PriceSource = (typeof PRICE_SOURCES)[number];
