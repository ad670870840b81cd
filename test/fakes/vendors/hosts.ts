/** Rules of those who serve other makers' models by OpenAI's chat completions. */
import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import { has, list, member, misnamed, notOfLetters, OF_LETTERS, type Refusal, rulesOf } from "./rule.js";

const imagesIn = (body: JsonObject): readonly JsonObject[] =>
  list(body.messages)
    .flatMap(({ content }) => list(content))
    .filter(({ type }) => type === "image_url");
const effortOf = (body: JsonObject): unknown => body.reasoning_effort ?? member(body.reasoning, "effort");
const isOff = (body: JsonObject): boolean =>
  effortOf(body) === "none" || member(body.reasoning, "enabled") === false;

// OpenRouter

const openrouter = (text: string, { status = 404, metadata = undefined as unknown } = {}): Refusal => ({
  status,
  text,
  body: { error: { message: text, code: status, ...(metadata === undefined ? {} : { metadata }) } },
});
const ROUTING_PAGE =
  "To learn more about provider routing, visit: https://openrouter.ai/docs/guides/routing/provider-selection";
const AFFORDED = 27_342;

export const OPENROUTER_RULES = rulesOf("openrouter", {
  only: {
    refused: "`provider.only` without a host that serves the model",
    reported: "https://github.com/agent0ai/agent-zero/issues/1255 (2026-03-13)",
    check: ({ model, body }) => {
      const requested = (member(body.provider, "only") ?? []) as readonly string[];
      // What the fake serves each model by: its maker.
      const available = [model.slice(0, model.indexOf("/"))];
      return (
        requested.length > 0 &&
        !requested.some((host) => available.includes(host)) &&
        openrouter("No allowed providers are available for the selected model.", {
          metadata: { available_providers: available, requested_providers: requested },
        })
      );
    },
  },
  tools: {
    refused: "functions on a model that no host serves with them",
    reported: "https://github.com/bobrware/bobrchat/issues/60 (2026-02-03)",
    when: ({ model, body }) => /llama-guard|deepseek-r1:free/.test(model) && list(body.tools).length > 0,
    says: openrouter(`No endpoints found that support tool use. ${ROUTING_PAGE}`),
  },
  "tool-choice": {
    refused: "a forced tool on a model that no host serves with one",
    reported: "https://github.com/zed-industries/zed/issues/36094 (2025-08-13)",
    when: ({ model, body }) =>
      model.includes("glm-4.5-air") &&
      has(body, "tool_choice") &&
      !["auto", "none"].includes(String(body.tool_choice)),
    says: openrouter(`No endpoints found that support the provided 'tool_choice' value. ${ROUTING_PAGE}`),
  },
  image: {
    refused: "an image on a model that reads none",
    reported: "https://github.com/openclaw/openclaw/pull/99079 (2026-07-02)",
    when: ({ model, body }) => /deepseek|glm-4\.5|llama-guard/.test(model) && imagesIn(body).length > 0,
    says: openrouter("No endpoints found that support image input"),
  },
  "mandatory-reasoning": {
    refused: "no reasoning where it cannot be switched off",
    reported: "https://github.com/musistudio/claude-code-router/issues/1229 (2026-02-24)",
    when: ({ model, body }) => /step-3\.5|minimax-m2/.test(model) && isOff(body),
    says: openrouter("Reasoning is mandatory for this endpoint and cannot be disabled.", {
      status: 400,
      metadata: { provider_name: null },
    }),
  },
  "reasoning-content": {
    refused: "a call without the `reasoning_content` that came before it, on Kimi",
    reported: "https://github.com/earendil-works/pi/pull/987 (2026-01-27)",
    when: ({ model }) => model.includes("kimi-k2"),
    says: ({ body }) => {
      const at = list(body.messages).findIndex(
        (message) => list(message.tool_calls).length > 0 && !has(message, "reasoning_content"),
      );
      const text = `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`;
      const raw = JSON.stringify({ error: { message: text, type: "invalid_request_error" } });
      const metadata = { raw, provider_name: "Moonshot AI" };
      return (
        at >= 0 && {
          status: 400,
          text,
          body: { error: { message: "Provider returned error", code: 400, metadata } },
        }
      );
    },
  },
  credits: {
    refused: "more `max_tokens` than the account can pay for",
    reported: "https://github.com/Gitlawb/openclaude/issues/1125 (2026-05-12)",
    when: ({ body }) => Number(body.max_tokens ?? body.max_completion_tokens ?? 0) > AFFORDED,
    says: ({ body }) =>
      openrouter(
        `This request requires more credits, or fewer max_tokens. You requested up to ${body.max_tokens ?? body.max_completion_tokens} tokens, but can only afford ${AFFORDED}. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account`,
        { status: 402, metadata: { provider_name: null } },
      ),
  },
  "function-name": {
    refused: "what the host behind it refuses, such as a dot in a function's name at OpenAI",
    reported: "https://github.com/xinnan-tech/xiaozhi-esp32-server/issues/1466 (2025-06-04)",
    check: ({ model, body }) => {
      const at = misnamed(body, OF_LETTERS);
      if (!model.startsWith("openai/") || at < 0) return null;
      const param = `tools[${at}].function.name`;
      const text = notOfLetters(param);
      const raw = JSON.stringify({
        error: { message: text, type: "invalid_request_error", param, code: "invalid_value" },
      });
      const metadata = { raw, provider_name: "OpenAI" };
      return {
        status: 400,
        text,
        body: { error: { message: "Provider returned error", code: 400, metadata }, user_id: "user_1" },
      };
    },
  },
});

