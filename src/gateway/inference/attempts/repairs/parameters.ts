/** The limit of an answer, and thinking, as a provider allows them. */
import { isJsonObject, type JsonObject } from "../../../providers/chat.js";
import { isSet, type Said, withMember, without } from "./change.js";

const LIMITS = ["max_tokens", "max_completion_tokens", "max_output_tokens"] as const;

/** The answer could not be longer anyway. */
export const withLowerLimit = (body: JsonObject, [, most]: Said): JsonObject =>
  LIMITS.reduce(
    (whole, name) =>
      withMember(whole, name, (limit) => (Number(limit) > Number(most) ? Number(most) : limit)),
    body,
  );

/** Without a limit the answer may take what the prompt leaves of the context; one that fills it is for the caller to shorten. */
export const withRestOfContext = (body: JsonObject, [, context, prompt, other]: Said): JsonObject =>
  Number(prompt ?? other ?? 0) < Number(context) ? LIMITS.reduce(without, body) : body;

/** What the account can pay for, where that is enough for about a page. */
export function withPaidLimit(body: JsonObject, said: Said): JsonObject {
  const paid = Number(said[1]);
  if (paid < 1000) return body;
  return LIMITS.some((name) => isSet(body[name]))
    ? withLowerLimit(body, said)
    : { ...body, max_tokens: paid };
}

const MOST_BUDGET = 16_384;
const LEAST_BUDGET = 1024;

/** Adaptive thinking is what newer models take, a budget what older ones do: one for the other, as the translation does. */
export const withAdaptiveThinking = (body: JsonObject): JsonObject =>
  withMember(body, "thinking", (given) => {
    const display = isJsonObject(given) ? given.display : undefined;
    return { type: "adaptive", ...(isSet(display) && { display }) };
  });

export function withThinkingBudget(body: JsonObject): JsonObject {
  const budget = Math.min(MOST_BUDGET, Math.floor(Number(body.max_tokens) / 2));
  const thinking = budget >= LEAST_BUDGET ? { type: "enabled", budget_tokens: budget } : undefined;
  return withMember(body, "thinking", () => thinking);
}
