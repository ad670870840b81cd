import { figureOf as evidenceFigureOf, rounded } from "../../evidence/figure.js";
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

/** A figure of an estimate. */
export function figureOf(
  id: string,
  { value, low, high, samples }: Estimate,
  { missing = "nothing to compute it from on this set", ...shown }: FigureFacts,
): Figure {
  const known = samples.filter((sample) => Number.isFinite(sample));
  const hasInterval = Number.isFinite(low) && Number.isFinite(high);
  return evidenceFigureOf({
    ...{ ...shown, id, missing, value: value ?? Number.NaN },
    ...(hasInterval ? { interval: { low, high } } : {}),
    ...(known.length > 0 ? { samples: known.map(rounded) } : {}),
  });
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
