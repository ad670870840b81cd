import type { TokenPrice } from "../estimation/bills.js";

/** Facts of a model apart from its scores, which determine its placement when it has few scores. */
export interface ModelDescription {
  /** Models that differ only in effort share a base model. */
  readonly base: string;
  /** Line of models of one maker, such as `claude` or `gpt`. */
  readonly family: string;
  /** ISO 8601 date; null when unknown. */
  readonly released: string | null;
  /** Null when unknown or free. */
  readonly outputUsdPerMtok: number | null;
  /** What its vendor lists today; null or absent when unknown or free. */
  readonly listPrice?: TokenPrice | null;
  /** The effort of the variant: `none`, `low`, …; null for the model's default. */
  readonly effort: string | null;
  /** The level of thinking, including the default: `low`, `high`, …; null when it does not think. */
  readonly thinking: string | null;
  /** Base of the model that it succeeds; null or absent when unknown. */
  readonly predecessor?: string | null;
}

/** Effect of a level on thinking, from none (−1) over the default (0) to the maximum (1.3); initial guess. */
const EFFORTS: Readonly<Record<string, number>> = {
  none: -1,
  minimal: -0.6,
  low: 0.2,
  medium: 0.5,
  thinking: 0.8,
  adaptive: 0.8,
  high: 1,
  xhigh: 1.3,
  max: 1.3,
};

/** Settings that a variant may be asked with. */
export const KNOWN_EFFORTS: readonly string[] = Object.keys(EFFORTS);

const ALWAYS_THINKING = /^(o\d|deepseek-r\d|qwq|magistral|grok-4(?!.*non-reasoning))|thinking|reasoning/;

/** Family and effort from the name: `gpt-5.4:xhigh` is of `gpt`, with effort `xhigh`. */
export function describeByName(model: string): ModelDescription {
  const [base = model, effort = null] = model.split(":");
  const family = /^[a-z]+/.exec(base)?.[0] ?? base;
  const thinks = effort === null ? ALWAYS_THINKING.test(base) : effort !== "none" && effort !== "no-thinking";
  const thinking = thinks ? (effort ?? "thinking") : null;
  return { base, family, released: null, outputUsdPerMtok: null, effort, thinking };
}

const MIDDLE_DATE = Date.parse("2025-06-01");
const YEAR_MS = 365 * 24 * 3600 * 1000;

/**
 * Numbers of about unit scale, `[9]`: years since the middle of 2025, log price, log of the billions of weights,
 * effort, whether the name indicates a small model, and which of them are known.
 */
export function covariatesOf(model: string, description: ModelDescription): Float64Array {
  const years =
    description.released === null ? Number.NaN : (Date.parse(description.released) - MIDDLE_DATE) / YEAR_MS;
  const price = description.outputUsdPerMtok ?? 0;
  const billions = Number(/(?:^|-)(\d+(?:\.\d+)?)b(?:-|$)/.exec(description.base)?.[1] ?? Number.NaN);
  const isSmall = /\b(mini|nano|lite|small|flash|haiku|air|micro)\b/.test(model);
  return Float64Array.of(
    1,
    Number.isNaN(years) ? 0 : years,
    Number.isNaN(years) ? 1 : 0,
    price > 0 ? Math.log(price / 3) / 2 : 0,
    price > 0 ? 0 : 1,
    Number.isNaN(billions) || billions === 0 ? 0 : Math.log(billions / 70) / 2,
    Number.isNaN(billions) || billions === 0 ? 0 : 1,
    description.effort === null ? 0 : (EFFORTS[description.effort] ?? 0),
    isSmall ? 1 : 0,
  );
}
