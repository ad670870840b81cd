/** What a client asks that meets each rule of `test/fakes/vendors`. */

/** A conversation that vendors have rules about. */
export type History =
  | "tool_loop"
  | "output_without_call"
  | "call_without_output"
  | "user_after_output"
  | "foreign_thinking"
  | "empty_text"
  | "prefill";

/** A request as a client means it, whichever API it speaks. */
export interface ClientRequest {
  readonly model: string;
  readonly history?: History;
  /** Functions offered. */
  readonly tools?: number;
  readonly forced?: "a_tool";
  readonly effort?: string;
  /** Tokens of thinking, which Messages alone can say. */
  readonly budget?: number;
  readonly temperature?: number;
  readonly topP?: number;
  /** `none`: also not where the API asks for one. */
  readonly maxTokens?: number | "none";
  /** Sequences. */
  readonly stop?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly format?: "schema";
}

/** By the rule's id. */
export const CASES: Readonly<Record<string, ClientRequest>> = {
  "openai.tools-while-reasoning": { model: "gpt-5.6-luna", tools: 1 },
  "openai.tools-with-effort": { model: "gpt-5.4", tools: 1, effort: "low" },
  "openai.responses-only": { model: "gpt-5-pro" },
  "openai.max-tokens": { model: "gpt-5.1", maxTokens: 500 },
  "openai.temperature": { model: "gpt-5-mini", temperature: 0 },
  "openai.responses-temperature": { model: "gpt-5-pro", temperature: 0 },
  "openai.top-p": { model: "gpt-5-mini", topP: 0.5 },
  "openai.effort": { model: "gpt-5.6-luna", effort: "minimal" },
  "openai.max-output-tokens": { model: "gpt-5-mini", maxTokens: 5 },
  "openai.tools-count": { model: "gpt-4.1", tools: 129 },
  "openai.stop-count": { model: "gpt-4.1", stop: 5 },
  "openai.tool-without-call": { model: "gpt-4.1", history: "output_without_call" },
  "openai.call-without-output": { model: "gpt-4.1", history: "call_without_output" },
  "openai.encrypted-reasoning": { model: "gpt-5.6-luna", history: "foreign_thinking" },
  "anthropic.max-tokens": { model: "claude-haiku-4-5", maxTokens: "none" },
  "anthropic.budget-below-limit": {
    model: "claude-sonnet-4-5",
    effort: "high",
    budget: 4000,
    maxTokens: 4000,
  },
  "anthropic.budget-least": { model: "claude-sonnet-4-5", effort: "minimal", budget: 512, maxTokens: 4000 },
  "anthropic.temperature-with-thinking": {
    ...{ model: "claude-sonnet-4-5", effort: "low", budget: 2000, maxTokens: 4000, temperature: 0 },
  },
  "anthropic.temperature-and-top-p": { model: "claude-sonnet-4-5", temperature: 0.5, topP: 0.5 },
  "anthropic.sampling": { model: "claude-opus-4-8", temperature: 0 },
  "anthropic.enabled-thinking": { model: "claude-opus-4-8", effort: "low", budget: 2000, maxTokens: 4000 },
  "anthropic.effort": { model: "claude-opus-4-6", effort: "xhigh" },
  "anthropic.forced-tool-with-thinking": {
    ...{ model: "claude-sonnet-4-5", effort: "low", budget: 2000, maxTokens: 4000 },
    ...{ tools: 1, forced: "a_tool" },
  },
  "anthropic.result-without-use": { model: "claude-haiku-4-5", history: "output_without_call" },
  "anthropic.use-without-result": { model: "claude-haiku-4-5", history: "call_without_output" },
  "anthropic.signature": { model: "claude-sonnet-4-5", history: "foreign_thinking" },
  "anthropic.empty-text": { model: "claude-haiku-4-5", history: "empty_text" },
  "anthropic.prefill": { model: "claude-opus-4-8", history: "prefill" },
  "google.unknown-field": { model: "gemini-2.5-flash", frequencyPenalty: 0 },
  "google.thought-signature": { model: "gemini-3.5-flash", history: "tool_loop" },
  "mistral.extra-field": { model: "mistral-medium-3.5", maxTokens: 500 },
  "mistral.reasoning-content": { model: "mistral-medium-3.5", history: "foreign_thinking" },
  "mistral.call-id": { model: "mistral-medium-3.5", history: "tool_loop" },
  "mistral.order": { model: "mistral-medium-3.5", history: "user_after_output" },
  "mistral.last-role": { model: "mistral-medium-3.5", history: "prefill" },
  "deepseek.reasoning-content": { model: "deepseek-v4-flash", history: "tool_loop" },
  "deepseek.forced-tool": { model: "deepseek-v4-flash", tools: 1, forced: "a_tool" },
  "deepseek.schema": { model: "deepseek-v4-flash", format: "schema" },
  "x-ai.effort": { model: "grok-4.20-non-reasoning", effort: "low" },
  "x-ai.penalty": { model: "grok-4.6", presencePenalty: 0 },
};
