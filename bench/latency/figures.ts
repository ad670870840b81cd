import { formatValue } from "../report/legible.js";
import { markdownTable } from "../report/markdown.js";
import type { Figure } from "../report/result.js";
import { median } from "../report/statistics.js";
import { type Timing, timeAt } from "./interleave.js";

/** Median and tail of a case, and both relative to the reference of the same round. */
export function figuresOf(timings: readonly Timing[]): Figure[] {
  const byId = new Map(timings.map((timing) => [timing.id, timing]));
  return timings.flatMap((timing) => {
    const reference = timing.reference === null ? undefined : byId.get(timing.reference);
    return [
      percentile(timing, 0.5),
      percentile(timing, 0.99),
      ...(reference === undefined ? [] : [0.5, 0.99].map((share) => ratio(timing, reference, share))),
    ];
  });
}

const NAMES: Readonly<Record<number, string>> = { 0.5: "p50", 0.99: "p99" };

function percentile({ id, label, rounds }: Timing, share: number): Figure {
  const name = NAMES[share] ?? String(share);
  const samples = rounds.map((round) => timeAt(round, share));
  return {
    ...{ id: `${id}/${name}`, label: `${label}, ${name}`, unit: "us", better: "lower" },
    ...{ value: median(samples), samples },
  };
}

function ratio(timing: Timing, reference: Timing, share: number): Figure {
  const name = NAMES[share] ?? String(share);
  const samples = timing.rounds.map(
    (round, index) => timeAt(round, share) / timeAt(reference.rounds[index] ?? round, share),
  );
  return {
    ...{ id: `${timing.id}/${name}_ratio`, label: `${timing.label}, ${name} ÷ ${reference.label}` },
    ...{
      value: median(samples),
      unit: "ratio",
      better: "lower",
      samples,
      against: `${reference.id}/${name}`,
    },
  };
}

/** The decision that the others are compared with. */
export const USUAL = "latency/decision/t50/a5000/m10";

/** How decisions grow with models and anchors. */
export function scalingFigures(timings: readonly Timing[]): Figure[] {
  const base = timings.find(({ id }) => id === USUAL);
  if (base === undefined) return [];
  return timings
    .filter(({ id }) => /^latency\/decision\/t50\//.test(id) && id !== USUAL)
    .map((timing) => grownFigure(timing, base));
}

function grownFigure(timing: Timing, base: Timing): Figure {
  const samples = timing.rounds.map(
    (round, index) => timeAt(round, 0.5) / timeAt(base.rounds[index] ?? round, 0.5),
  );
  const id = timing.id.replace("latency/decision/t50/", "latency/grown/");
  return {
    ...{ id: `${id}/over_a5000_m10`, label: `${timing.label}, p50 ÷ that of 5,000 × 10` },
    ...{ value: median(samples), unit: "ratio", better: "lower", samples, against: `${base.id}/p50` },
  };
}

/** A line for each case: what a terminal has room for. The figures are in the result. */
export function timingTable(timings: readonly Timing[]): string {
  const byId = new Map(timings.map((timing) => [timing.id, timing]));
  const middle = ({ rounds }: Timing, share: number) => median(rounds.map((round) => timeAt(round, share)));
  const rows = timings.map((timing) => {
    const reference = timing.reference === null ? undefined : byId.get(timing.reference);
    const ratioText =
      reference === undefined ? "" : formatValue(ratio(timing, reference, 0.5).value, "ratio");
    const times = [0.5, 0.99].map((share) => formatValue(middle(timing, share), "us"));
    return [timing.label, ...times, ratioText, reference?.label ?? "reference"];
  });
  return markdownTable(["", "p50", "p99", "p50 ÷", "reference"], rows);
}
