/** Share of the gap between the best single model and the oracle that is closed; NaN when there is no gap. */
export function gapClosed(
  quality: number,
  { best, oracle }: { readonly best: number; readonly oracle: number },
): number {
  return oracle > best ? (quality - best) / (oracle - best) : Number.NaN;
}
