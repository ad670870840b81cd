import type { AnchorSet } from "../../engine/estimation/anchor-set.js";
import { gatherEvidence, withoutAnchor } from "../../engine/index.js";

/** What decisions at cost weight 0 would be on an anchor, were it a prompt that the set does not know. */
export interface AnchorDecision {
  readonly anchor: number;
  /** Column of the model that would be chosen. */
  readonly chosen: number;
  /** Expected qualities and standard errors, `[models]`. */
  readonly quality: Float64Array;
  readonly stderr: Float64Array;
  /** Expected loss of quality because the best two models are not told apart with certainty: what labels could bring at most. */
  readonly atStake: number;
}

/** Decides on anchors, each left out of its own neighbours. */
export function decideAnchors(set: AnchorSet, anchors: readonly number[]): AnchorDecision[] {
  return anchors.map((anchor) => {
    const vector = set.vectorOf(anchor);
    const found = set.index.search(vector, set.parameters.neighbours + 1);
    const { quality, ownError: stderr } = gatherEvidence(set, withoutAnchor(found, anchor));
    const chosen = quality.indexOf(Math.max(...quality));
    return { anchor, chosen, quality, stderr, atStake: atStake({ quality, stderr }, { set, chosen }) };
  });
}

function atStake(
  { quality, stderr }: Pick<AnchorDecision, "quality" | "stderr">,
  { set, chosen }: { readonly set: AnchorSet; readonly chosen: number },
): number {
  const { pairedCorrelation } = set.parameters;
  const own = stderr[chosen] as number;
  let most = 0;
  quality.forEach((value, column) => {
    if (column === chosen) return;
    const other = stderr[column] as number;
    const variance = own * own + other * other - 2 * pairedCorrelation * own * other;
    const lead = (quality[chosen] as number) - value;
    most = Math.max(most, expectedImprovement(-Math.abs(lead), Math.sqrt(Math.max(0, variance))));
  });
  return most;
}

/** Mean of `max(x, 0)` for a normal x with that mean and standard deviation. */
export function expectedImprovement(mean: number, deviation: number): number {
  if (deviation < 1e-9) return Math.max(mean, 0);
  const z = mean / deviation;
  return mean * normalCdf(z) + deviation * normalDensity(z);
}

const normalDensity = (z: number): number => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);

/** Abramowitz & Stegun 26.2.17, error < 1e-7. */
function normalCdf(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const powers =
    ((((1.330274429 * t - 1.821255978) * t + 1.781477937) * t - 0.356563782) * t + 0.31938153) * t;
  const tail = normalDensity(z) * powers;
  return z > 0 ? 1 - tail : tail;
}
