import type { ServedApi } from "./requests.js";

/** What a client asks that meets each rule of `test/fakes/vendors`. */

/** A conversation that vendors have rules about. */
export type History =
  | "tool_loop"
  | "output_without_call"
  | "call_without_output"
  | "user_after_output"
  | "foreign_thinking"
  | "empty_text"
  | "prefill"
  | "prefill_with_space"
  | "modified_thinking"
  | "empty_answer"
  | "empty_calls"
  | "long_call_id"
  | "system_later"
  | "developer"
  | "two_users"
  | "picture"
  | "mistyped_picture"
  | "picture_by_address"
  | "large_picture"
  | "large_pictures"
  | "wide_picture"
  | "wide_pictures"
  | "101_pictures"
  | "501_pictures"
  | "long_pdf"
  | "long_text";

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
  readonly format?: "schema" | "open_schema" | "object";
  /** In place of the usual names of the functions. */
  readonly toolName?: string;
  /** A schema of functions with words that few vendors know, or alternatives at its top. */
  readonly schema?: "rich" | "alternatives";
  readonly logprobs?: true;
  /** Fields that go over those of each API; an API without any has no form for the request. */
  readonly more?: Partial<Record<ServedApi, Readonly<Record<string, unknown>>>>;
}

const HELLO = { type: "message", role: "user", content: "Hello" };
const MARKED = [
  {
    role: "user",
    content: Array.from({ length: 5 }, () => ({
      ...{ type: "text", text: "Hello", cache_control: { type: "ephemeral" } },
    })),
  },
];

const ENTRIES = Object.fromEntries(Array.from({ length: 24 }, (_, at) => [`key_${at}`, "a"]));
const LONG_KEY = `client_${"a".repeat(60)}:agent`;

