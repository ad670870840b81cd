import { usdPerPoint } from "../../src/engine/router/cost-weight.js";
import { bootstrapInterval } from "../evidence/bootstrap.js";
import { figureOf } from "../evidence/figure.js";
import type { Figure } from "../report/result.js";
import type { Played } from "./play.js";

/** A task under a policy, and what it came to with the chosen model alone and with the better one alone. */
export interface Compared {
  readonly own: Played;
  readonly never: Played;
  readonly always: Played;
}

const meanOf = (
  drawn: readonly Compared[],
  { of, what }: { of: keyof Compared; what: keyof Played },
): number => drawn.reduce((sum, task) => sum + task[of][what], 0) / drawn.length;

type Measure = Pick<Figure, "unit" | "better"> & {
  readonly what: string;
  readonly of: (drawn: readonly Compared[], costWeight: number) => number;
};

export const MEASURES: Readonly<Record<string, Measure>> = {
  solved: {
    ...{ what: "solved", unit: "share", better: "higher" },
    of: (drawn) => meanOf(drawn, { of: "own", what: "solved" }),
  },
  usd: {
    ...{ what: "a task", unit: "usd", better: "lower" },
    of: (drawn) => meanOf(drawn, { of: "own", what: "usd" }),
  },
  usd_per_solved: {
    ...{ what: "a solved task", unit: "usd", better: "lower" },
    of: (drawn) => meanOf(drawn, { of: "own", what: "usd" }) / meanOf(drawn, { of: "own", what: "solved" }),
  },
  switched: {
    ...{ what: "switched", unit: "share", better: "neither" },
    of: (drawn) => meanOf(drawn, { of: "own", what: "switched" }),
  },
  above_mixing: {
    what: "solved above drawing between the two models at the same dollars",
    ...{ unit: "share", better: "higher" },
    of: (drawn) => {
      const along = (what: keyof Played, part: number): number =>
        (1 - part) * meanOf(drawn, { of: "never", what }) + part * meanOf(drawn, { of: "always", what });
      const spent = meanOf(drawn, { of: "own", what: "usd" }) - along("usd", 0);
      const part = spent / (along("usd", 1) - along("usd", 0));
      return meanOf(drawn, { of: "own", what: "solved" }) - along("solved", part);
    },
  },
  value_gain: {
    what: "value gained by a task, in dollars at the cost weight less the bill",
    ...{ unit: "usd", better: "higher" },
    of: (drawn, costWeight) => {
      const gain = (what: keyof Played): number =>
        meanOf(drawn, { of: "own", what }) - meanOf(drawn, { of: "never", what });
      return 100 * usdPerPoint(costWeight) * gain("solved") - gain("usd");
    },
  },
};

/** One figure for each measure, in their order; intervals draw tasks. */
export const figuresOf = (
  tasks: readonly Compared[],
  { path, label, costWeight }: { readonly path: string; readonly label: string; readonly costWeight: number },
): readonly Figure[] =>
  Object.entries(MEASURES).map(([name, { what, of, ...shown }]) =>
    figureOf({
      ...{ ...shown, id: `${path}/${name}`, label: `${label}: ${what}`, missing: "no tasks" },
      value: of(tasks, costWeight),
      interval: bootstrapInterval([tasks], ([drawn = []]) => of(drawn, costWeight)),
    }),
  );
