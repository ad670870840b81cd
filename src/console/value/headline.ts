import type { ValueBody } from "../../gateway/features/replay/value-schema.js";
import { type Range, rangeQuery } from "../charts/ranges.js";
import { dollars, type Interval, intervalText, percent } from "../components/format.js";

export type Comparison = NonNullable<ValueBody["saving"]>;

/** What routing saved, as the overview and the page of the value say it. */
interface Headline {
  readonly title: string;
  readonly figure: string;
  /** How sure that is, or how much of it. */
  readonly note: string;
  /** The 95 % interval; "" where all requests were read and all costs are known. */
  readonly interval: string;
  readonly isBad: boolean;
  readonly compared: Comparison;
}

/** Null where nothing was billed, and where no fixed models are as good. */
export function headlineOf({ saving, cheaper }: Pick<ValueBody, "saving" | "cheaper">): Headline | null {
  const compared = cheaper ?? saving;
  if (compared === null) return null;
  const { saved_usd: saved, saved_share: share, spent_usd: spent } = compared;
  const isOpen = saved.low <= 0 && saved.high >= 0;
  const shown = cheaper === null ? saved : negated(saved);
  const part = cheaper === null ? share?.value : shown.value / spent;
  return {
    title: cheaper === null ? "Saved by routing" : "A fixed model would have been cheaper",
    figure: dollars(shown.value),
    note: isOpen
      ? "no difference found"
      : `${percent(part ?? null)} ${cheaper === null ? "" : "less "}at equal quality`,
    interval: shown.low === shown.high ? "" : intervalText(shown, dollars),
    isBad: !isOpen && saved.value < 0,
    compared,
  };
}

const negated = ({ value, low, high }: Interval): Interval => ({ value: -value, low: -high, high: -low });

/** The figure for the overview; null where there is none. */
export function valueTile(value: ValueBody, range: Range) {
  const headline = headlineOf(value);
  return (
    headline && {
      name: value.cheaper === null ? "Saved" : "Fixed model cheaper",
      value: headline.figure,
      note: headline.note,
      more: headline.interval,
      isBad: headline.isBad,
      href: `/value?${rangeQuery(range)}`,
    }
  );
}

/** "gpt-5.5", "62% gpt-5.5 and 38% gpt-5.4-nano, at random" */
export const modelsText = (models: Comparison["models"]): string =>
  models.length === 1
    ? (models[0]?.model ?? "")
    : `${models.map(({ model, share }) => `${percent(share)} ${model}`).join(" and ")}, at random`;
