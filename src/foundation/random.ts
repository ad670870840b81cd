/** Numbers in [0, 1) from a 32-bit seed (mulberry32, public domain by T. Ettinger): same seed, same sequence everywhere. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `count` distinct numbers below `size`, ascending; all of them when `count >= size`. */
export function sampleWithoutReplacement(
  size: number,
  options: { count: number; random: () => number },
): Uint32Array {
  if (options.count >= size) return Uint32Array.from({ length: size }, (_, index) => index);
  const chosen = new Set<number>();
  // Floyd's algorithm: exactly `count` draws.
  for (let limit = size - options.count; limit < size; limit++) {
    const drawn = Math.floor(options.random() * (limit + 1));
    chosen.add(chosen.has(drawn) ? limit : drawn);
  }
  return Uint32Array.from(chosen).sort();
}
