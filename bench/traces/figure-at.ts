import type { Figure } from "../report/result.js";

/** `1m`, `250k`, `1234`. */
export function sizeName(rows: number): string {
  if (rows % 1e6 === 0) return `${rows / 1e6}m`;
  return rows % 1000 === 0 ? `${rows / 1000}k` : String(rows);
}

/** A figure before it has its id. */
export type Named = Omit<Figure, "id">;

/** Names figures of a store of that size: `traces/1m/<path>`. */
export const figureAt =
  (rows: number) =>
  (path: string, figure: Named): Figure => ({ id: `traces/${sizeName(rows)}/${path}`, ...figure });

/** The goal, at the only size for which there is one. */
export const goalAt = (rows: number, { at, goal }: { at: number; goal: number }): { goal?: number } =>
  rows === at ? { goal } : {};

export const MILLION = 1_000_000;
export const LOWER_MS = { unit: "ms", better: "lower" } as const;
/** Beside which others are read. */
export const REFERENCE_MS = { unit: "ms", better: "neither" } as const;
