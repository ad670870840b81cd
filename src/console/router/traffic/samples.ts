const SAMPLES = [300, 1000];

/**
 * Numbers of requests to choose from, rising; the first is what is read unless another is chosen.
 *
 * @param most what the gateway allows; undefined: not known yet
 */
export function samplesUpTo(most: number | undefined): readonly string[] {
  const samples = most === undefined ? SAMPLES : [...SAMPLES, most].map((sample) => Math.min(sample, most));
  return [...new Set(samples)].map(String);
}
