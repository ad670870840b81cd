import type { AnchorSet } from "../estimation/anchor-set.js";
import type { Priced } from "./cost-weight.js";
import { estimateCandidates, uncorrected } from "./estimate-candidates.js";
import { type AnchorPosition, type Found, searchAnchor, searchSets } from "./search-sets.js";
import type { SnapshotModel } from "./snapshot-models.js";
import { storedEstimates } from "./stored-calibration.js";

/** Profiled prompts the cost weight is calibrated on. */
const CALIBRATION_PROMPTS = 1024;

/** Estimates for the prompts that the cost weight is calibrated on: as the set has them, where it is alone and they fit, else computed. */
export function* calibrationPrompts(
  { sets, scale }: { readonly sets: readonly AnchorSet[]; readonly scale: readonly number[] },
  candidates: readonly SnapshotModel[],
): Iterable<Priced> {
  if (candidates.length < 2) return;
  const [only, another] = sets;
  const stored = only !== undefined && another === undefined ? storedEstimates(only, candidates) : undefined;
  const prompts = promptsToCalibrateOn(sets);
  for (const [index, { find, promptTokens }] of prompts.entries()) {
    const known = stored?.prompts === prompts.length ? stored.at(index) : undefined;
    const request = { candidates, promptTokens, maxTokens: undefined };
    // The meaning of a cost weight must not move with the answers of the day.
    yield known ?? estimateCandidates({ sets, found: find(scale), request, lengthRatioOf: uncorrected });
  }
}

interface CalibrationPrompt {
  readonly find: (scale: readonly number[]) => Found;
  readonly promptTokens: number;
}

/** The prompts of traffic that the sets come with, else an even sample of their anchors, each without its own scores. */
function promptsToCalibrateOn(sets: readonly AnchorSet[]): readonly CalibrationPrompt[] {
  const traffic = sets.flatMap((set) => set.traffic);
  if (traffic.length > 0)
    return traffic.map(({ vector, tokens, facts }) => ({
      find: (scale) => searchSets(sets, vector(), { scale, prompt: facts }),
      promptTokens: tokens,
    }));
  const total = sets.reduce((sum, set) => sum + set.index.size, 0);
  const stride = Math.max(1, total / CALIBRATION_PROMPTS);
  const prompts: CalibrationPrompt[] = [];
  for (let position = stride / 2; position < total; position += stride) {
    const at = locate(sets, Math.floor(position));
    prompts.push({
      find: (scale) => searchAnchor(sets, at, scale),
      promptTokens: sets[at.set]?.promptTokens[at.anchor] as number,
    });
  }
  return prompts;
}

function locate(sets: readonly AnchorSet[], position: number): AnchorPosition {
  let anchor = position;
  for (let set = 0; set < sets.length; set++) {
    const size = (sets[set] as AnchorSet).index.size;
    if (anchor < size) return { set, anchor };
    anchor -= size;
  }
  return { set: sets.length - 1, anchor: 0 };
}
