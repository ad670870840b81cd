import type { EffortDial, EffortVariant } from "../router/candidate.js";
import { thinkingOf } from "./describe-model.js";
import { hiddenTokens } from "./hidden-tokens.js";
import { describeByName, type ModelDescription } from "./model-description.js";
import { EFFORT_LEVELS, effortsOf, effortVariant, reasoningOf } from "./models/reasoning.js";

/** The efforts that requests may ask a model for; undefined without a choice. @param model catalog id without an effort */
export function effortDialOf(model: string): EffortDial | undefined {
  const efforts = effortsOf(model);
  if (efforts.length === 0) return undefined;
  return {
    variants: [model, ...efforts.map((effort) => `${model}:${effort}`)].map((id) => variantOf(id, model)),
    byWord: Object.fromEntries(EFFORT_LEVELS.map((word) => [word, answering(model, word)])),
  };
}

/** A model that cannot stop thinking thinks as little as it can when asked for none. */
function answering(model: string, word: string): string {
  const rule = reasoningOf(model);
  const asked = word === "none" && rule?.default === "always" ? rule.levels?.[0] : undefined;
  return effortVariant(model, asked ?? word);
}

function variantOf(id: string, base: string): EffortVariant {
  const description = describeByName(id);
  const named = thinkingOf(description);
  // Adaptive thinking has the effort `high` unless another is named.
  const isHigh = named === "thinking" && reasoningOf(base)?.control === "adaptive";
  const thinking = isHigh ? "high" : named;
  return {
    model: id,
    level: levelOfThinking(thinking),
    hiddenTokens: thinkingGuess({ ...description, thinking }),
  };
}

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
  const { levels, makers, models, undeclared } = hiddenTokens();
  const level = thinking ?? (effort === null && undeclared.includes(base) ? "thinking" : "none");
  if (level === "none") return 0;
  const usual = levels[level] ?? (levels.medium as number);
  return usual * (makers[family] ?? 1) * (models[base] ?? 1);
}
