import { formatValue } from "../report/format.js";
import { markdownTable } from "../report/markdown.js";
import type { Figure } from "../report/result.js";
import { median } from "../report/statistics.js";
import { type Timing, timeAt } from "./interleave.js";

/** What ratios are taken to, in the same round: bound by memory as decisions are. */
const REFERENCE = "latency/scan/a5000";
const SHARES = [
  { share: 0.5, name: "p50" },
  { share: 0.99, name: "p99" },
];

/** Median and tail of a case, and its median relative to the reference. */
export function figuresOf(timings: readonly Timing[]): Figure[] {
  const reference = timings.find(({ id }) => id === REFERENCE);
  return timings.flatMap((timing) => [
    ...SHARES.map(({ share, name }): Figure => {
      const samples = timing.rounds.map((round) => timeAt(round, share));
      return {
        ...{ id: `${timing.id}/${name}`, label: `${timing.label}, ${name}`, unit: "us", better: "lower" },
        ...{ value: median(samples), samples },
      };
    }),
    ...(reference === undefined || timing === reference ? [] : [ratio(timing, reference)]),
  ]);
}

function ratio({ id, label, rounds }: Timing, reference: Timing): Figure {
  const samples = rounds.map(
    (round, index) => timeAt(round, 0.5) / timeAt(reference.rounds[index] ?? round, 0.5),
  );
  return {
    ...{ id: `${id}/p50_ratio`, label: `${label}, p50 ÷ ${reference.label}`, unit: "ratio", better: "lower" },
    ...{ value: median(samples), samples, against: `${reference.id}/p50` },
  };
}

/** A line for each case: what a terminal has room for. The figures are in the result. */
export function timingTable(timings: readonly Timing[]): string {
  const reference = timings.find(({ id }) => id === REFERENCE);
  const rows = timings.map((timing) => [
    timing.label,
    ...SHARES.map(({ share }) =>
      formatValue(median(timing.rounds.map((round) => timeAt(round, share))), "us"),
    ),
    reference === undefined ? "" : formatValue(ratio(timing, reference).value, "ratio"),
  ]);
  return markdownTable(["", "p50", "p99", `p50 ÷ ${reference?.label ?? "reference"}`], rows);
}
