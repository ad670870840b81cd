import type {
  AskOptions,
  CallFaultKind,
  ModelAnswer,
  ModelCaller,
} from "../../src/workbench/asking/model-caller.js";
import { CallFault } from "../../src/workbench/asking/model-caller.js";
import type { Question } from "../../src/workbench/asking/question.js";

/** A call that waits for the test. */
export interface WaitingCall {
  readonly question: Question;
  readonly idempotencyKey: string;
  answer(answer?: Partial<ModelAnswer>): void;
  fail(kind: CallFaultKind, details?: Partial<CallFault>): void;
}

const ANSWER: ModelAnswer = {
  provider: "here",
  text: "four",
  finishReason: "stop",
  tokensIn: 10,
  tokensOut: 20,
  costUsd: 0.01,
  latencyMs: 5,
  isEstimated: false,
};

export interface FakeCallerOptions {
  /** Answers at once. Default: calls wait in `waiting`. */
  readonly reply?: (question: Question) => Partial<ModelAnswer>;
  /** Default: `provider/model` is at that provider, other models are at `here`. */
  readonly isPriced?: (model: string) => boolean;
}

/** A thousandth of a dollar for each token of an answer. */
const USD_PER_TOKEN = 0.001;

/** Models that answer when a test says so. A prompt has ten tokens. */
export class FakeCaller implements ModelCaller {
  readonly asked: { readonly question: Question; readonly idempotencyKey: string }[] = [];
  readonly waiting: WaitingCall[] = [];
  expected: ReadonlyMap<string, number> = new Map();

  constructor(private readonly options: FakeCallerOptions = {}) {}

  modelToAsk(model: string) {
    const { isPriced = () => true } = this.options;
    const [provider = "", name] = model.split("/");
    return { model, provider: name === undefined ? "here" : provider, isPriced: isPriced(model) };
  }

  ask(question: Question, { idempotencyKey }: AskOptions): Promise<ModelAnswer> {
    this.asked.push({ question, idempotencyKey });
    const { reply } = this.options;
    if (reply !== undefined) return Promise.resolve({ ...ANSWER, ...reply(question) });
    return new Promise((resolve, reject) => {
      const call: WaitingCall = {
        question,
        idempotencyKey,
        answer: (answer = {}) => {
          this.#end(call);
          resolve({ ...ANSWER, ...answer });
        },
        fail: (kind, details = {}) => {
          this.#end(call);
          const status = kind === "passing" ? null : 429;
          const usual = { kind, code: kind, status, retryAfterMs: null, costUsd: 0 };
          reject(new CallFault(`the call failed: ${kind}`, { ...usual, ...details }));
        },
      };
      this.waiting.push(call);
    });
  }

  countPromptTokens(): Promise<number> {
    return Promise.resolve(10);
  }

  costUsd(model: string, { answerTokens }: { readonly answerTokens: number }): number | null {
    return this.modelToAsk(model).isPriced ? answerTokens * USD_PER_TOKEN : null;
  }

  hiddenTokens(model: string): number {
    return model.startsWith("thinking") ? 1600 : 0;
  }

  async expectedAnswerTokens(): Promise<ReadonlyMap<string, number>> {
    return this.expected;
  }

  /** What was asked, as `model: prompt`. */
  get askedTexts(): readonly string[] {
    return this.asked.map(({ question }) => `${question.model}: ${question.messages.at(-1)?.content}`);
  }

  #end(call: WaitingCall): void {
    this.waiting.splice(this.waiting.indexOf(call), 1);
  }
}
