import type { ProviderCall } from "../provider.js";
import { type Quirks, REASONING_MODEL } from "./quirks.js";
import type { TokenLimitField } from "./request.js";

/** Which of its two names the limit of generated tokens has for a model, as far as the model's name tells. */
export function tokenLimitField(
  { api, upstreamModel }: Pick<ProviderCall, "api" | "upstreamModel">,
  { tokenLimitField: rule }: Pick<Quirks, "tokenLimitField">,
): TokenLimitField {
  if (api === "completions") return "max_tokens";
  if (rule !== "by_model") return rule;
  return REASONING_MODEL.test(upstreamModel) ? "max_completion_tokens" : "as_sent";
}
