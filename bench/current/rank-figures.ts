import { bootstrapInterval } from "../evidence/bootstrap.js";
import { figureOf } from "../evidence/figure.js";
import type { Figure } from "../report/result.js";
import {
  FEWEST_MODELS,
  meanRankCorrelation,
  rankCorrelation,
  type SetMeans,
  type StatedMeans,
  shareWithin,
} from "./model-means.js";

/** Set whose judge ranks models unlike every other set's, so that means are reported with and without it. */
const UNLIKE_OTHERS = "zoonk_evals";

interface RankFigureFacts {
  /** `held_out` or `left_out`: where the ids begin. */
  readonly id: string;
  /** Description of the held-out data, for labels. */
  readonly what: string;
}

/** How well expected means rank the models of some sets, and whether the stated errors are calibrated. */
export function rankFigures(sets: readonly SetMeans[], { id, what }: RankFigureFacts): Figure[] {
  const entries = sets.reduce((sum, set) => sum + set.entries, 0);
  const known = sets.reduce((sum, set) => sum + set.known.length, 0);
  const without = sets.filter(({ set }) => set !== UNLIKE_OTHERS);
  const path = (rest: string): string => `current/${id}/${rest}`;
  return [
    figureOf({
      ...{ id: path("known"), label: `${what}: model entries known`, unit: "share", better: "higher" },
      ...{ value: known / entries, note: `${known} of ${entries}`, missing: "no entries" },
    }),
    meanFigure(sets, { id: path("spearman"), label: `${what}: Spearman, mean over sets` }),
    meanFigure(without, {
      id: path("spearman_without_zoonk"),
      label: `${what}: Spearman, mean over sets without ${UNLIKE_OTHERS}`,
    }),
    ...errorFigures(sets, { path, what }),
    ...sets.map((set) => setFigure(set, { path, what })),
  ];
}

function meanFigure(
  sets: readonly SetMeans[],
  facts: { readonly id: string; readonly label: string },
): Figure {
  const groups = sets.map(({ known }) => known);
  return figureOf({
    ...{ ...facts, unit: "score", better: "higher" },
    value: meanRankCorrelation(groups),
    interval: bootstrapInterval(groups, meanRankCorrelation),
    missing: `no set of which ${FEWEST_MODELS} models are known`,
  });
}

function setFigure(
  { set, known, entries }: SetMeans,
  { path, what }: { readonly path: (rest: string) => string; readonly what: string },
): Figure {
  return figureOf({
    ...{ id: path(`${set}/spearman`), label: `${what}: ${set}`, unit: "score", better: "higher" },
    value: rankCorrelation(known),
    interval: bootstrapInterval([known], ([models = []]) => rankCorrelation(models)),
    note: `${known.length} of ${entries} models known`,
    missing: `${known.length} of ${entries} models known, fewer than ${FEWEST_MODELS}, or all alike`,
  });
}

function errorFigures(
  sets: readonly SetMeans[],
  {
    path,
    ...facts
  }: {
    readonly path: (rest: string) => string;
    readonly what: string;
  },
): Figure[] {
  const means = sets.flatMap(({ known }) => known);
  return [1, 2].map((errors) => withinFigure(means, { ...facts, id: path(`within_${errors}`), errors }));
}

/** Share of measured means within so many stated standard errors, with an interval by resampling models. */
function withinFigure(
  means: readonly StatedMeans[],
  {
    id,
    what,
    errors,
  }: {
    readonly id: string;
    readonly what: string;
    readonly errors: number;
  },
): Figure {
  const models = [...new Set(means.map(({ model }) => model))];
  const byModel = models.map((name) => means.filter(({ model }) => model === name));
  return figureOf({
    ...{ id, unit: "share", better: errors === 1 ? "neither" : "higher" },
    label: `${what}: measured means within ${errors === 1 ? "one standard error" : "two standard errors"}`,
    value: shareWithin(means, errors),
    interval: bootstrapInterval([byModel], ([drawn = []]) => shareWithin(drawn.flat(), errors)),
    note: `${means.length} means of ${byModel.length} models`,
    missing: "nothing to compare",
  });
}
