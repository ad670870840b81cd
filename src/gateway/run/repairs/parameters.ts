/** The limit of an answer, and thinking, as a provider allows them. */
import { type JsonObject, memberOf } from "../../providers/chat.js";
import { eachMember, isSet, type Said, withMember, without } from "./change.js";

const LIMITS = ["max_tokens", "max_completion_tokens", "max_output_tokens"] as const;
/** About a page: an answer with less room would be of no use. */
const LEAST_ANSWER = 1000;

/** At most as many tokens as are allowed or paid for. */
export function withLimit(body: JsonObject, [, allowed]: Said): JsonObject {
  const most = Number(allowed);
  if (most < LEAST_ANSWER) return body;
  if (!LIMITS.some((name) => isSet(body[name]))) return { ...body, max_tokens: most };
  const lower = (limit: unknown) => (Number(limit) > most ? most : limit);
  return LIMITS.reduce((whole, name) => withMember(whole, name, lower), body);
}

/** Without a limit the answer may take what the prompt leaves of the context; one that fills it is for the caller to shorten. */
export const withRestOfContext = (body: JsonObject, [, context, prompt]: Said): JsonObject =>
  Number(prompt) < Number(context) ? LIMITS.reduce(without, body) : body;

const MOST_BUDGET = 16_384;
const LEAST_BUDGET = 1024;

/** Adaptive thinking is what newer models take, a budget what older ones do: one for the other, as the translation does. */
export const withAdaptiveThinking = (body: JsonObject): JsonObject =>
  withMember(body, "thinking", (given) => {
    const display = memberOf(given, "display");
    return { type: "adaptive", ...(isSet(display) && { display }) };
  });

export function withThinkingBudget(body: JsonObject): JsonObject {
  const budget = Math.min(MOST_BUDGET, Math.floor(Number(body.max_tokens) / 2));
  const thinking = budget >= LEAST_BUDGET ? { type: "enabled", budget_tokens: budget } : undefined;
  return withMember(body, "thinking", () => thinking);
}

/** Without the betas of Anthropic's that a refusal quotes. */
export const withoutBetas = (body: JsonObject, [, quoted = ""]: Said): JsonObject =>
  withMember(body, "anthropic_beta", (betas) =>
    eachMember(betas, (beta) => (quoted.includes(`\`${beta}\``) ? undefined : beta)),
  );
