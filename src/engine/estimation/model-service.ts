/** How fast and how reliably a model was served when its answers were measured. */
export interface ModelService {
  /** Calls that were answered and that failed; absent where failures were not counted. */
  readonly calls?: { readonly answers: number; readonly failures: number } | undefined;
  /** Milliseconds of a whole answer: the median is `base_ms + ms_per_token × tokens`, hidden reasoning included. */
  readonly whole?:
    | { readonly base_ms: number; readonly ms_per_token: number; readonly spread: number }
    | undefined;
  /** Milliseconds to the first content: the median. `spread` is the deviation of the logarithm, here and above. */
  readonly first_token?: { readonly ms: number; readonly spread: number } | undefined;
}

/** What a limit of latency is about. */
export interface LatencyQuestion {
  readonly of: "first_token" | "whole";
  /** Probability with which an answer takes no longer, in (0, 1). */
  readonly confidence: number;
}

/** How long an answer may take. */
export interface LatencyLimit extends LatencyQuestion {
  /** Milliseconds, above 0. */
  readonly ms: number;
}

/** Milliseconds that an answer takes at most with that confidence; NaN where it was not measured. */
export function latencyMs(
  service: ModelService | undefined,
  tokens: number,
  { of, confidence }: LatencyQuestion,
): number {
  const measured = of === "whole" ? service?.whole : service?.first_token;
  if (measured === undefined) return Number.NaN;
  const median = "ms" in measured ? measured.ms : measured.base_ms + measured.ms_per_token * tokens;
  return median * Math.exp(normalQuantile(confidence) * measured.spread);
}

/** Error below 0.0005 (Abramowitz and Stegun, 26.2.23). */
function normalQuantile(probability: number): number {
  const tail = Math.min(probability, 1 - probability);
  const t = Math.sqrt(-2 * Math.log(tail));
  const below = 2.515517 + t * (0.802853 + t * 0.010328);
  const z = t - below / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  return probability < 0.5 ? -z : z;
}

/** Calls of the set's mean that a model's own are joined with (guess): one failure of two says little. */
const PRIOR_CALLS = 20;

/**
 * Probability that a call is answered, `[models]`: measured, shrunk to the mean of the set, which models without counts have. 1 for all
 * where no failures were counted.
 */
export function successOf(services: readonly (ModelService | undefined)[]): Float64Array {
  let [answers, failures] = [0, 0];
  for (const { calls } of services.filter((service) => service !== undefined)) {
    answers += calls?.answers ?? 0;
    failures += calls?.failures ?? 0;
  }
  const mean = failures === 0 ? 1 : answers / (answers + failures);
  return Float64Array.from(services, (service) => {
    const { calls } = service ?? {};
    if (calls === undefined || failures === 0) return mean;
    return (calls.answers + PRIOR_CALLS * mean) / (calls.answers + calls.failures + PRIOR_CALLS);
  });
}
