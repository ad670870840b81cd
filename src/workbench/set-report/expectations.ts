import type { AnchorSet } from "../../estimation/anchor-set.js";
import { sampleWithoutReplacement, seededRandom } from "../../profiles/build/random.js";
import type { ModelLookup } from "../../router/candidate.js";
import { decide } from "../../router/decide.js";
import { createSnapshot, type Found, type Snapshot } from "../../router/snapshot.js";
import { calibrationBins, calibrationFloor, expectedCalibrationError } from "../metrics/calibration.js";
import { COST_WEIGHTS, MAX_LOSSES } from "./recommended-losses.js";
import type { ExpectedCalibration, ExpectedFrontier, ExpectedSingle } from "./report-data.js";

/** Anchors that are decided at every cost weight. */
const MOST_DECIDED = 600;
const FLOOR_DRAWS = 20;

interface ExpectationsOptions {
  readonly seed: number;
  readonly lookup: ModelLookup;
}

/** A second or two for 800 models, mostly for the decisions. */
export function expectationsOf(
  set: AnchorSet,
  { seed, lookup }: ExpectationsOptions,
): { readonly frontier: ExpectedFrontier | null; readonly calibration: ExpectedCalibration | null } {
  const snapshot = createSnapshot([set], lookup);
  const random = seededRandom(seed);
  const anchors = [...sampleWithoutReplacement(set.index.size, { count: MOST_DECIDED, random })];
  const searched = anchors.map((anchor) => ({ anchor, found: snapshot.searchAnchor({ set: 0, anchor }) }));
  return {
    frontier: frontierOf(snapshot, { set, searched }),
    calibration: calibrationOf(set, { searched, random }),
  };
}

interface Searched {
  readonly anchor: number;
  readonly found: Found;
}

function frontierOf(
  snapshot: Snapshot,
  { set, searched }: { readonly set: AnchorSet; readonly searched: readonly Searched[] },
): ExpectedFrontier | null {
  const candidates = snapshot.models.filter(({ costKnown }) => costKnown);
  if (candidates.length < 2 || searched.length === 0) return null;
  const { pairedCorrelation } = snapshot;
  const tradeOffs = COST_WEIGHTS.map((weight) => snapshot.costWeight.tradeOffAt(weight));
  const sums = tradeOffs.map(() => ({ quality: 0, costUsd: 0 }));
  const ofModels = candidates.map(({ model }) => ({ model, quality: 0, costUsd: 0 }));
  for (const { anchor, found } of searched) {
    const promptTokens = set.promptTokens[anchor] as number;
    const estimates = snapshot.estimate(found, { candidates, promptTokens, maxTokens: undefined });
    for (const [step, tradeOff] of tradeOffs.entries()) {
      const [chosen] = decide(estimates, { tradeOff, pairedCorrelation }).candidates;
      add(sums[step], { quality: chosen?.expectedQuality ?? 0, costUsd: chosen?.expectedCostUsd ?? 0 });
    }
    ofModels.forEach((sum, entry) => {
      add(sum, { quality: estimates.quality[entry] ?? 0, costUsd: estimates.costUsd[entry] ?? 0 });
    });
  }
  const count = searched.length;
  const sweep = sums.map(({ quality, costUsd }, step) => ({
    costWeight: COST_WEIGHTS[step] as number,
    quality: quality / count,
    costUsd: costUsd / count,
  }));
  const singles = unbeaten(
    ofModels.map(({ model, quality, costUsd }) => ({
      model,
      quality: quality / count,
      costUsd: costUsd / count,
    })),
  );
  return { prompts: count, sweep, singles, weights: weightsOf(sweep, singles) };
}

function add(
  sum: { quality: number; costUsd: number } | undefined,
  { quality, costUsd }: { readonly quality: number; readonly costUsd: number },
): void {
  if (sum === undefined) return;
  sum.quality += quality;
  sum.costUsd += costUsd;
}

/** Those that no other beats on both, the best first. */
function unbeaten(models: readonly ExpectedSingle[]): readonly ExpectedSingle[] {
  const found: ExpectedSingle[] = [];
  for (const model of models.toSorted((a, b) => b.quality - a.quality || a.costUsd - b.costUsd))
    if (model.costUsd < (found.at(-1)?.costUsd ?? Number.POSITIVE_INFINITY)) found.push(model);
  return found;
}

function weightsOf(
  sweep: ExpectedFrontier["sweep"],
  singles: readonly ExpectedSingle[],
): ExpectedFrontier["weights"] {
  const best = Math.max(...sweep.map(({ quality }) => quality));
  const single = singles[0];
  return MAX_LOSSES.flatMap((maxLoss) => {
    const kept = sweep.filter(({ quality }) => best - quality <= maxLoss);
    const cheapest = kept.reduce((a, b) => (b.costUsd < a.costUsd ? b : a));
    const saved = single === undefined || single.costUsd === 0 ? 0 : 1 - cheapest.costUsd / single.costUsd;
    return { maxLoss, costWeight: cheapest.costWeight, loss: best - cheapest.quality, saved };
  });
}

function calibrationOf(
  { models, cells }: AnchorSet,
  { searched, random }: { readonly searched: readonly Searched[]; readonly random: () => number },
): ExpectedCalibration | null {
  const expected: number[] = [];
  const seen: number[] = [];
  for (const { anchor, found } of searched) {
    for (let column = 0; column < models.length; column++) {
      if (!cells.isMeasured(anchor, column)) continue;
      expected.push(found.evidence[0]?.quality[column] as number);
      seen.push((cells.quality[anchor * models.length + column] as number) / 255);
    }
  }
  if (expected.length === 0) return null;
  const forecasts = { expected: Float64Array.from(expected), seen: Float64Array.from(seen) };
  return {
    answers: expected.length,
    error: expectedCalibrationError(forecasts),
    ifPerfect: calibrationFloor(forecasts.expected, { random, draws: FLOOR_DRAWS }),
    bins: calibrationBins(forecasts),
  };
}
