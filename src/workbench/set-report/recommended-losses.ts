/** Points of quality that recommended cost weights may lose, as shares. */
export const MAX_LOSSES: readonly number[] = [0, 0.01, 0.02, 0.05];

/** Cost weights of a sweep: 0, 0.05, … 1. */
export const COST_WEIGHTS: readonly number[] = Array.from({ length: 21 }, (_, step) => step / 20);
