/** `reasoning_effort`, `thinking`, and the limits that thinking puts on the rest of a request. */
import type { ChatBody, JsonObject } from "../chat.js";
import { isJsonObject } from "../json-object.js";
import type { Turn } from "./conversation.js";
import type { ModelTraits } from "./model-traits.js";
import { refusal } from "./refusal.js";

export interface Thinking {
  /** Null leaves `thinking` out: some models then think, some do not. */
  readonly thinking: JsonObject | null;
  /** Null leaves `output_config.effort` out. */
  readonly effort: string | null;
}

/** OpenAI's efforts, least first. */
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
type Effort = (typeof EFFORTS)[number];

/** The API takes no smaller budget. */
const LEAST_BUDGET = 1024;
/** Thinking tokens for models that are given a number: each step four times the last (guess), up to what still helps. */
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
  readonly turns: readonly Turn[];
  /** The request makes the model call a tool, which the API does not take together with thinking. */
  readonly forced: boolean;
}

/**
 * A client's own `thinking` is sent as it is, but a budget that `max_tokens` leaves no room for is lowered, or thinking
 * left out when less than the least remains. Without one, `reasoning_effort` decides: by effort where the model has that,
 * else by a budget of at most half of `max_tokens`. It is a wish: where the model cannot think, must call a tool, or goes
 * on with a tool's result without its own earlier thoughts, it answers without thinking.
 *
 * @throws ProviderFault `request_refused` for an effort that is none of OpenAI's
 */
export function toThinking(body: ChatBody, context: ThinkingContext): Thinking {
  const effort = effortOf(body.reasoning_effort);
  if (isJsonObject(body.thinking)) return given(body.thinking, effort, context);
  if (effort === null || context.traits.thinking === "none") return { thinking: null, effort: null };
  return context.traits.thinking === "adaptive" ? adaptive(effort, context) : budgeted(effort, context);
}

/** Whether a request with this `thinking` asks for thinking. */
export function thinks(thinking: JsonObject | null): boolean {
  return thinking?.type === "enabled" || thinking?.type === "adaptive";
}

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

/** The highest level that is not above the effort, so that no more is paid for than was asked; else the lowest. */
function levelOf(effort: Effort, levels: readonly string[]): string | null {
  const upTo: readonly string[] = EFFORTS.slice(0, EFFORTS.indexOf(effort) + 1);
  return levels.findLast((level) => upTo.includes(level)) ?? levels[0] ?? null;
}

function budgeted(effort: Effort, { maxTokens, turns, forced }: ThinkingContext): Thinking {
  const budget = Math.min(BUDGETS[effort], Math.floor(maxTokens / 2));
  const possible = budget >= LEAST_BUDGET && !forced && !continuesWithoutThoughts(turns);
  return { thinking: possible ? { type: "enabled", budget_tokens: budget } : null, effort: null };
}

/** The API refuses thinking after a tool's result when the turn that called the tool does not begin with its thoughts. */
function continuesWithoutThoughts(turns: readonly Turn[]): boolean {
  const last = turns.findLast(({ role }) => role === "assistant");
  const called = last?.content.some(({ type }) => type === "tool_use") ?? false;
  const first = last?.content[0]?.type;
  return called && first !== "thinking" && first !== "redacted_thinking";
}
