import { principalComponent } from "../metrics/principal-component.js";

/** A prompt of a topic, as far as a sample should be spread over it. */
export interface SpreadPrompt {
  /** Unit vector. */
  readonly vector: Float32Array;
  /** Log-odds of the average model to solve it. */
  readonly ease: number;
}

/**
 * A random sample that represents the prompts: spread evenly over what they are about and over how easy they are, so that it
 * misses no kind of them and takes none twice as often. Every prompt has the same chance.
 *
 * The prompts are halved along the direction in which they differ most, the halves again, until there are about √count parts;
 * within each they are ordered by ease, up and down in turn; and from this order every n-th is taken, from a random
 * start (systematic sampling: Madow & Madow 1944; in serpentine order). O(prompts × dimensions × log count).
 *
 * @returns positions, `min(count, prompts)` of them
 */
export function spreadSample(
  prompts: readonly SpreadPrompt[],
  { count, random }: { readonly count: number; readonly random: () => number },
): number[] {
  const all = [...prompts.keys()];
  if (count >= prompts.length) return all;
  const parts = halve(prompts, all, Math.round(Math.log2(Math.max(1, count)) / 2));
  const easeOf = (position: number): number => (prompts[position] as SpreadPrompt).ease;
  const order = parts.flatMap((part, number) => {
    const direction = number % 2 === 0 ? 1 : -1;
    return part.toSorted((a, b) => direction * (easeOf(a) - easeOf(b)) || a - b);
  });
  const start = random();
  return Array.from(
    { length: count },
    (_, step) => order[Math.floor(((step + start) * order.length) / count)] as number,
  );
}

const FEWEST_TO_HALVE = 8;

/** @param depth how often */
function halve(prompts: readonly SpreadPrompt[], part: readonly number[], depth: number): number[][] {
  if (depth <= 0 || part.length < FEWEST_TO_HALVE) return [[...part]];
  const { scores: along } = principalComponent(
    part.map((position) => (prompts[position] as SpreadPrompt).vector),
  );
  const order = [...part.keys()].sort((a, b) => (along[a] as number) - (along[b] as number) || a - b);
  const sorted = order.map((entry) => part[entry] as number);
  const middle = sorted.length >> 1;
  return [
    ...halve(prompts, sorted.slice(0, middle), depth - 1),
    ...halve(prompts, sorted.slice(middle), depth - 1),
  ];
}
