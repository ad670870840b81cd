/** Classifies the members of a chat body. */
import { type ChatBody, isJsonObject, type JsonObject, withoutNulls } from "../chat.js";
import { refusal } from "../provider.js";

/** OpenAI's fields that other functions of this folder translate. */
const TRANSLATED = [
  "messages",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "top_k",
  "stop",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "response_format",
  "reasoning_effort",
  "thinking",
  "output_config",
  "user",
  "safety_identifier",
  "metadata",
  "service_tier",
  "anthropic_beta",
] as const;

/** Fields without a counterpart that may be omitted without making the answer wrong, with the reason. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  model: "it is the call's, by the name the provider knows",
  stream: "it is the call's",
  n: "only one answer is possible; more are refused",
  stream_options: "usage is always sent",
  frequency_penalty: "no counterpart",
  presence_penalty: "no counterpart",
  logit_bias: "no counterpart",
  logprobs: "no counterpart; the answer has none",
  top_logprobs: "no counterpart; the answer has none",
  seed: "no counterpart; answers are never repeatable",
  prediction: "only a hint for speed",
  prompt_cache_key: "only a hint for caching, which `cache_control` marks here",
  prompt_cache_retention: "as prompt_cache_key",
  prompt_cache_options: "as prompt_cache_key",
  store: "nothing is stored",
  verbosity: "no counterpart; length is asked for in the prompt",
  modalities: "answers are text; audio is refused by its own field",
};

/** Fields that cannot be omitted without making the answer wrong, with the remedy. */
const REFUSED: Readonly<Record<string, string>> = {
  audio: "asks for speech, which Anthropic's models cannot give; leave it out",
  functions: "is the old form of `tools`; send `tools`",
  function_call: "is the old form of `tool_choice`; send `tool_choice`",
  web_search_options: "is OpenAI's; send Anthropic's web search tool in `tools`",
};

const NOT_PASSED: ReadonlySet<string> = new Set([...TRANSLATED, ...Object.keys(LEFT_OUT)]);

/**
 * Members that need no translation: Anthropic's own (`cache_control`, `container`, `mcp_servers`, `inference_geo`, …)
 * and unknown ones. They pass unchanged; `null` counts as absent.
 *
 * @throws ProviderFault `request_refused` naming a field that cannot be supported
 */
export function passedFields(body: ChatBody): JsonObject {
  const given = withoutNulls(body);
  const refused = Object.keys(given).find((field) => Object.hasOwn(REFUSED, field));
  if (refused !== undefined) throw refusal(refused, REFUSED[refused] ?? "");
  if (typeof body.n === "number" && body.n > 1) {
    throw refusal(
      "n",
      `is ${body.n}, and Anthropic gives one answer a request; send n = 1, or several requests`,
    );
  }
  return Object.fromEntries(Object.entries(given).filter(([field]) => !NOT_PASSED.has(field)));
}

/**
 * `stop`, a string or a list. The API refuses sequences of white space, and omitting them would change the answer.
 *
 * @throws ProviderFault `request_refused` naming the sequence by its index
 */
export function toStopSequences(stop: unknown): readonly string[] {
  if (stop === undefined || stop === null) return [];
  const sequences: readonly unknown[] = Array.isArray(stop) ? stop : [stop];
  return sequences.map((sequence, at) => {
    const path = Array.isArray(stop) ? `stop[${at}]` : "stop";
    if (typeof sequence !== "string") throw refusal(path, "must be a string");
    if (sequence.trim() === "") {
      throw refusal(path, "is only white space, which Anthropic does not accept; add a visible character");
    }
    return sequence;
  });
}

/** Maps `user`, or its successor `safety_identifier`, to `metadata.user_id`. */
export function toMetadata({ metadata, user, safety_identifier }: ChatBody): JsonObject | null {
  const given = isJsonObject(metadata) ? metadata : {};
  const id = [user, safety_identifier].find((value) => typeof value === "string" && value !== "");
  const whole = id === undefined ? given : { user_id: id, ...given };
  return Object.keys(whole).length === 0 ? null : whole;
}

const TIERS: ReadonlyMap<unknown, string> = new Map([
  ["auto", "auto"],
  ["default", "standard_only"],
  ["standard_only", "standard_only"],
  ["priority", "auto"],
]);

/** Maps the service tier; OpenAI's `flex` has no counterpart. */
export const toServiceTier = (tier: unknown): string | null => TIERS.get(tier) ?? null;

const BETA = /^[a-z0-9][a-z0-9.-]*$/i;

/**
 * Maps `anthropic_beta`, a list of feature names, to the header of that name, which some fields require.
 *
 * @throws ProviderFault `request_refused` when it is not a list of names
 */
export function betaHeaders(betas: unknown): Readonly<Record<string, string>> {
  if (betas === undefined || betas === null) return {};
  const names: readonly unknown[] = Array.isArray(betas) ? betas : [betas];
  if (!names.every((name) => typeof name === "string" && BETA.test(name))) {
    throw refusal("anthropic_beta", "must be a list of names such as context-management-2025-06-27");
  }
  return names.length === 0 ? {} : { "anthropic-beta": names.join(",") };
}
