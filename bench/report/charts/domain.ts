import type { Axis } from "../../../src/workbench/report/axes.js";
import { significant } from "../legible.js";
import type { Chart } from "../result.js";

interface DomainOptions {
  /** Ends to keep to, whatever the values. */
  readonly fixed?: readonly [number, number] | undefined;
  /** A linear axis starts at `zero`, or there only when the `least` value is small beside the largest. */
  readonly start: "zero" | "zero when near" | "least";
}

/** Room beyond the values, as a share of their extent. */
const MARGIN = 0.05;

/** An axis that all values are on, without its label. */
export function axisOver(
  values: readonly number[],
  { scale, fixed, start }: DomainOptions & Pick<Chart["x"], "scale">,
): Omit<Axis, "label"> {
  const [low, high] = fixed ?? (scale === "log" ? logarithmic(values) : linear(values, start));
  return { low, high, format, hasGrid: true, scale: scale === "log" ? "logarithmic" : "linear" };
}

function linear(values: readonly number[], start: DomainOptions["start"]): readonly [number, number] {
  const [least, most] = extent(values, [0, 1]);
  const margin = most > least ? MARGIN * (most - least) : Math.abs(most) * 0.1 || 1;
  const fromZero = start === "zero" || (start === "zero when near" && least < most / 2);
  return [fromZero ? Math.min(0, least) : least - margin, most + margin];
}

function logarithmic(values: readonly number[]): readonly [number, number] {
  const [least, most] = extent(values, [1, 10]);
  const margin = most > least ? (most / least) ** MARGIN : 2;
  return [least / margin, most * margin];
}

const extent = (values: readonly number[], fallback: readonly [number, number]): readonly [number, number] =>
  values.length === 0
    ? fallback
    : values.reduce<readonly [number, number]>(
        ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
        [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
      );

const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 4 });

const format = (value: number): string =>
  Math.abs(value) >= 10_000 ? short.format(value) : significant(value, 4);
