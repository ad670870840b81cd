import type { Variant } from "../catalog-file.js";
import { effortRequests } from "../models/reasoning.js";
import type { ProviderEntry } from "./provider-entries.js";

type Parameters = Readonly<Record<string, unknown>>;
type Style = (variant: Exclude<Variant, "plain">) => Parameters | null;

/** Where `effort` is known: OpenAI's own field, which most others took over. */
const effortOnly: Style = (variant) => ("effort" in variant ? { reasoning_effort: variant.effort } : null);

/** Servers that hand a switch to the model's chat template, as Qwen's reads it. */
const templateSwitch: Style = (variant) => {
  if (!("thinking" in variant)) return effortOnly(variant);
  return { chat_template_kwargs: { enable_thinking: variant.thinking === "on" } };
};

/** Servers that think unless `reasoning_effort` says not to. */
const effortNone: Style = (variant) => {
  if (!("thinking" in variant)) return effortOnly(variant);
  return variant.thinking === "on" ? {} : { reasoning_effort: "none" };
};

/** Models that reason only when `reasoning_effort` says so. */
const effortHigh: Style = (variant) => {
  if (!("thinking" in variant)) return effortOnly(variant);
  return { reasoning_effort: variant.thinking === "on" ? "high" : "none" };
};

/** A switch of its own, and an effort beside it. */
const deepseek: Style = (variant) => {
  if ("thinking_tokens" in variant) return null;
  if ("thinking" in variant)
    return { thinking: { type: variant.thinking === "on" ? "enabled" : "disabled" } };
  return variant.effort === "none" ? { thinking: { type: "disabled" } } : effortOnly(variant);
};

/** The adapter makes of an effort what each model understands. */
const anthropic: Style = (variant) => {
  if ("thinking_tokens" in variant) {
    return { thinking: { type: "enabled", budget_tokens: variant.thinking_tokens } };
  }
  if ("thinking" in variant) return { reasoning_effort: variant.thinking === "on" ? "high" : "none" };
  return effortOnly(variant);
};

const openrouter: Style = (variant) => {
  if ("effort" in variant) return { reasoning: { effort: variant.effort } };
  if ("thinking_tokens" in variant) return { reasoning: { max_tokens: variant.thinking_tokens } };
  return { reasoning: { enabled: variant.thinking === "on" } };
};

/**
 * By public provider. Sources: platform.openai.com/docs/guides/reasoning, ai.google.dev/gemini-api/docs/openai,
 * openrouter.ai/docs/use-cases/reasoning-tokens and …/docs/client-sdks/python/components/reasoningeffort.md (`max`: 2026-11-25), console.groq.com/docs/reasoning, docs.fireworks.ai/guides/reasoning,
 * docs.vllm.ai/en/latest/features/reasoning_outputs, docs.ollama.com/api/openai-compatibility,
 * api-docs.deepseek.com/guides/thinking_mode, docs.mistral.ai/capabilities/reasoning.
 */
const STYLES: ReadonlyMap<string, Style> = new Map<string, Style>([
  ["openrouter", openrouter],
  ["deepseek", deepseek],
  ["mistral", effortHigh],
  ["vllm", templateSwitch],
  ["llama-cpp", templateSwitch],
  ["together", templateSwitch],
  ["fireworks", effortNone],
  ["groq", effortNone],
  ["ollama", effortNone],
]);

/** Fields that ask a provider for a variant of a model; null when it cannot be asked for there. */
export function variantParameters(
  variant: Variant | undefined,
  { type, like }: Pick<ProviderEntry, "type" | "like">,
): Parameters | null {
  if (variant === undefined) return null;
  if (variant === "plain" || type === "sandbox") return {};
  if (type === "anthropic") return anthropic(variant);
  return (STYLES.get(like ?? "") ?? effortOnly)(variant);
}

/** Fields that ask a provider for an effort of a model's reasoning, by effort; without the efforts that it cannot be asked for. */
export function effortParameters(
  model: string,
  provider: Pick<ProviderEntry, "type" | "like">,
): Readonly<Record<string, Parameters>> {
  const asked = [...effortRequests(model)].flatMap(([effort, variant]) => {
    const parameters = variantParameters(variant, provider);
    return parameters === null ? [] : [[effort, parameters] as const];
  });
  return Object.fromEntries(asked);
}
