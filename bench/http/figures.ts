import type { Figure } from "../report/result.js";
import { median } from "../report/statistics.js";
import type { Round } from "./measure.js";

/** A server with its rounds, and the one that its ratios are taken to. */
export interface Measured {
  /** As in ids: `decision`. */
  readonly id: string;
  readonly label: string;
  readonly rounds: readonly Round[];
}

interface Kind {
  readonly id: string;
  readonly label: string;
  readonly unit: Figure["unit"];
  readonly better: "lower" | "higher";
  readonly of: (round: Round) => number;
}

const KINDS: readonly Kind[] = [
  { id: "cpu", label: "processor time a request", unit: "us", better: "lower", of: ({ cpuUs }) => cpuUs },
  {
    ...{ id: "per_core", label: "requests a second of processor time", unit: "per_s", better: "higher" },
    of: ({ cpuUs }) => 1e6 / cpuUs,
  },
  {
    ...{ id: "per_second", label: "requests a second by the clock", unit: "per_s", better: "higher" },
    of: ({ requestsPerSecond }) => requestsPerSecond,
  },
  {
    ...{ id: "loop_delay/p50", label: "event loop late, p50", unit: "ms", better: "lower" },
    of: ({ loopDelay }) => loopDelay.p50,
  },
  {
    ...{ id: "loop_delay/p99", label: "event loop late, p99", unit: "ms", better: "lower" },
    of: ({ loopDelay }) => loopDelay.p99,
  },
  {
    ...{ id: "loop_delay/max", label: "event loop late, at most", unit: "ms", better: "lower" },
    of: ({ loopDelay }) => loopDelay.max,
  },
];

/** Measurements with a meaningful ratio; a maximum delay is too random. */
const RATIOS = ["cpu", "per_second", "loop_delay/p99"];

export function figuresOf({ id, label, rounds }: Measured): Figure[] {
  return KINDS.map((kind) => {
    const samples = rounds.map(kind.of);
    return {
      ...{
        id: `http/${id}/${kind.id}`,
        label: `${label}: ${kind.label}`,
        unit: kind.unit,
        better: kind.better,
      },
      ...{ value: median(samples), samples },
    };
  });
}

/** Ratios within a round, in which both servers had the same load from other processes. */
export function ratiosOf(measured: Measured, reference: Measured): Figure[] {
  return KINDS.filter(({ id }) => RATIOS.includes(id)).map((kind) => {
    const samples = measured.rounds.map(
      (round, index) => kind.of(round) / Math.max(1e-6, kind.of(reference.rounds[index] ?? round)),
    );
    const id = `http/${measured.id}/${kind.id}_over_${reference.id}`;
    return {
      ...{
        id,
        label: `${measured.label} ÷ ${reference.label}: ${kind.label}`,
        unit: "ratio",
        better: kind.better,
      },
      ...{ value: median(samples), samples, against: `http/${reference.id}/${kind.id}` },
    };
  });
}
