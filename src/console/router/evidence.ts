import type { Routing } from "../../gateway/api/routing.js";
import { count } from "../components/format.js";

/** Profiled prompts below which there is as good as no evidence: the estimate rests on the model's overall performance. */
const LEAST_EVIDENCE = 1;

/** Whether any profiled prompt near this one says something of the model. */
export const hasEvidence = (
  { evidence }: { readonly evidence: number },
  { out_of_distribution: isFar }: { readonly out_of_distribution: boolean },
): boolean => !isFar && evidence >= LEAST_EVIDENCE;

/** How many candidates there were, of whom a trace has a few, and how many of them rest on published scores alone. */
export function candidatesText({
  candidates_total: total,
  candidates_placed: placed,
}: Pick<Routing, "candidates_total" | "candidates_placed">): string {
  const measured = `${count(total - placed)} measured`;
  return `${count(total)} (${placed === 0 ? measured : `${measured}, ${count(placed)} estimated`})`;
}

const TIERS = ["trivial", "easy", "medium", "hard", "expert"] as const;

/** What was read of a prompt, in a line. */
export function promptSummary(prompt: NonNullable<Routing["prompt"]>): string {
  const { tokens, difficulty, kinds, asked_tokens: asked, visible_tokens: visible } = prompt;
  return [
    `${count(tokens)} tokens`,
    difficulty === null
      ? "of unknown difficulty"
      : `difficulty ${difficulty.toFixed(1)} of 4 (${TIERS[Math.round(difficulty)]})`,
    ...(kinds.length === 0 ? [] : [`classified as ${kinds.join(", ")}`]),
    ...(asked === null ? [] : [`asks for about ${count(Math.round(asked))} tokens`]),
    ...(visible === null
      ? []
      : [`an average model writes ${count(Math.round(visible))} visible tokens by its text`]),
  ].join(" · ");
}
