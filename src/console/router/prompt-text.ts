import type { Routing } from "../../gateway/api/routing.js";
import { count } from "../components/format.js";

const TIERS = ["trivial", "easy", "medium", "hard", "expert"] as const;

/** What was read of a prompt, in a line. */
export function promptText(prompt: NonNullable<Routing["prompt"]>): string {
  const { tokens, difficulty, kinds, asked_tokens: asked, visible_tokens: visible } = prompt;
  return [
    `${count(tokens)} tokens`,
    difficulty === null
      ? "of unknown difficulty"
      : `difficulty ${difficulty.toFixed(1)} of 4 (${TIERS[Math.round(difficulty)]})`,
    ...(kinds.length === 0 ? [] : [`taken for ${kinds.join(", ")}`]),
    ...(asked === null ? [] : [`asks for about ${count(Math.round(asked))} tokens`]),
    ...(visible === null
      ? []
      : [`an average model writes ${count(Math.round(visible))} visible tokens by its text`]),
  ].join(" · ");
}