// Ollama

const ollama = (text: string, type = "api_error"): Refusal => ({
  status: 400,
  text,
  body: { error: { message: text, type, param: null, code: null } },
});
/** Families without a template for calls, without eyes, and without thinking. */
const TOOLLESS = /^(?:gemma3|llama3(?!\.)|deepseek-r1)/;
const BLIND = /^(?:glm|llama3|qwen3(?!-vl)|deepseek)/;

export const OLLAMA_RULES = rulesOf("ollama", {
  tools: {
    refused: "functions on models without a template for them",
    reported: "https://github.com/louisho5/picobot/issues/6 (2026-02-12)",
    when: ({ model, body }) => TOOLLESS.test(model) && list(body.tools).length > 0,
    says: ({ model }) => ollama(`registry.ollama.ai/library/${model} does not support tools`),
  },
  effort: {
    refused: "efforts on models that know none",
    reported: "https://github.com/ollama/ollama/issues/12561 (2025-10-10)",
    check: ({ model, body }) => {
      const effort = effortOf(body);
      if (model.startsWith("gpt-oss") || typeof effort !== "string" || effort === "none") return null;
      return ollama(`think value "${effort}" is not supported for this model`);
    },
  },
  "image-address": {
    refused: "an image by its address",
    reported: "https://github.com/ollama/ollama/issues/6753 (2024-09-11)",
    when: ({ body }) =>
      imagesIn(body).some(({ image_url: image }) => !String(member(image, "url")).startsWith("data:")),
    says: ollama("invalid image input", "invalid_request_error"),
  },
  image: {
    refused: "an image on a model that reads none",
    reported: "https://github.com/ollama/ollama/issues/17301 (2026-07-22)",
    check: ({ model, body }) =>
      BLIND.test(model) && imagesIn(body).length > 0 && ollama("this model does not support image input"),
  },
});

// vLLM

const vllm = (text: string): Refusal => ({
  status: 400,
  text,
  body: { error: { message: text, type: "BadRequestError", param: null, code: 400 } },
});
/** What the fake was started with: `--max-model-len`, and tools for all but this one. */
const CONTEXT = 8192;
const WITHOUT_PARSER = /gemma/;
/** Gemma's and Mistral's templates want turns, Qwen's from 3.5 on one system message at the beginning. */
const TAKES_TURNS = /gemma|mistral/;
const SYSTEM_FIRST = /qwen3\.[5-9]/i;

const rolesOf = (body: JsonObject): readonly unknown[] => list(body.messages).map(({ role }) => role);

function breaksTurns(roles: readonly unknown[]): boolean {
  const said = roles[0] === "system" ? roles.slice(1) : roles;
  return said.some((role, at) => role !== "tool" && role !== (at % 2 === 0 ? "user" : "assistant"));
}

/** About: four characters each. */
const tokensOf = (body: JsonObject): number => Math.ceil(JSON.stringify(body.messages).length / 4);

export const VLLM_RULES = rulesOf("vllm", {
  tools: {
    refused: "functions on a server without `--enable-auto-tool-choice`",
    reported: "https://github.com/swiss-ai/model-launch/issues/213 (2026-08-27)",
    when: ({ model, body }) =>
      WITHOUT_PARSER.test(model) && list(body.tools).length > 0 && (body.tool_choice ?? "auto") === "auto",
    says: vllm('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
  },
  context: {
    refused: "`max_tokens` above what the prompt leaves of the context",
    reported: "https://github.com/vllm-project/vllm/issues/42474 (2026-05-13)",
    check: ({ body }) => {
      const most = Number(body.max_completion_tokens ?? body.max_tokens ?? 0);
      if (tokensOf(body) + most <= CONTEXT) return null;
      return vllm(
        `This model's maximum context length is ${CONTEXT} tokens. However, you requested ${most} output tokens and your prompt contains at least ${CONTEXT - most + 1} input tokens, for a total of at least ${CONTEXT + 1} tokens.`,
      );
    },
  },
  "system-first": {
    refused: "a system message that is not the first, on Qwen from 3.5 on",
    reported: "https://github.com/vllm-project/vllm/issues/41114 (2026-04-28)",
    when: ({ model, body }) => SYSTEM_FIRST.test(model) && rolesOf(body).lastIndexOf("system") > 0,
    says: vllm("System message must be at the beginning."),
  },
  turns: {
    refused: "two messages of one role in a row, on Gemma",
    reported: "https://github.com/suitenumerique/conversations/issues/197 (2025-12-05)",
    when: ({ model, body }) => TAKES_TURNS.test(model) && breaksTurns(rolesOf(body)),
    says: vllm(
      "Conversation roles must alternate user/assistant/user/assistant/... Conversation roles must alternate user/assistant/user/assistant/...",
    ),
  },
});
