import type { AnchorVectors } from "../../engine/search/anchor-vectors.js";
import type { OutcomeTable } from "../fitting/outcome-table.js";

/** Graded answers to prompts of one's own traffic, most prompts answered by one model. */
export interface Traffic {
  /** One source. */
  readonly table: OutcomeTable;
  /** Vectors of the prompts, in the table's order. */
  readonly vectors: AnchorVectors;
  /** Difficulty of the prompts in tiers from 0 to 4; undefined without a difficulty model. */
  readonly tiers: Float32Array | undefined;
  /** As `EmbeddedPrompts` has them. */
  readonly answerTokens?: Float32Array | undefined;
}

/** Of an expected quality, which is never as certain as 0 or 1. */
export const logOdds = (probability: number): number => {
  const inside = Math.min(0.98, Math.max(0.02, probability));
  return Math.log(inside / (1 - inside));
};
