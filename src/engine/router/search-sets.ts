import type { AnchorSet } from "../estimation/anchor-set.js";
import { type Evidence, gatherEvidence, type PromptFacts, shiftOdds } from "../estimation/evidence.js";
import { withoutAnchor } from "../search/anchor-index.js";

/** An anchor of one of the sets. */
export interface AnchorPosition {
  readonly set: number;
  readonly anchor: number;
}

/** Evidence per set, in the order of the sets. */
export interface Found {
  readonly evidence: readonly Evidence[];
  /** What was read of the prompt itself. */
  readonly prompt: PromptFacts;
  readonly nearestSimilarity: number;
  /** True when estimates are based more on overall performance than on similar prompts. */
  readonly outOfDistribution: boolean;
}

interface SearchOptions {
  /** Steps of log-odds that bring each set to the common scale. */
  readonly scale: readonly number[];
  readonly prompt?: PromptFacts | undefined;
  /** An anchor to exclude from its own neighbours. */
  readonly skip?: AnchorPosition;
}

/** As for the prompt of an anchor, were it unknown: it is left out of its own neighbours. */
export function searchAnchor(
  sets: readonly AnchorSet[],
  at: AnchorPosition,
  scale: readonly number[],
): Found {
  const { difficulty, vectorOf, answerLevels } = sets[at.set] as AnchorSet;
  // Not a number for multiple choice, whose answers say nothing of lengths.
  const answerTokens = answerLevels.expectedTokens?.[at.anchor] ?? Number.NaN;
  const prompt = {
    ...(difficulty === null ? {} : { difficulty: difficulty.ofAnchor[at.anchor] as number }),
    ...(Number.isNaN(answerTokens) ? {} : { answerTokens }),
  };
  return searchSets(sets, vectorOf(at.anchor), { scale, prompt, skip: at });
}

export function searchSets(
  sets: readonly AnchorSet[],
  vector: Float32Array,
  { scale, prompt = {}, skip }: SearchOptions,
): Found {
  const evidence = sets.map((set, setNumber) => {
    const skipped = skip?.set === setNumber ? skip.anchor : -1;
    const neighbours = set.index.search(vector, set.parameters.neighbours + (skipped < 0 ? 0 : 1));
    const near = skipped < 0 ? neighbours : withoutAnchor(neighbours, skipped);
    return onCommonScale(gatherEvidence(set, near, prompt), scale[setNumber] ?? 0);
  });
  const nearest = evidence.map((setEvidence) => setEvidence.nearestSimilarity);
  return {
    evidence,
    prompt,
    nearestSimilarity: nearest.length === 0 ? 0 : Math.max(...nearest),
    outOfDistribution: sets.every((set, index) => hasNoneNear(evidence[index] as Evidence, set)),
  };
}

/**
 * Whether no evidence is near a prompt: it is out-of-distribution, and its similarity to every anchor is below the
 * first quarter between the least and the usual similarity of profiled prompts. Similar anchors from several sources
 * are evidence even when they belong to no single source.
 */
function hasNoneNear({ outOfDistribution, nearestSimilarity }: Evidence, { parameters }: AnchorSet): boolean {
  const { inDistributionSimilarity, nearSimilarity } = parameters;
  const nearby = inDistributionSimilarity + (nearSimilarity - inDistributionSimilarity) / 4;
  return outOfDistribution > 0.5 && nearestSimilarity < nearby;
}

function onCommonScale(evidence: Evidence, step: number): Evidence {
  if (step === 0) return evidence;
  return { ...evidence, quality: evidence.quality.map((quality) => shiftOdds(quality, step)) };
}