/** A host of OpenRouter that does not serve the model. */
const TENCENT = { provider: { only: ["tencent"] } };

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
  "x-ai.stop": { model: "grok-4.6", stop: 1 },
  "openai.unreasoning": {
    model: "gpt-4.1",
    more: { responses: { include: ["reasoning.encrypted_content"], store: null } },
  },
  "openai.item-not-kept": {
    model: "gpt-5.6-luna",
    more: { responses: { input: [{ type: "item_reference", id: "msg_1" }, HELLO] } },
  },
  "openai.reasoning-alone": {
    model: "gpt-5.6-luna",
    more: {
      responses: {
        input: [HELLO, { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "gAAA-1" }],
      },
    },
  },
  "openai.previous-response": {
    model: "gpt-5.6-luna",
    more: { responses: { previous_response_id: "resp_of_another_host", store: null } },
  },
  "openai.item-id": {
    model: "gpt-5.6-luna",
    more: {
      responses: {
        input: [HELLO, { id: "item_1", type: "message", role: "assistant", content: "Hi" }, HELLO],
      },
    },
  },
  "openai.stop": { model: "gpt-5.1", stop: 1 },
  "openai.penalty": { model: "gpt-5-mini", presencePenalty: 0.5 },
  "openai.logprobs": { model: "gpt-5-mini", logprobs: true },
  "openai.function-name": { model: "gpt-4.1", tools: 1, toolName: "city.weather" },
  "openai.top-alternatives": { model: "gpt-4.1", tools: 1, schema: "alternatives" },
  "openai.call-id": { model: "gpt-4.1", history: "long_call_id" },
  "openai.empty-calls": { model: "gpt-4.1", history: "empty_calls" },
  "openai.empty-tools": {
    model: "gpt-4.1",
    more: { chat: { tools: [] }, responses: { tools: [] }, messages: { tools: [] } },
  },
  "openai.most-tokens": { model: "gpt-4o", maxTokens: 20_480 },
  "openai.strict-schema": { model: "gpt-4.1", format: "open_schema" },
  "openai.json-word": { model: "gpt-4o", format: "object" },
  "openai.tool-settings": {
    model: "gpt-4.1",
    more: {
      chat: { tool_choice: "auto" },
      responses: { tool_choice: "auto" },
      messages: { tool_choice: { type: "auto" } },
    },
  },
  "anthropic.empty-content": { model: "claude-haiku-4-5", history: "empty_answer" },
  "anthropic.tool-name": { model: "claude-haiku-4-5", tools: 1, toolName: "city.weather" },
  "anthropic.tool-names": { model: "claude-haiku-4-5", tools: 2, toolName: "weather" },
  "anthropic.top-alternatives": { model: "claude-haiku-4-5", tools: 1, schema: "alternatives" },
  "anthropic.image-type": { model: "claude-haiku-4-5", history: "mistyped_picture" },
  "anthropic.image-size": { model: "claude-haiku-4-5", history: "large_picture" },
  "anthropic.cache-marks": {
    model: "claude-haiku-4-5",
    more: { chat: { messages: MARKED }, messages: { messages: MARKED } },
  },
  "anthropic.modified-thinking": {
    ...{
      model: "claude-sonnet-4-5",
      history: "modified_thinking",
      effort: "low",
      budget: 2000,
      maxTokens: 4000,
    },
  },
  "anthropic.most-tokens": { model: "claude-opus-4-5", maxTokens: 128_001 },
  "anthropic.trailing-space": { model: "claude-haiku-4-5", history: "prefill_with_space" },
  "anthropic.temperature-range": { model: "claude-haiku-4-5", temperature: 1.2 },
  "google.responses-of-calls": { model: "gemini-2.5-flash", history: "call_without_output" },
  "google.no-thinking": { model: "gemini-2.5-pro", effort: "none" },
  "google.format-with-functions": { model: "gemini-2.5-flash", tools: 1, format: "schema" },
  "google.schema-words": { model: "gemini-2.5-flash", tools: 1, schema: "rich" },
  "google.function-name": { model: "gemini-2.5-flash", tools: 1, toolName: "1st-tool" },
  "mistral.empty-answer": { model: "mistral-medium-3.5", history: "empty_answer" },
  "deepseek.developer": { model: "deepseek-v4-flash", history: "developer" },
  "deepseek.image": { model: "deepseek-v4-flash", history: "picture" },
  "deepseek.function-name": { model: "deepseek-v4-flash", tools: 1, toolName: "city.weather" },
  "openrouter.only": {
    model: "z-ai/glm-4.5-air",
    more: { chat: TENCENT, responses: TENCENT, messages: TENCENT },
  },
  "openrouter.tools": { model: "meta-llama/llama-guard-4-12b", tools: 1 },
  "openrouter.tool-choice": { model: "z-ai/glm-4.5-air", tools: 1, forced: "a_tool" },
  "openrouter.image": { model: "deepseek/deepseek-v4-pro", history: "picture" },
  "openrouter.mandatory-reasoning": { model: "stepfun/step-3.5-flash", effort: "none" },
  "openrouter.reasoning-content": { model: "moonshotai/kimi-k2.5", history: "tool_loop" },
  "openrouter.credits": { model: "z-ai/glm-4.5-air", maxTokens: 32_000 },
  "openrouter.function-name": { model: "openai/gpt-4.1", tools: 1, toolName: "city.weather" },
  "ollama.tools": { model: "gemma3:4b", tools: 1 },
  "ollama.effort": { model: "qwen3:4b", effort: "medium" },
  "ollama.image-address": { model: "minicpm-v:8b", history: "picture_by_address" },
  "ollama.image": { model: "glm-5.2:cloud", history: "picture" },
  "vllm.tools": { model: "google/gemma-4-26B-A4B-it", tools: 1 },
  "vllm.context": { model: "qwen3.5-27b", maxTokens: 8192 },
  "vllm.system-first": { model: "qwen3.5-27b", history: "system_later" },
  "vllm.turns": { model: "google/gemma-4-26B-A4B-it", history: "two_users" },
  "openai.metadata": {
    model: "gpt-4o-mini",
    more: { chat: { metadata: ENTRIES }, responses: { metadata: ENTRIES } },
  },
  "openai.cache-key": {
    model: "gpt-5.6-luna",
    more: { chat: { prompt_cache_key: LONG_KEY }, responses: { prompt_cache_key: LONG_KEY } },
  },
  "openai.stream-options": {
    model: "gpt-4.1",
    more: { chat: { stream_options: { include_usage: true }, n: 2 } },
  },
  "anthropic.loop-without-thinking": {
    ...{ model: "claude-sonnet-4-5", history: "tool_loop", effort: "low", budget: 2000, maxTokens: 4000 },
  },
  "anthropic.request-size": { model: "claude-haiku-4-5", history: "large_pictures" },
  "anthropic.pdf-pages": { model: "claude-haiku-4-5", history: "long_pdf" },
  "anthropic.media-count": { model: "claude-haiku-4-5", history: "101_pictures" },
  "anthropic.image-side": { model: "claude-haiku-4-5", history: "wide_picture" },
  "anthropic.many-images-side": { model: "claude-haiku-4-5", history: "wide_pictures" },
  "openai.function-name-length": { model: "gpt-4.1", tools: 1, toolName: "a".repeat(74) },
  "openai.text-length": { model: "gpt-4.1", history: "long_text" },
  "openai.image-count": { model: "gpt-4o-mini", history: "501_pictures" },
  "google.candidates": { model: "gemini-3.5-flash", more: { chat: { n: 2 } } },
  "mistral.effort": { model: "mistral-medium-3.5", effort: "low" },
};
