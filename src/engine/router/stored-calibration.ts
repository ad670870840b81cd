import type { AnchorSet, StoredCalibration } from "../estimation/anchor-set.js";
import type { TokenPrice } from "../estimation/bills.js";
import { placeOfBestOverall } from "./best-overall.js";
import { hullOf, type Priced } from "./cost-weight.js";
import type { ProfileColumn } from "./effort-dial.js";

/** A candidate with a known cost. */
interface PricedModel {
  readonly model: string;
  /** Lower bound of its quality over all topics. */
  readonly overallQuality: number;
  readonly facts: { readonly price: TokenPrice | null };
  readonly profileColumns: readonly ProfileColumn[];
}

/**
 * Concave hulls that are stored of each prompt's models, one inside the other. A calibration needs the first; the others stand in
 * where models of it are gone.
 */
const HULLS = 3;
/** Share of the stored models that may be gone: the estimates of the others rest a little on the mean of all. */
const MOST_GONE = 0.1;

/** @param prompts estimates of `models`, for each prompt that the cost weight is calibrated on */
export function calibrationToStore(
  set: AnchorSet,
  models: readonly PricedModel[],
  prompts: Iterable<Priced>,
): StoredCalibration {
  const starts: number[] = [0];
  const points: { readonly model: number; readonly quality: number; readonly costUsd: number }[] = [];
  for (const { quality, costUsd } of prompts) {
    const left = quality.slice();
    for (let hull = 0; hull < HULLS; hull++) {
      for (const model of hullOf({ quality: left, costUsd })) {
        points.push({ model, quality: quality[model] as number, costUsd: costUsd[model] as number });
        left[model] = Number.NaN;
      }
      starts.push(points.length);
    }
  }
  return {
    models: models.map((model) => ({ model: model.model, basis: basisOf(set, model) })),
    best: models[placeOfBestOverall(models)]?.model ?? "",
    starts: Uint32Array.from(starts),
    model: Uint16Array.from(points, ({ model }) => model),
    quality: Float64Array.from(points, ({ quality }) => quality),
    costUsd: Float32Array.from(points, ({ costUsd }) => costUsd),
  };
}

/** Estimates from which the calibration of some models follows, prompt by prompt. */
interface StoredEstimates {
  readonly prompts: number;
  /** Undefined where too many of the prompt's models are gone. */
  readonly at: (prompt: number) => Priced | undefined;
}

/**
 * What is stored for those models. Undefined where a model is not stored or rests on something else than it did, such as another
 * price, or where the best model over all is gone, which the others are compared with.
 */
export function storedEstimates(set: AnchorSet, models: readonly PricedModel[]): StoredEstimates | undefined {
  const { calibration: stored } = set;
  if (stored === null || models.length < (1 - MOST_GONE) * stored.models.length) return undefined;
  const basisOfStored = new Map(stored.models.map(({ model, basis }) => [model, basis]));
  const present = new Set(models.map(({ model }) => model));
  const isSame = models.every((model) => basisOfStored.get(model.model) === basisOf(set, model));
  if (!isSame || !present.has(stored.best)) return undefined;
  const isPresent = stored.models.map(({ model }) => present.has(model));
  return {
    prompts: (stored.starts.length - 1) / HULLS,
    at: (prompt) => estimatesAt(stored, { prompt, isPresent }),
  };
}

function estimatesAt(
  { starts, model, quality, costUsd }: StoredCalibration,
  { prompt, isPresent }: { readonly prompt: number; readonly isPresent: readonly boolean[] },
): Priced | undefined {
  const [start, end] = [starts[prompt * HULLS] as number, starts[(prompt + 1) * HULLS] as number];
  // Models that are not stored are within each of the hulls: one that is whole is enough.
  const isWhole = Array.from({ length: HULLS }, (_, hull) => prompt * HULLS + hull).some((hull) =>
    model.subarray(starts[hull], starts[hull + 1]).every((at) => isPresent[at]),
  );
  if (!isWhole) return undefined;
  const left = quality.slice(start, end);
  for (let point = start; point < end; point++)
    if (isPresent[model[point] as number] !== true) left[point - start] = Number.NaN;
  return { quality: left, costUsd: Float64Array.from(costUsd.subarray(start, end)) };
}

/** What the estimates of a model rest on besides the set's files: its price, and which other models are loaded. */
function basisOf(set: AnchorSet, { facts: { price }, profileColumns }: PricedModel): string {
  const columns = profileColumns.map(({ column, derived }) => [
    relativesOf(set, column),
    ...(derived === undefined
      ? []
      : [
          derived.levels,
          derived.thinkingTokens,
          ...(derived.across === null ? [] : [derived.across.share, relativesOf(set, derived.across.column)]),
        ]),
  ]);
  return JSON.stringify([price?.inputUsdPerMtok, price?.outputUsdPerMtok, ...columns]);
}

/** A column's model, the one that it follows, and so on. */
function relativesOf(set: AnchorSet, column: number): string {
  const relative = set.relatives.find((each) => each.column === column)?.relative;
  const model = set.models[column] as string;
  return relative === undefined ? model : `${model} < ${relativesOf(set, relative)}`;
}
