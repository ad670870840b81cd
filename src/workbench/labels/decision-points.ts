import type { AnchorSet } from "../../estimation/anchor-set.js";
import { gatherEvidence } from "../../estimation/evidence.js";
import { withoutAnchor } from "../../search/anchor-index.js";

/** A prompt on which labels could change the decision. */
export interface DecisionPoint {
  readonly topic: number;
  /** Expected quality of the model minus that of the best other one; in [−1, 1]. */
  readonly margin: number;
  /** Change of the model's expected quality by a step of log-odds of its skill, > 0. */
  readonly slope: number;
}

const LEAST_SLOPE = 0.02;

/**
 * How a model compares with the best other one on some anchors, each left out of its own neighbours.
 *
 * @param options.model of the set, which has at least one other
 * @param options.anchors that stand for the traffic
 */
export function decisionPoints(
  set: AnchorSet,
  { model, anchors }: { readonly model: string; readonly anchors: readonly number[] },
): DecisionPoint[] {
  const column = set.models.indexOf(model);
  return anchors.map((anchor) => {
    const vector = set.vectorOf(anchor);
    const found = set.index.search(vector, set.parameters.neighbours + 1);
    const { quality } = gatherEvidence(set, vector, withoutAnchor(found, anchor));
    const own = quality[column] as number;
    const others = quality.filter((_, other) => other !== column);
    return {
      topic: set.topics.ofAnchor[anchor] as number,
      margin: own - Math.max(...others),
      slope: Math.max(own * (1 - own), LEAST_SLOPE),
    };
  });
}
