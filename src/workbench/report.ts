import { knownSum } from "./estimate.js";
import type { GradedRow } from "./grading.js";

/** What a collection holds of one model. */
export interface ModelReport {
  readonly model: string;
  /** Graded answers. */
  readonly graded: number;
  /** From 0 to 1; null without graded answers. */
  readonly meanScore: number | null;
  /** Answers that ended at the limit of tokens: graded as they are. */
  readonly cutOff: number;
  readonly tokensIn: number;
  /** Hidden reasoning included. */
  readonly tokensOut: number;
  /** Of the graded answers; null where no price is known. */
  readonly costUsd: number | null;
  readonly medianLatencyMs: number | null;
}

/** What the graded answers of each model come to, in order of the models. */
export function reportModels(
  models: readonly string[],
  graded: readonly GradedRow[],
): readonly ModelReport[] {
  return models.map((model) => {
    const own = graded.filter((row) => row.model === model);
    const entries = own.map(({ entry }) => entry);
    const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
    return {
      model,
      graded: own.length,
      meanScore: own.length === 0 ? null : sum(own.map(({ score }) => score)) / own.length,
      cutOff: entries.filter(({ finish_reason }) => finish_reason === "length").length,
      tokensIn: sum(entries.map(({ tokens_in }) => tokens_in)),
      tokensOut: sum(entries.map(({ tokens_out }) => tokens_out)),
      costUsd: knownSum(entries.map(({ cost_usd }) => cost_usd)),
      medianLatencyMs: median(entries.map(({ latency_ms }) => latency_ms)),
    };
  });
}

function median(values: readonly number[]): number | null {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? null;
}
