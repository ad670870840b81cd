import type { AnchorSet } from "../../engine/estimation/anchor-set.js";
import { createSnapshot, decide, tradeOffAt } from "../../engine/index.js";
import type { SetReport } from "../../engine/profiles/set-report.js";
import type { ModelLookup } from "../../engine/router/candidate.js";
import type { Estimates } from "../../engine/router/estimates.js";
import type { Found } from "../../engine/router/search-sets.js";
import type { Snapshot } from "../../engine/router/snapshot.js";
import { sampleWithoutReplacement, seededRandom } from "../../foundation/random.js";
import { sweepWeights } from "../evaluation/sweep-weights.js";
import { calibrationBins, calibrationFloor, expectedCalibrationError } from "../metrics/calibration.js";

/** Anchors that are decided at every cost weight. */
const MOST_DECIDED = 600;
const FLOOR_DRAWS = 20;

/** Cost weights that are added to the first 21 where quality changes. */
const MOST_ADDED_WEIGHTS = 8;

interface ExpectationsOptions {
  readonly seed: number;
  readonly lookup: ModelLookup;
  /** The recommended cost weight. */
  readonly recommended: number;
}

/** A second or two for 800 models, mostly for the decisions. */
export function reportedExpectations(
  set: AnchorSet,
  { seed, lookup, recommended }: ExpectationsOptions,
): Pick<SetReport, "frontier" | "calibration" | "dominated_efforts"> {
  const snapshot = createSnapshot([set], lookup);
  const random = seededRandom(seed);
  const anchors = [...sampleWithoutReplacement(set.index.size, { count: MOST_DECIDED, random })];
  const searched = anchors.map((anchor) => ({ anchor, found: snapshot.searchAnchor({ set: 0, anchor }) }));
  return {
    frontier: frontierOf(snapshot, { set, searched, recommended }),
    calibration: calibrationOf(set, { searched, random }),
    dominated_efforts: Object.fromEntries(snapshot.dominated),
  };
}

interface Searched {
  readonly anchor: number;
  readonly found: Found;
}

interface FrontierInput {
  readonly set: AnchorSet;
  readonly searched: readonly Searched[];
  readonly recommended: number;
}

function frontierOf(
  snapshot: Snapshot,
  { set, searched, recommended }: FrontierInput,
): SetReport["frontier"] {
  const candidates = snapshot.choosable.filter(({ costKnown }) => costKnown);
  if (candidates.length < 2 || searched.length === 0) return null;
  const estimates = searched.map(({ anchor, found }) => {
    const promptTokens = set.promptTokens[anchor] as number;
    return snapshot.estimate(found, { candidates, promptTokens, maxTokens: undefined });
  });
  const swept = sweepWeights(
    (weight) => {
      const choice = expectedOf(snapshot, { estimates, weight });
      return { choice, quality: choice.quality };
    },
    { mostAdded: MOST_ADDED_WEIGHTS, including: recommended },
  );
  const sweep = swept.map(({ costWeight, choice }) => ({ cost_weight: costWeight, ...choice }));
  const singles = unbeaten(
    candidates.map(({ model }, entry) => ({
      model,
      quality: meanOf(estimates, ({ quality }) => quality[entry]),
      cost_usd: meanOf(estimates, ({ costUsd }) => costUsd[entry]),
    })),
  );
  return {
    prompts: searched.length,
    sweep: sweep.map((step) => ({ ...step, quality: rounded(step.quality) })),
    singles: singles.map((single) => ({ ...single, quality: rounded(single.quality) })),
    recommended: comparisonOf(sweep, { singles, costWeight: recommended }),
  };
}

type Frontier = NonNullable<SetReport["frontier"]>;
type Sweep = Frontier["sweep"];

/** Means of the expected quality and cost of the chosen models. */
function expectedOf(
  { pairedCorrelation }: Snapshot,
  { estimates, weight }: { readonly estimates: readonly Estimates[]; readonly weight: number },
): Pick<Sweep[number], "quality" | "cost_usd"> {
  const tradeOff = tradeOffAt(weight);
  const chosen = estimates.map((each) => decide(each, { tradeOff, pairedCorrelation }).selected);
  return {
    quality: meanOf(chosen, (candidate) => candidate.expectedQuality),
    cost_usd: meanOf(chosen, (candidate) => candidate.expectedCostUsd ?? undefined),
  };
}

function meanOf<Item>(items: readonly Item[], read: (item: Item) => number | undefined): number {
  return items.reduce((sum, item) => sum + (read(item) ?? 0), 0) / items.length;
}

/** Those that no other beats on both, the best first. */
function unbeaten(models: Frontier["singles"]): Frontier["singles"] {
  const found: Frontier["singles"] = [];
  for (const model of models.toSorted((a, b) => b.quality - a.quality || a.cost_usd - b.cost_usd))
    if (model.cost_usd < (found.at(-1)?.cost_usd ?? Number.POSITIVE_INFINITY)) found.push(model);
  return found;
}

/** What a cost weight loses against the best one, and saves of the best single model's cost. */
function comparisonOf(
  sweep: Sweep,
  { singles, costWeight }: Pick<Frontier, "singles"> & { readonly costWeight: number },
): Frontier["recommended"] {
  const best = Math.max(...sweep.map(({ quality }) => quality));
  const { quality, cost_usd: cost } = sweep.find(
    ({ cost_weight: weight }) => weight === costWeight,
  ) as Sweep[number];
  const single = singles[0]?.cost_usd ?? 0;
  return {
    cost_weight: costWeight,
    loss: rounded(best - quality),
    saved: single === 0 ? 0 : rounded(1 - cost / single),
  };
}

function calibrationOf(
  { scoresOn }: AnchorSet,
  { searched, random }: { readonly searched: readonly Searched[]; readonly random: () => number },
): SetReport["calibration"] {
  const expected: number[] = [];
  const seen: number[] = [];
  for (const { anchor, found } of searched) {
    for (const { column, quality } of scoresOn(anchor)) {
      expected.push(found.evidence[0]?.quality[column] as number);
      seen.push(quality);
    }
  }
  if (expected.length === 0) return null;
  const forecasts = { expected: Float64Array.from(expected), seen: Float64Array.from(seen) };
  return {
    answers: expected.length,
    error: rounded(expectedCalibrationError(forecasts)),
    if_perfect: rounded(calibrationFloor(forecasts.expected, { random, draws: FLOOR_DRAWS })),
    bins: calibrationBins(forecasts).map(({ expected, seen, count }) => ({
      expected: rounded(expected),
      seen: rounded(seen),
      count,
    })),
  };
}

/** To four decimals, as a report is drawn and sent. */
export const rounded = (value: number): number => Math.round(10_000 * value) / 10_000;
