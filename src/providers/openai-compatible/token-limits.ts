import { type ProviderCall, ProviderFault } from "../provider.js";
import { type Quirks, REASONING_MODEL } from "./quirks.js";
import type { TokenLimitField } from "./request.js";

/**
 * Which of its two names the limit of generated tokens has for a model. Names of deployments may hide a reasoning model;
 * that one is known by its refusal of `max_tokens`.
 */
export class TokenLimits {
  readonly #rule: Quirks["tokenLimitField"];
  readonly #reasoning = new Set<string>();

  constructor({ tokenLimitField }: Pick<Quirks, "tokenLimitField">) {
    this.#rule = tokenLimitField;
  }

  fieldFor({ api, upstreamModel }: ProviderCall): TokenLimitField {
    if (api === "completions") return "max_tokens";
    if (this.#rule !== "by_model") return this.#rule;
    const reasons = REASONING_MODEL.test(upstreamModel) || this.#reasoning.has(upstreamModel);
    return reasons ? "max_completion_tokens" : "as_sent";
  }

  /** Whether a call failed for nothing but the name, so that it can be sent again with the other one. */
  learnFrom(reason: unknown, { upstreamModel }: ProviderCall): boolean {
    const misnamed =
      this.#rule === "by_model" &&
      reason instanceof ProviderFault &&
      reason.code === "request_refused" &&
      reason.upstreamCode === "unsupported_parameter" &&
      reason.upstreamParam === "max_tokens";
    if (misnamed) this.#reasoning.add(upstreamModel);
    return misnamed;
  }
}
