import type { Question } from "./question.js";

/** Who answers for a model. */
interface ModelToAsk {
  readonly model: string;
  /** Id of the provider that is asked, always the same one in a run. */
  readonly provider: string;
  /** Whether its price is known. */
  readonly isPriced: boolean;
}

/** An answer and what it took. */
export interface ModelAnswer {
  readonly provider: string;
  readonly text: string;
  readonly finishReason: string | null;
  readonly tokensIn: number;
  /** Hidden reasoning included. */
  readonly tokensOut: number;
  /** Null where no price is known. */
  readonly costUsd: number | null;
  readonly latencyMs: number;
  /** Whether tokens were counted here, because the provider sent no count. */
  readonly isEstimated: boolean;
}

export interface AskOptions {
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

/** Asks models, without retries: the workbench decides when a question is asked again. */
export interface ModelCaller {
  /** @throws SextantError `model_not_found`, `no_provider_available`: a model that cannot be asked */
  modelToAsk(model: string): ModelToAsk;
  /** @throws CallFault */
  ask(question: Question, options: AskOptions): Promise<ModelAnswer>;
  /** Tokens of the prompt by a tokenizer, as near as is known to the model's own. */
  countPromptTokens(question: Question): Promise<number>;
  /** US dollars; null where no price is known. */
  costUsd(
    model: string,
    tokens: { readonly promptTokens: number; readonly answerTokens: number },
  ): number | null;
  /** Hidden reasoning of an answer, by what the catalog knows of the model at its effort: 0 for one that does not think, or is unknown. */
  hiddenTokens(model: string): number;
  /**
   * Mean length in tokens that the profile sets expect of answers to these prompts, by model; models without a profile are absent.
   */
  expectedAnswerTokens(
    models: readonly string[],
    prompts: readonly Question["messages"][],
  ): Promise<ReadonlyMap<string, number>>;
}

/**
 * Why a call failed:
 *
 * - `busy`: the provider asks for fewer requests, or is overloaded
 * - `passing`: the connection broke, a time limit passed, the provider failed: the same question may be answered later
 * - `provider`: the credentials or the account: no question will be answered there
 * - `question`: the provider refused this question
 */
export type CallFaultKind = "busy" | "passing" | "provider" | "question";

export interface CallFaultDetails {
  readonly kind: CallFaultKind;
  /** Code of docs/errors.md or of an attempt. */
  readonly code: string;
  /** HTTP status of the provider's reply; null without one. */
  readonly status: number | null;
  /** Wait that the provider asked for; null when it did not. */
  readonly retryAfterMs: number | null;
  /** What the call used nevertheless; 0 when that is nothing, null when its price is unknown. */
  readonly costUsd: number | null;
}

/** A call that brought no answer. */
export class CallFault extends Error {
  override readonly name = "CallFault";
  readonly kind: CallFaultKind;
  readonly code: string;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly costUsd: number | null;

  constructor(message: string, { kind, code, status, retryAfterMs, costUsd }: CallFaultDetails) {
    super(message);
    this.kind = kind;
    this.code = code;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.costUsd = costUsd;
  }
}
