/** Profiled prompts below which there is as good as no evidence: the estimate rests on the model's overall performance. */
const LEAST_EVIDENCE = 1;

/** Whether any profiled prompt near this one says something of the model. */
export const hasEvidence = (
  { evidence }: { readonly evidence: number },
  { out_of_distribution: isFar }: { readonly out_of_distribution: boolean },
): boolean => !isFar && evidence >= LEAST_EVIDENCE;

/** How many candidates rest on graded answers, and how many on published scores alone. */
export function basisText(candidates: readonly { readonly basis: "measured" | "placed" | "both" }[]): string {
  const placed = candidates.filter(({ basis }) => basis === "placed").length;
  const measured = candidates.length - placed;
  return placed === 0 ? `${measured} measured` : `${measured} measured, ${placed} placed`;
}
