import type { EffortDial, EffortVariant } from "../router/candidate.js";
import { thinkingOf } from "./describe-model.js";
import { describeByName } from "./model-description.js";
import { EFFORT_LEVELS, effortsOf, effortVariant, reasoningOf } from "./models/reasoning.js";
import { levelOfThinking, thinkingGuess } from "./thinking.js";

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
