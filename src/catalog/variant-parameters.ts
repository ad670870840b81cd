import type { Variant } from "./models/variant.js";
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

const anthropic: Style = (variant) =>
  "thinkingTokens" in variant
    ? { thinking: { type: "enabled", budget_tokens: variant.thinkingTokens } }
    : null;

const openrouter: Style = (variant) => {
  if ("effort" in variant) return { reasoning: { effort: variant.effort } };
  if ("thinkingTokens" in variant) return { reasoning: { max_tokens: variant.thinkingTokens } };
  return { reasoning: { enabled: variant.thinking === "on" } };
};

/**
 * By public provider. Sources: platform.openai.com/docs/guides/reasoning, ai.google.dev/gemini-api/docs/openai,
 * openrouter.ai/docs/use-cases/reasoning-tokens, console.groq.com/docs/reasoning, docs.fireworks.ai/guides/reasoning,
 * docs.vllm.ai/en/latest/features/reasoning_outputs, docs.ollama.com/api/openai-compatibility.
 */
const STYLES: ReadonlyMap<string, Style> = new Map<string, Style>([
  ["openrouter", openrouter],
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
