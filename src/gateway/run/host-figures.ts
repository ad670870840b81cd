/** What a provider can be expected to do with a model, from the calls that this process made. */
export interface HostFigures {
  /** 0 to 1. */
  readonly errorRate: number;
  /** Share of its calls that another model than was asked for answered, 0 to 1. */
  readonly otherModelRate: number;
  /** Milliseconds from the call to its first content, or to the answer where it came whole. */
  readonly firstContentMs: number;
  /** Tokens of an answer by the time of its whole call. */
  readonly tokensPerSecond: number;
}

/** What an answer was made of, as far as its provider counted it. */
export interface CountedAnswer {
  readonly tokens: number;
  /** Of the whole call. */
  readonly totalMs: number;
}

/** What is expected of a provider that was not called (guesses): a good one, so that each is tried some time. */
const PRIOR = { errorRate: 0.01, otherModelRate: 0, firstContentMs: 1000, tokensPerSecond: 50 };
/**
 * Calls and seconds of generation that the prior counts as (guesses): fewer of a provider's own hardly move its
 * figures.
 */
const PRIOR_CALLS = 10;
const PRIOR_SECONDS = 10;
/** After which a call counts half (guess): a provider that was slow is tried again within the hour. */
const HALF_LIFE_MS = 10 * 60_000;

/** Decaying means of the calls of one provider and model. Constant time and memory. */
export class DecayingFigures {
  #atMs = Number.NEGATIVE_INFINITY;
  #calls = 0;
  #failures = 0;
  #others = 0;
  #answers = 0;
  /** Of logarithms, so that one call that hung does not weigh as much as a hundred others. */
  #logMs = 0;
  #tokens = 0;
  #seconds = 0;

  succeeded(nowMs: number, firstContentMs: number, generated: CountedAnswer | undefined): void {
    this.#decay(nowMs);
    this.#calls += 1;
    this.#answers += 1;
    this.#logMs += Math.log(Math.max(1, firstContentMs));
    if (generated === undefined) return;
    this.#tokens += generated.tokens;
    this.#seconds += generated.totalMs / 1000;
  }

  failed(nowMs: number): void {
    this.#decay(nowMs);
    this.#calls += 1;
    this.#failures += 1;
  }

  /** The call that succeeded last was answered by another model than was asked for. */
  servedAnother(nowMs: number): void {
    this.#decay(nowMs);
    this.#others += 1;
  }

  at(nowMs: number): HostFigures {
    this.#decay(nowMs);
    const logMs = this.#logMs + PRIOR_CALLS * Math.log(PRIOR.firstContentMs);
    return {
      errorRate: (this.#failures + PRIOR_CALLS * PRIOR.errorRate) / (this.#calls + PRIOR_CALLS),
      otherModelRate: this.#others / (this.#calls + PRIOR_CALLS),
      firstContentMs: Math.exp(logMs / (this.#answers + PRIOR_CALLS)),
      tokensPerSecond:
        (this.#tokens + PRIOR_SECONDS * PRIOR.tokensPerSecond) / (this.#seconds + PRIOR_SECONDS),
    };
  }

  #decay(nowMs: number): void {
    const left = this.#atMs === Number.NEGATIVE_INFINITY ? 0 : 2 ** ((this.#atMs - nowMs) / HALF_LIFE_MS);
    this.#atMs = nowMs;
    this.#calls *= left;
    this.#failures *= left;
    this.#others *= left;
    this.#answers *= left;
    this.#logMs *= left;
    this.#tokens *= left;
    this.#seconds *= left;
  }
}

/** Of a provider that was never called. */
export const EXPECTED_FIGURES: HostFigures = PRIOR;
