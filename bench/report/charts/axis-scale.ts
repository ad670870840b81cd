import type { Chart } from "../result.js";

/** From values to pixels, known before the chart is drawn, because labels are placed by it. */
export interface AxisScale {
  readonly type: "linear" | "log";
  readonly domain: readonly [number, number];
  /** Where ticks stand; undefined leaves it to Vega. */
  readonly ticks: readonly number[] | undefined;
  /** d3-format. */
  readonly format: string;
  /** Pixels from the axis' low end. */
  at(value: number): number;
}

export interface AxisOptions {
  readonly scale: Chart["x"]["scale"];
  readonly length: number;
  /** Domain to keep to, whatever the values. */
  readonly fixed?: readonly [number, number] | undefined;
  /** A linear axis starts at `zero`, or there only when the `least` value is small beside the largest. */
  readonly start: "zero" | "zero when near" | "least";
}

const MARGIN = 0.05;

export function axisScale(values: readonly number[], options: AxisOptions): AxisScale {
  const type = options.scale;
  const domain = options.fixed ?? (type === "log" ? logDomain(values) : linearDomain(values, options.start));
  const position = type === "log" ? Math.log10 : (value: number) => value;
  const [low, high] = [position(domain[0]), position(domain[1])];
  return {
    type,
    domain,
    ticks: type === "log" ? logTicks(domain) : undefined,
    format: formatFor(domain),
    at: (value) => ((position(value) - low) / (high - low)) * options.length,
  };
}

function linearDomain(values: readonly number[], start: AxisOptions["start"]): [number, number] {
  const [least, most] = extent(values, [0, 1]);
  const margin = most > least ? MARGIN * (most - least) : Math.abs(most) * 0.1 || 1;
  const fromZero = start === "zero" || (start === "zero when near" && least < most / 2);
  return [fromZero ? Math.min(0, least) : least - margin, most + margin];
}

function logDomain(values: readonly number[]): [number, number] {
  const [least, most] = extent(values, [1, 10]);
  const margin = most > least ? (most / least) ** MARGIN : 2;
  return [least / margin, most * margin];
}

function extent(values: readonly number[], fallback: readonly [number, number]): readonly [number, number] {
  if (values.length === 0) return fallback;
  return values.reduce<readonly [number, number]>(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
}

/** Powers of ten; with 2 and 5 between them where there would be fewer than three. */
function logTicks([low, high]: readonly [number, number]): number[] | undefined {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const ticks = (steps: readonly number[]) =>
    Array.from({ length: last - first + 1 }, (_, decade) => first + decade)
      .flatMap((exponent) => steps.map((step) => step * 10 ** exponent))
      .filter((value) => value >= low && value <= high);
  const powers = ticks([1]);
  if (powers.length >= 3) return powers;
  const finer = ticks([1, 2, 5]);
  return finer.length >= 3 ? finer : undefined;
}

function formatFor([low, high]: readonly [number, number]): string {
  if (high >= 10_000) return "~s";
  return low > 0 && low < 0.001 ? "~g" : ",.4~f";
}
