import { parseArgs } from "node:util";
import type { SyntheticSetSize } from "./synthetic-set.js";

export interface LatencyOptions {
  /** Of prompts, in tokens. */
  readonly lengths: readonly number[];
  readonly sets: readonly SyntheticSetSize[];
  /** How many anchors are searched for themselves, without models. */
  readonly searched: readonly number[];
  readonly rounds: number;
  /** For each case in each round. */
  readonly milliseconds: number;
}

const LENGTHS = [10, 50, 200, 1_000];
/** The set that the goals speak of. */
export const GOAL_SET: SyntheticSetSize = { anchors: 5_000, models: 10 };

const SMALL: LatencyOptions = {
  lengths: LENGTHS,
  sets: [GOAL_SET, { anchors: 5_000, models: 100 }, { anchors: 25_000, models: 10 }],
  searched: [5_000, 25_000],
  ...{ rounds: 9, milliseconds: 25 },
};

const FULL: LatencyOptions = {
  lengths: LENGTHS,
  sets: [
    { anchors: 1_000, models: 10 },
    GOAL_SET,
    { anchors: 5_000, models: 100 },
    { anchors: 5_000, models: 1_000 },
    { anchors: 25_000, models: 10 },
    { anchors: 25_000, models: 100 },
    { anchors: 100_000, models: 10 },
    { anchors: 1_000_000, models: 10 },
  ],
  searched: [1_000, 5_000, 25_000, 100_000, 1_000_000],
  ...{ rounds: 15, milliseconds: 40 },
};

export const LATENCY_USAGE = `npm run bench -- latency [--size small|full] [--rounds 15] [--most-anchors 1000000]

  --size full         to 1,000 models and 1,000,000 anchors (default); the first time, sets are built for over an hour
  --size small        to 100 models and 25,000 anchors, a minute
  --most-anchors N    leave larger sets out`;

/** @throws Error with the usage */
export function parseLatencyOptions(args: readonly string[]): LatencyOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      size: { type: "string", default: "full" },
      rounds: { type: "string" },
      "most-anchors": { type: "string", default: "1000000" },
    },
  });
  const base = { small: SMALL, full: FULL }[values.size];
  const rounds = values.rounds === undefined ? base?.rounds : Number(values.rounds);
  const most = Number(values["most-anchors"]);
  if (base === undefined || !Number.isInteger(rounds) || (rounds ?? 0) < 1 || !(most >= GOAL_SET.anchors)) {
    throw new Error(`--size, --rounds or --most-anchors makes no sense.\n\n${LATENCY_USAGE}`);
  }
  return {
    ...base,
    rounds: rounds ?? base.rounds,
    sets: base.sets.filter(({ anchors }) => anchors <= most),
    searched: base.searched.filter((anchors) => anchors <= most),
  };
}
