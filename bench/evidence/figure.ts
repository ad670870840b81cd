import type { Figure } from "../report/result.js";

const DIGITS = 6;

type FigureInput = Omit<Figure, "value" | "interval"> & {
  readonly value: number;
  readonly interval?: { readonly low: number; readonly high: number } | undefined;
  /** Why there is no value, where there is none. */
  readonly missing: string;
};

/** A figure with rounded numbers and an id that the schema takes; without a value when it is no finite number. */
export function figureOf({ id, value, interval, missing, ...facts }: FigureInput): Figure {
  const path = id.toLowerCase().replace(/[^a-z0-9_.+=/-]/g, "_");
  if (!Number.isFinite(value)) return { ...facts, id: path, value: null, note: missing };
  return {
    ...facts,
    id: path,
    value: rounded(value),
    ...(interval === undefined
      ? {}
      : { interval: { low: rounded(interval.low), high: rounded(interval.high) } }),
  };
}

export const rounded = (value: number): number => Number(value.toPrecision(DIGITS));
