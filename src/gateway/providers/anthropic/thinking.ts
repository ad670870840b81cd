/** `reasoning_effort`, `thinking`, and the constraints that thinking imposes on other fields. */
import { type ChatBody, isJsonObject, type JsonObject } from "../chat.js";
import { refusal } from "../provider.js";
import type { MessagesTurn } from "./conversation.js";
import type { ModelTraits } from "./model-traits.js";

export interface Thinking {
  /** Null omits `thinking`: whether the model thinks is then its default. */
  readonly thinking: JsonObject | null;
  /** Null omits `output_config.effort`. */
  readonly effort: string | null;
}

/** OpenAI's efforts, least first. */
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
type Effort = (typeof EFFORTS)[number];

/** Smallest budget that the API accepts. */
export const LEAST_BUDGET = 1024;
/** Thinking tokens for models with a budget: each level four times the previous one (guess), up to a useful maximum. */
const BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: LEAST_BUDGET,
  low: LEAST_BUDGET,
  medium: 4_096,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};

export interface ThinkingContext {
  readonly traits: ModelTraits;
  readonly maxTokens: number;
  readonly turns: readonly MessagesTurn[];
  /** The request forces a tool call, which the API refuses together with thinking. */
  readonly forced: boolean;
}

/**
 * A client's own `thinking` is sent unchanged, except that a budget is lowered to fit `max_tokens`, or thinking omitted
 * when less than the minimum remains. Otherwise `reasoning_effort` decides: as an effort where the model supports it,
 * else as a budget of at most half of `max_tokens`. The effort is best-effort: a model that cannot think, must call a
 * tool, or continues after a tool result without its own earlier thinking answers without thinking.
 *
 * @throws ProviderFault `request_refused` for an unknown effort
 */
export function toThinking(body: ChatBody, context: ThinkingContext): Thinking {
  const effort = effortOf(body.reasoning_effort);
  if (isJsonObject(body.thinking)) return given(body.thinking, effort, context);
  if (effort === null || context.traits.thinking === "none") return { thinking: null, effort: null };
  return context.traits.thinking === "adaptive" ? adaptive(effort, context) : budgeted(effort, context);
}

/** Whether this `thinking` turns thinking on. */
export const thinks = (thinking: JsonObject | null): boolean =>
  thinking?.type === "enabled" || thinking?.type === "adaptive";

function effortOf(value: unknown): Effort | null {
  if (value === undefined || value === null) return null;
  const effort = EFFORTS.find((known) => known === value);
  if (effort === undefined) throw refusal("reasoning_effort", `must be one of ${EFFORTS.join(", ")}`);
  return effort;
}

function given(
  thinking: JsonObject,
  effort: Effort | null,
  { traits, maxTokens }: ThinkingContext,
): Thinking {
  const level = effort === null ? null : levelOf(effort, traits.efforts);
  const budget = thinking.budget_tokens;
  if (typeof budget !== "number" || budget < maxTokens) return { thinking, effort: level };
  const room = Math.floor(maxTokens / 2);
  return { thinking: room < LEAST_BUDGET ? null : { ...thinking, budget_tokens: room }, effort: level };
}

function adaptive(effort: Effort, { traits, forced }: ThinkingContext): Thinking {
  const level = levelOf(effort, traits.efforts);
  if (effort !== "none") return { thinking: forced ? null : { type: "adaptive" }, effort: level };
  if (traits.thinkingStops) return { thinking: { type: "disabled" }, effort: null };
  return { thinking: null, effort: level };
}

/** The highest level not above the effort, so that the cost does not exceed the request; otherwise the lowest. */
function levelOf(effort: Effort, levels: readonly string[]): string | null {
  const upTo: readonly string[] = EFFORTS.slice(0, EFFORTS.indexOf(effort) + 1);
  return levels.findLast((level) => upTo.includes(level)) ?? levels[0] ?? null;
}

function budgeted(effort: Effort, { maxTokens, turns, forced }: ThinkingContext): Thinking {
  const budget = Math.min(BUDGETS[effort], Math.floor(maxTokens / 2));
  const possible = budget >= LEAST_BUDGET && !forced && !continuesWithoutThoughts(turns);
  return { thinking: possible ? { type: "enabled", budget_tokens: budget } : null, effort: null };
}

/** The API refuses thinking after a tool result when the turn that called the tool does not begin with its thinking. */
function continuesWithoutThoughts(turns: readonly MessagesTurn[]): boolean {
  const last = turns.findLast(({ role }) => role === "assistant");
  const called = last?.content.some(({ type }) => type === "tool_use") ?? false;
  const first = last?.content[0]?.type;
  return called && first !== "thinking" && first !== "redacted_thinking";
}
