import { seededRandom } from "../../../src/foundation/random.js";
import {
  calibrationFloor,
  expectedCalibrationError,
  type Forecasts,
} from "../../../src/workbench/metrics/calibration.js";
import type { Figure } from "../../report/result.js";
import { figureOf } from "./figure.js";
import type { Estimate, PooledSet, SplitResult } from "./pooled-set.js";

/** Draws by which the error of perfect forecasts is found. */
const FLOOR_DRAWS = 5;

/** ECE (15 equal-mass bins) per model, at cost weight 0. */
export function calibrationFigures(set: PooledSet): Figure[] {
  const models = set.models.map((_, model) => model);
  const byModel = models.map((model) =>
    set.splits.map((split) => expectedCalibrationError(forecastsOf(split, model))),
  );
  const means = byModel.map((errors) => meanOf(errors));
  const worst = means.indexOf(Math.max(...means));
  const id = (rest: string): string => `quality/${set.name}/${rest}`;
  const facts = { unit: "score", better: "lower" } as const;
  const overModels = (measure: (forecasts: Forecasts, split: number) => number): Estimate =>
    ofSplits(
      set.splits.map((split, index) =>
        meanOf(models.map((model) => measure(forecastsOf(split, model), index))),
      ),
    );
  const random = seededRandom(0);
  const floor = overModels(({ expected }) => calibrationFloor(expected, { random, draws: FLOOR_DRAWS }));
  return [
    figureOf(id("ours/ece"), overModels(expectedCalibrationError), {
      ...facts,
      label: "calibration error per model, mean over models",
    }),
    figureOf(id("ours/ece_floor"), floor, {
      ...facts,
      label: "calibration error that perfect forecasts would show on as many prompts",
      better: "neither",
    }),
    figureOf(id("ours/ece_worst"), ofSplits(byModel[worst] ?? []), {
      ...facts,
      label: "calibration error of the model with the largest",
      note: `of ${set.models[worst]}`,
    }),
    ...models.map((model) =>
      figureOf(id(`ours/ece_of/${set.models[model]?.replaceAll("/", "_")}`), ofSplits(byModel[model] ?? []), {
        ...facts,
        label: `calibration error of ${set.models[model]}`,
      }),
    ),
  ];
}

/** What was expected of a model and what was seen, on the test prompts of a split. */
export function forecastsOf({ rows, measurement }: SplitResult, model: number): Forecasts {
  const width = rows.models.length;
  const all = measurement.expectations.ours ?? new Float32Array(0);
  const count = rows.prompts.length;
  return {
    expected: Float64Array.from({ length: count }, (_, index) => all[index * width + model] ?? Number.NaN),
    seen: Float64Array.from(
      { length: count },
      (_, index) => rows.quality[index * width + model] ?? Number.NaN,
    ),
  };
}

/** Without an interval: drawing prompts anew makes a binned error larger, so a bootstrap would not cover it. */
function ofSplits(samples: readonly number[]): Estimate {
  return { value: meanOf(samples), low: Number.NaN, high: Number.NaN, samples };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
