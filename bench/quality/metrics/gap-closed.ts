/** Share of the way from the best single model to hindsight; NaN when there is none to go. */
export function gapClosed(
  quality: number,
  { best, oracle }: { readonly best: number; readonly oracle: number },
): number {
  return oracle > best ? (quality - best) / (oracle - best) : Number.NaN;
}
