import type { AnchorSet, ModelBills } from "../estimation/anchor-set.js";
import type { AnswerLengthModel } from "../estimation/answer-length-model.js";
import type { Evidence, PromptFacts } from "../estimation/evidence.js";
import { hiddenFactor, visibleTokens } from "../estimation/expected-tokens.js";
import { meaningOf } from "./cost-weight.js";
import type { CandidateParts, Decision, PromptReading } from "./decision.js";
import { agentTaskUsd, type LengthRatioOf, priceOf } from "./estimate-candidates.js";
import { decidingAnchors } from "./nearest-anchors.js";
import type { Snapshot } from "./snapshot.js";
import type { SnapshotModel } from "./snapshot-models.js";

/** Profiled prompts that an explanation shows. */
export const NEAREST_SHOWN = 12;

/** What a decision was made from. */
export interface DecidedFrom {
  readonly snapshot: Snapshot;
  readonly sets: readonly AnchorSet[];
  readonly vector: Float32Array;
  /** As it was routed. */
  readonly text: string;
  readonly prompt: PromptFacts;
  readonly promptTokens: number;
  readonly candidates: readonly SnapshotModel[];
}

/** The decision with what it rests on. Reads what the decision read once more: some milliseconds with hundreds of candidates. */
export function explainedDecision(
  decision: Decision,
  from: DecidedFrom,
  {
    lengthRatioOf = () => 1,
    answerLength,
  }: {
    readonly lengthRatioOf?: LengthRatioOf | undefined;
    readonly answerLength: AnswerLengthModel | undefined;
  },
): Decision {
  const { snapshot, sets, vector, prompt, promptTokens } = from;
  const { evidence } = snapshot.search(vector, prompt);
  const models = new Map(from.candidates.map((candidate) => [candidate.model, candidate]));
  return {
    ...decision,
    candidates: decision.candidates.map((candidate) => {
      const model = models.get(candidate.model) as SnapshotModel;
      const correction = lengthRatioOf(candidate.model);
      return { ...candidate, parts: partsOf(model, { sets, evidence, prompt, promptTokens, correction }) };
    }),
    anchors: decidingAnchors(sets, vector, NEAREST_SHOWN),
    prompt: readingOf(from, answerLength),
    meaning: meaningOf(decision.costWeight, snapshot.meanCosts),
  };
}

function readingOf(
  { text, prompt, promptTokens }: DecidedFrom,
  answerLength: AnswerLengthModel | undefined,
): PromptReading {
  const { difficulty = Number.NaN, answerTokens = null } = prompt;
  return {
    tokens: promptTokens,
    difficulty: Number.isNaN(difficulty) ? null : difficulty,
    ...(answerLength?.read(text) ?? { kinds: [], askedTokens: null }),
    visibleTokens: answerTokens,
  };
}

/** The factors of `estimateModel` in estimate-candidates.ts, of the set whose evidence has the least error. */
function partsOf(
  { facts, profileColumns }: SnapshotModel,
  {
    sets,
    evidence,
    prompt,
    promptTokens,
    correction,
  }: {
    readonly sets: readonly AnchorSet[];
    readonly evidence: readonly Evidence[];
    readonly prompt: PromptFacts;
    readonly promptTokens: number;
    readonly correction: number;
  },
): CandidateParts {
  const errorAt = ({ set, column }: SnapshotModel["profileColumns"][number]): number =>
    evidence[set]?.stderr[column] as number;
  const { set, column, derived } = profileColumns.reduce((a, b) => (errorAt(b) < errorAt(a) ? b : a));
  const { name, answerLevels, columns, agentUsd, summaries } = sets[set] as AnchorSet;
  const { answerRatio, billRatio } = evidence[set] as Evidence;
  const bills = columns.bills[column] as ModelBills;
  const modelRatio = columns.verbosity[column] as number;
  const hiddenTokensMedium = derived?.thinkingTokens ?? (columns.thinkingTokens[column] as number);
  const price = priceOf(facts, bills, promptTokens);
  const task =
    prompt.isAgentWork === true && price !== null
      ? agentTaskUsd(price, { columns, column, thinkingTokens: hiddenTokensMedium, usual: agentUsd })
      : 0;
  const difficultyFactor = hiddenFactor(prompt.difficulty ?? Number.NaN);
  return {
    set: name,
    predecessor: summaries[column]?.predecessor ?? null,
    visibleTokens: visibleTokens(answerLevels, { ...prompt, answerRatio }) * modelRatio,
    nearbyRatio: answerRatio,
    modelRatio,
    hiddenTokens: hiddenTokensMedium * difficultyFactor,
    hiddenTokensMedium,
    difficultyFactor,
    lengthCorrection: correction,
    billRatio: billRatio[column] as number,
    billSource: bills.isPaid ? "dollars" : bills.isMeasured ? "tokens" : "none",
    agentTask: task > 0 ? { usd: task } : null,
    price,
  };
}
