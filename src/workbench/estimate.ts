import type { AnswerLengths, LengthBasis } from "./asking/answer-lengths.js";
import type { PendingQuestion } from "./asking/asking-round.js";
import type { ModelCaller } from "./asking/model-caller.js";

/** What asking a model is expected to take. */
export interface ModelEstimate {
  readonly model: string;
  readonly provider: string;
  /** Questions that are still to be asked. */
  readonly questions: number;
  readonly promptTokens: number;
  /** Hidden reasoning included. */
  readonly answerTokens: number;
  /** What the expected length of an answer rests on. */
  readonly lengthBasis: LengthBasis;
  /** Null where no price is known. */
  readonly costUsd: number | null;
}

export interface EstimateSources {
  readonly caller: ModelCaller;
  readonly lengths: AnswerLengths;
}

/** What the questions are expected to take, by model in order of their first question. */
export function estimateQuestions(
  pending: readonly PendingQuestion[],
  { caller, lengths }: EstimateSources,
): readonly ModelEstimate[] {
  const models = new Set(pending.map(({ question }) => question.model));
  return [...models].map((model) => {
    const questions = pending.filter(({ question }) => question.model === model);
    const promptTokens = sum(questions.map((one) => one.promptTokens));
    const lengthOf = ({ question }: PendingQuestion) =>
      lengths.expected(model, question.parameters.max_tokens);
    const costs = questions.map((one) =>
      caller.costUsd(model, { promptTokens: one.promptTokens, answerTokens: lengthOf(one) }),
    );
    return {
      model,
      provider: caller.modelToAsk(model).provider,
      questions: questions.length,
      promptTokens,
      answerTokens: Math.round(sum(questions.map(lengthOf))),
      lengthBasis: lengths.basis(model),
      costUsd: knownSum(costs),
    };
  });
}

/** Null when one of them is unknown. */
export const knownSum = (amounts: readonly (number | null)[]): number | null =>
  amounts.reduce((total, amount) => (total === null || amount === null ? null : total + amount), 0);

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
