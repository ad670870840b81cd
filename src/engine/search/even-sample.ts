/** `count` numbers below `size`, evenly spaced and ascending; all of them when `size` is no larger. */
export function evenSample(size: number, count: number): Uint32Array {
  const length = Math.min(size, count);
  return Uint32Array.from({ length }, (_, index) => Math.floor((index * size) / length));
}
