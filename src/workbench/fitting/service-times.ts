import type { ModelService } from "../../engine/estimation/model-service.js";
import type { OutcomeRow } from "../outcomes/read-outcomes.js";

/** Fewer times than this say little of how long answers take (guess). */
const LEAST_TIMES = 10;
/** Rounds in which answers are weighted by the times that the last one fitted. */
const ROUNDS = 5;

type TimedRow = Pick<OutcomeRow, "score" | "tokensOut" | "latencyMs" | "ttftMs" | "failures">;

/** Collects times and failures of one model's calls. Memory: 24 bytes a timed answer. */
export class ServiceTimes {
  readonly #whole: { readonly ms: number; readonly tokens: number }[] = [];
  readonly #first: number[] = [];
  #answers = 0;
  #failures = 0;
  #isCounted = false;

  add({ score, tokensOut, latencyMs, ttftMs, failures }: TimedRow): void {
    if (latencyMs !== null && latencyMs > 0) this.#whole.push({ ms: latencyMs, tokens: tokensOut ?? 0 });
    if (ttftMs !== null && ttftMs > 0) this.#first.push(ttftMs);
    if (failures === null) return;
    this.#isCounted = true;
    this.#failures += failures;
    if (score !== null || latencyMs !== null || tokensOut !== null) this.#answers += 1;
  }

  /** Undefined where nothing was recorded. */
  finish(): ModelService | undefined {
    const whole = this.#whole.length < LEAST_TIMES ? undefined : fitTimes(this.#whole);
    const first = this.#first.length < LEAST_TIMES ? undefined : logNormal(this.#first);
    if (whole === undefined && first === undefined && !this.#isCounted) return undefined;
    return {
      ...(this.#isCounted && { calls: { answers: this.#answers, failures: this.#failures } }),
      ...(whole && { whole }),
      ...(first && { first_token: { ms: first.median, spread: first.spread } }),
    };
  }
}

/**
 * `base + perToken × tokens`, neither below 0, by least squares of relative deviations (weights of the fitted times, a few rounds), then
 * moved to the median of the logarithms.
 */
function fitTimes(times: readonly { readonly ms: number; readonly tokens: number }[]) {
  let [base, perToken] = [logNormal(times.map(({ ms }) => ms)).median, 0];
  for (let round = 0; round < ROUNDS; round++) {
    let [w, wx, wy, wxx, wxy] = [0, 0, 0, 0, 0];
    for (const { ms, tokens } of times) {
      const weight = 1 / (base + perToken * tokens) ** 2;
      w += weight;
      wx += weight * tokens;
      wy += weight * ms;
      wxx += weight * tokens * tokens;
      wxy += weight * tokens * ms;
    }
    const determinant = w * wxx - wx * wx;
    const slope = determinant > 1e-9 * w * wxx ? (w * wxy - wx * wy) / determinant : 0;
    perToken = Math.max(0, slope);
    base = (wy - perToken * wx) / w;
    if (base >= 0) continue;
    base = 0;
    perToken = wxy / wxx;
  }
  const ratios = times.map(({ ms, tokens }) => ms / Math.max(base + perToken * tokens, 1e-3));
  const { median, spread } = logNormal(ratios);
  return { base_ms: base * median, ms_per_token: perToken * median, spread };
}

/** Of positive values: the exponential of the mean logarithm, and the deviation of the logarithms. */
function logNormal(values: readonly number[]): { readonly median: number; readonly spread: number } {
  const logs = values.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / Math.max(1, logs.length - 1);
  return { median: Math.exp(mean), spread: Math.sqrt(variance) };
}

/** What is known of a model before and of later calls: counts are added, times are those of the later ones where there are any. */
export function joinServices(
  before: ModelService | undefined,
  later: ModelService | undefined,
): ModelService | undefined {
  if (before === undefined || later === undefined) return later ?? before;
  const calls =
    before.calls === undefined || later.calls === undefined
      ? (later.calls ?? before.calls)
      : {
          answers: before.calls.answers + later.calls.answers,
          failures: before.calls.failures + later.calls.failures,
        };
  const whole = later.whole ?? before.whole;
  const first = later.first_token ?? before.first_token;
  return { ...(calls && { calls }), ...(whole && { whole }), ...(first && { first_token: first }) };
}
