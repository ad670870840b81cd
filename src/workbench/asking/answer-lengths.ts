/** Assumed length of the text of answers of a model that no profile knows (guess: a page). */
const UNKNOWN_TOKENS = 512;
/** Answers after which the mean of what was observed is used (guess). */
const ENOUGH_ANSWERS = 5;

/** On what an expected length rests. */
export type LengthBasis = "observed" | "profile" | "guess";

interface Observed {
  answers: number;
  tokens: number;
  longest: number;
}

/** How long answers of models are expected to be, by profiles and by the answers so far. */
export class AnswerLengths {
  readonly #observed = new Map<string, Observed>();

  /** @param profiled mean tokens of answers by model @param hiddenTokens of reasoning, that others are guessed to take beside their text */
  constructor(
    private readonly profiled: ReadonlyMap<string, number>,
    private readonly hiddenTokens: (model: string) => number = () => 0,
  ) {}

  observe(model: string, tokens: number): void {
    const { answers, tokens: sum, longest } = this.#observed.get(model) ?? NONE;
    this.#observed.set(model, {
      answers: answers + 1,
      tokens: sum + tokens,
      longest: Math.max(longest, tokens),
    });
  }

  basis(model: string): LengthBasis {
    if ((this.#observed.get(model)?.answers ?? 0) >= ENOUGH_ANSWERS) return "observed";
    return this.profiled.has(model) ? "profile" : "guess";
  }

  /** Mean tokens, at most `maxTokens`. */
  expected(model: string, maxTokens = Number.POSITIVE_INFINITY): number {
    const { answers, tokens } = this.#observed.get(model) ?? NONE;
    if (answers >= ENOUGH_ANSWERS) return Math.min(maxTokens, tokens / answers);
    return Math.min(maxTokens, this.profiled.get(model) ?? UNKNOWN_TOKENS + this.hiddenTokens(model));
  }

  /** What to reserve for an answer: its limit, and without one twice the mean or the longest so far. */
  atMost(model: string, maxTokens: number | undefined): number {
    if (maxTokens !== undefined) return maxTokens;
    return Math.max(2 * this.expected(model), this.#observed.get(model)?.longest ?? 0);
  }
}

const NONE: Readonly<Observed> = { answers: 0, tokens: 0, longest: 0 };
