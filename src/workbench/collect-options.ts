import type { AskProgress, RoundEnding } from "./asking/asking-round.js";
import type { FailedRow } from "./collected-answers.js";
import type { ModelEstimate } from "./estimate.js";
import type { Grader } from "./graders/grader.js";
import type { ContainedReferences, ModelReport } from "./grading.js";
import type { ScoreScale } from "./outcomes/score-scales.js";
import type { WorkbenchPrompt } from "./prompts/prompt.js";

/** What to collect, and within which limits. */
export interface CollectOptions {
  readonly prompts: readonly WorkbenchPrompt[];
  /** Model ids, `provider/id`, or names of deployments. */
  readonly models: readonly string[];
  /** Folder of the collection: a new one, or that of an earlier run, which then goes on. */
  readonly folder: string;
  readonly grader: Grader;
  /** Instructions that are sent before each prompt. */
  readonly system?: string | undefined;
  /** 0 to 2; default 0. Not sent to models that refuse it. */
  readonly temperature?: number | undefined;
  /** Most tokens of an answer, hidden reasoning included; default: the model's own limit. */
  readonly maxTokens?: number | undefined;
  /** US dollars that the collection may cost, earlier runs and the judge included; default: no limit. */
  readonly maxUsd?: number | undefined;
  /** Most calls in flight; default 16. */
  readonly concurrency?: number | undefined;
  /** Most calls in flight of one provider; default 8. */
  readonly providerConcurrency?: number | undefined;
  /**
   * What to do about calls that were in flight when an earlier run was killed: `ask` again, with the same idempotency key (default), or
   * `skip` them, so that nothing is ever paid twice.
   */
  readonly lostCalls?: "ask" | "skip" | undefined;
  /** Called before anything is asked. Default: go on. */
  readonly confirm?: ((estimate: CollectEstimate) => boolean | Promise<boolean>) | undefined;
  readonly onProgress?: ((progress: CollectProgress) => void) | undefined;
  /** Aborting it starts no further call, waits for those in flight, and ends as `stopped`. */
  readonly signal?: AbortSignal | undefined;
}

/** What is still to be asked, and what that is expected to cost. */
export interface CollectEstimate {
  readonly models: readonly ModelEstimate[];
  /** Of all that is to be asked, without judging; null where a price is not known. */
  readonly costUsd: number | null;
  /** Questions that are answered already. */
  readonly answered: number;
  /** Cost of earlier runs. */
  readonly spentUsd: number;
  /** Questions among these that were being asked when an earlier run was killed. */
  readonly lostCalls: number;
}

export interface CollectProgress extends AskProgress {
  readonly step: "ask" | "grade" | "judge";
  /** US dollars, earlier runs included. */
  readonly spentUsd: number;
}

export interface CollectReport {
  /**
   * `finished`: all was asked, though some of it may have failed. `budget`: the next call might have exceeded it. `declined`: by `confirm`;
   * then nothing was asked or written.
   */
  readonly ending: RoundEnding | "declined";
  readonly prompts: number;
  readonly models: readonly ModelReport[];
  /** Probably right answers that the exact grader gave 0; null for other graders, and without any. */
  readonly containedReferences: ContainedReferences | null;
  /** What the scores mean; of several, scores are not comparable from prompt to prompt. */
  readonly scales: readonly ScoreScale[];
  /** Prompts and models without a grade, in order of the prompts. */
  readonly failed: readonly FailedRow[];
  /** Providers that were given up. */
  readonly gaveUp: readonly { readonly provider: string; readonly reason: string }[];
  /** US dollars of all runs, failed calls and the judge included. */
  readonly spentUsd: number;
  /** Calls whose cost is not known, because no price is. */
  readonly unpricedCalls: number;
  /** Calls in flight when runs were killed, which may or may not have been billed, and what they may have cost. */
  readonly lost: { readonly calls: number; readonly usd: number };
}
