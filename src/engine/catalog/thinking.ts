/** What is known of thinking by level, maker and model, before any answer is measured. */
import { HIDDEN_AT_LEVEL, HIDDEN_OF_MAKER, HIDDEN_OF_MODEL, UNDECLARED_THINKERS } from "./hidden-tokens.js";
import type { ModelDescription } from "./model-description.js";

/**
 * Levels of thinking on a scale from none to `high`: shares of the gain from none to high (medians of eight to forty pairs of
 * efforts on published indexes of 2025 and 2026; `minimal` and the settings without a level are guesses).
 */
const LEVELS: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 0.2,
  low: 0.45,
  medium: 0.78,
  thinking: 0.9,
  adaptive: 0.9,
  high: 1,
  xhigh: 1.1,
  max: 1.25,
};

/** Level of an effort: 0 for none (null), 1 for `high`. */
export const levelOfThinking = (thinking: string | null): number =>
  thinking === null ? 0 : (LEVELS[thinking] ?? (LEVELS.thinking as number));

/** Hidden reasoning tokens on a prompt of medium difficulty by level, maker and model, 0 when the model does not think. */
export function thinkingGuess({
  thinking,
  effort,
  base,
  family,
}: Pick<ModelDescription, "thinking" | "effort" | "base" | "family">): number {
  const level = thinking ?? (effort === null && UNDECLARED_THINKERS.includes(base) ? "thinking" : "none");
  if (level === "none") return 0;
  const usual = HIDDEN_AT_LEVEL[level] ?? (HIDDEN_AT_LEVEL.medium as number);
  return usual * (HIDDEN_OF_MAKER[family] ?? 1) * (HIDDEN_OF_MODEL[base] ?? 1);
}
