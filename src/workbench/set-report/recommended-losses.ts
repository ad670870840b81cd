/** Points of quality that recommended cost weights may lose, as shares. */
export const MAX_LOSSES: readonly number[] = [0, 0.01, 0.02, 0.05];
