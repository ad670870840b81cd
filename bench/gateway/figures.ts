import { markdownTable } from "../report/markdown.js";
import type { Figure } from "../report/result.js";
import { median } from "../report/statistics.js";
import type { LoadResult } from "./load.js";

/** What one round measured of one contestant. */
export interface Round {
  /** One request at a time: milliseconds, and microseconds of processor time a request. */
  readonly single: { readonly p50: number; readonly p99: number; readonly cpuUs: number };
  /** Loads on more and more connections. */
  readonly ramp: readonly { readonly perSecond: number; readonly p99: number }[];
  /** Streams of a chunk every 20 ms: milliseconds to the first content, and between two. */
  readonly stream: { readonly first: number; readonly gap: number };
}

/** Resident megabytes: started, at the end of the loads, and half a minute later. */
export interface Memory {
  readonly idle: number;
  readonly loaded: number;
  readonly after: number;
}

export interface Measured {
  readonly name: string;
  readonly rounds: readonly Round[];
  /** Undefined for the direct call. */
  readonly memory: Memory | undefined;
}

interface Kind extends Pick<Figure, "label" | "unit" | "better"> {
  readonly id: string;
  /** NaN where it was not reached. */
  readonly of: (own: Round, direct: Round) => number;
  readonly digits: number;
}

const LIMITS_MS = [5, 10, 50];

/** Most requests a second of the loads whose p99 is below a limit; 0 when none is. */
export const rateBelow = (ramp: Round["ramp"], limitMs: number): number =>
  Math.max(0, ...ramp.filter(({ p99 }) => p99 < limitMs).map(({ perSecond }) => perSecond));

const KINDS: readonly Kind[] = [
  {
    id: "added-p50",
    label: "added, p50, 1 connection (ms)",
    unit: "ms",
    better: "lower",
    of: ({ single }, direct) => single.p50 - direct.single.p50,
    digits: 2,
  },
  {
    id: "added-p99",
    label: "added, p99, 1 connection (ms)",
    unit: "ms",
    better: "lower",
    of: ({ single }, direct) => single.p99 - direct.single.p99,
    digits: 2,
  },
  {
    id: "cpu",
    label: "processor time a request (µs)",
    unit: "us",
    better: "lower",
    of: ({ single }) => single.cpuUs,
    digits: 0,
  },
  ...LIMITS_MS.map(
    (limit): Kind => ({
      id: `rate-p99-${limit}`,
      label: `requests/s with p99 below ${limit} ms`,
      unit: "per_s",
      better: "higher",
      of: ({ ramp }) => rateBelow(ramp, limit),
      digits: 0,
    }),
  ),
  {
    id: "first-token",
    label: "added to the first token of a stream, p50 (ms)",
    unit: "ms",
    better: "lower",
    of: ({ stream }, direct) => stream.first - direct.stream.first,
    digits: 2,
  },
  {
    id: "gap",
    label: "between two chunks of a stream of 20 ms, p99 (ms)",
    unit: "ms",
    better: "lower",
    of: ({ stream }) => stream.gap,
    digits: 1,
  },
];

/** Every measurement of every contestant. */
export function figuresOf(measured: readonly Measured[]): Figure[] {
  const direct = measured.find(({ name }) => name === "direct")?.rounds ?? [];
  return measured.flatMap(({ name, rounds, memory }) => {
    const path = `gateway/${name.toLowerCase().replaceAll(" ", "-")}`;
    const timed = KINDS.map(({ id, label, unit, better, of }): Figure => {
      const samples = rounds.map((round, at) => {
        const base = direct[at];
        return base === undefined ? Number.NaN : of(round, base);
      });
      return {
        id: `${path}/${id}`,
        label: `${name}: ${label}`,
        unit,
        better,
        value: median(samples),
        samples,
      };
    });
    const resident = Object.entries(memory ?? {}).map(
      ([when, value]): Figure => ({
        id: `${path}/memory-${when}`,
        label: `${name}: memory ${when}`,
        unit: "mb",
        better: "lower",
        value,
      }),
    );
    return [...timed, ...resident];
  });
}

/** The round of a load on one connection. */
export const singleOf = ({ latencies }: LoadResult, cpuMs: number): Round["single"] => ({
  p50: at(latencies, 0.5),
  p99: at(latencies, 0.99),
  cpuUs: (1000 * cpuMs) / latencies.length,
});

/** Of sorted values. */
export const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;

/** One column a contestant, one row a measurement. */
export function gatewayTable(measured: readonly Measured[]): string {
  const shown = measured.filter(({ name }) => name !== "direct");
  const direct = measured.find(({ name }) => name === "direct")?.rounds ?? [];
  const rows = KINDS.map(({ label, of, digits }) => [
    label,
    ...shown.map(({ rounds }) => {
      const samples = rounds.flatMap((round, index) => {
        const base = direct[index];
        return base === undefined ? [] : [of(round, base)];
      });
      return numeral(median(samples), digits);
    }),
  ]);
  const memory = shown.map(({ memory: resident }) =>
    resident === undefined
      ? ""
      : [resident.idle, resident.loaded, resident.after].map((mb) => numeral(mb, 0)).join("; "),
  );
  return markdownTable(
    ["", ...shown.map(({ name }) => name)],
    [...rows, ["memory idle; loaded; after (MB)", ...memory]],
  );
}

const numeral = (value: number, digits: number): string =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
