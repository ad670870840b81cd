/**
 * `resting`: not used for a while, because the vendor asked for fewer requests; `refused`: because the vendor refused the
 * key or its account is empty; `not_set`: its variable is not set.
 */
export const KEY_STATES = ["usable", "resting", "refused", "not_set"] as const;
export type KeyState = (typeof KEY_STATES)[number];
