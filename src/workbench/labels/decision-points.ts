import type { AnchorSet } from "../../engine/estimation/anchor-set.js";
import { gatherEvidence, withoutAnchor } from "../../engine/index.js";
import type { WorthOf } from "./worth.js";

/** A prompt on which labels could change the decision. */
export interface DecisionPoint {
  readonly topic: number;
  /** What the model is expected to be worth minus what the best other one is, in units of quality. */
  readonly margin: number;
  /** What the margin would be if the model answered perfectly. */
  readonly most: number;
  /** Change of the model's expected quality by a step of log-odds of its skill, > 0. */
  readonly slope: number;
}

const LEAST_SLOPE = 0.02;

export interface DecisionPointOptions {
  /** Of the set, which has at least one other. */
  readonly model: string;
  /** That stand for the traffic. */
  readonly anchors: readonly number[];
  readonly worthOf: WorthOf;
  /** Topic of each anchor, `[anchors]`. */
  readonly topicOf: ArrayLike<number>;
}

/** How a model compares with the best other one on some anchors, each left out of its own neighbours. */
export function decisionPoints(
  set: AnchorSet,
  { model, anchors, worthOf, topicOf }: DecisionPointOptions,
): DecisionPoint[] {
  const column = set.models.indexOf(model);
  return anchors.map((anchor) => {
    const vector = set.vectorOf(anchor);
    const found = set.index.search(vector, set.parameters.neighbours + 1);
    const evidence = gatherEvidence(set, vector, withoutAnchor(found, anchor));
    const worth = worthOf(evidence, anchor);
    const own = evidence.quality[column] as number;
    const others = worth.filter((_, other) => other !== column);
    const margin = (worth[column] as number) - Math.max(...others);
    return {
      topic: topicOf[anchor] as number,
      margin,
      most: Math.max(0, margin + 1 - own),
      slope: Math.max(own * (1 - own), LEAST_SLOPE),
    };
  });
}
