import type { Figure } from "../../report/result.js";
import type { Estimate } from "./pooled-set.js";

interface FigureFacts {
  readonly label: string;
  readonly unit: Figure["unit"];
  readonly better: Figure["better"];
  readonly against?: string;
  readonly note?: string;
  /** Why there is no value, where there is none. */
  readonly missing?: string;
}

const DIGITS = 6;

/** A figure of an estimate. */
export function figureOf(id: string, estimate: Estimate, facts: FigureFacts): Figure {
  const { value, low, high, samples } = estimate;
  const known = samples.filter((sample) => Number.isFinite(sample));
  const { missing = "nothing to compute it from on this set", ...shown } = facts;
  const hasInterval = value !== null && Number.isFinite(low) && Number.isFinite(high);
  return {
    id: id.toLowerCase().replace(/[^a-z0-9_.+=/-]/g, "_"),
    ...shown,
    value: value === null ? null : rounded(value),
    ...(value === null ? { note: missing } : {}),
    ...(hasInterval ? { interval: { low: rounded(low), high: rounded(high) } } : {}),
    ...(known.length > 0 ? { samples: known.map(rounded) } : {}),
  };
}

/** The same in percentage points, for differences. */
export function inPoints({ value, low, high, samples }: Estimate): Estimate {
  return {
    value: value === null ? null : 100 * value,
    low: 100 * low,
    high: 100 * high,
    samples: samples.map((sample) => 100 * sample),
  };
}

export function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS));
}
