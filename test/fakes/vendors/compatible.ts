/** Rules of vendors that have OpenAI's chat completions. */
import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import { has, list, member, type Refusal, type VendorRequest, type VendorRule } from "./rule.js";

const user = { role: "user", content: "Hello" };
const call = { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } };
const called = { role: "assistant", content: null, tool_calls: [call] };
const output = { role: "tool", tool_call_id: "call_1", content: "3 °C" };
const tools = [
  { type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } },
];

const chat = (model: string, fields: JsonObject): VendorRequest => ({
  ...{ api: "chat", model, body: { model, messages: [user], ...fields } },
});

const messagesOf = (body: JsonObject): readonly JsonObject[] => list(body.messages);
const callsOf = (body: JsonObject): readonly JsonObject[] =>
  messagesOf(body).flatMap((message) => list(message.tool_calls));

const google = (text: string): Refusal => ({
  ...{ status: 400, text, body: [{ error: { code: 400, message: text, status: "INVALID_ARGUMENT" } }] },
});

/** Fields that were reported as unknown. */
const UNKNOWN_TO_GOOGLE = ["frequency_penalty", "seed", "reasoning", "top_k"];

export const GOOGLE_RULES: readonly VendorRule[] = [
  {
    ...{ id: "google.unknown-field", vendor: "google" },
    refused: "fields that it does not know, such as `frequency_penalty` and `seed`",
    ...{ source: "https://github.com/SuzumiyaAkizuki/ComfyUI-NewBie-LLM-Formatter/issues/3" },
    seen: "2026-01-10",
    example: chat("gemini-2.5-flash", { frequency_penalty: 0.5 }),
    check: ({ body }) => {
      const unknown = UNKNOWN_TO_GOOGLE.filter((field) => has(body, field));
      return unknown.length === 0
        ? null
        : google(
            unknown
              .map((name) => `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`)
              .join("\n"),
          );
    },
  },
  {
    ...{ id: "google.thought-signature", vendor: "google" },
    refused: "a function call without its thought signature on Gemini 3",
    ...{ source: "https://github.com/TokenRhythm/opensquilla/issues/225", seen: "2026-06-08" },
    example: chat("gemini-3.5-flash", { messages: [user, called, output], tools }),
    check: ({ model, body }) => {
      // Of parallel calls the first is signed.
      const unsigned = messagesOf(body)
        .flatMap((message) => list(message.tool_calls).slice(0, 1))
        .find(({ extra_content: extra }) => !member(member(extra, "google"), "thought_signature"));
      return /gemini-[3-9]/.test(model) && unsigned !== undefined
        ? google(
            `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${member(unsigned.function, "name")}\` , position 2. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
          )
        : null;
    },
  },
  {
    ...{ id: "google.responses-of-calls", vendor: "google" },
    refused: "another number of outputs than of calls",
    ...{ source: "https://github.com/google-gemini/gemini-cli/issues/16543", seen: "2026-01-13" },
    example: chat("gemini-2.5-flash", { messages: [user, called, user], tools }),
    check: ({ body }) => {
      const all = messagesOf(body);
      const unequal = all.some(({ tool_calls: calls }, at) => {
        const next = all.slice(at + 1);
        const end = next.findIndex(({ role }) => role !== "tool");
        return list(calls).length > 0 && list(calls).length !== (end < 0 ? next.length : end);
      });
      return unequal
        ? google(
            "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
          )
        : null;
    },
  },
  {
    ...{ id: "google.no-thinking", vendor: "google" },
    refused: "the effort `none` on Gemini 2.5 Pro",
    ...{ source: "https://github.com/vercel/ai/issues/8027", seen: "2025-08-13" },
    example: chat("gemini-2.5-pro", { reasoning_effort: "none" }),
    check: ({ model, body }) =>
      model.includes("2.5-pro") && body.reasoning_effort === "none"
        ? google("Budget 0 is invalid. This model only works in thinking mode.")
        : null,
  },
  {
    ...{ id: "google.format-with-functions", vendor: "google" },
    refused: "a JSON format beside functions, before Gemini 3",
    ...{ source: "https://github.com/Simpleyyt/ai-manus/issues/101", seen: "2025-09-09" },
    example: chat("gemini-2.5-flash", { tools, response_format: { type: "json_object" } }),
    check: ({ model, body }) =>
      /gemini-[12]/.test(model) &&
      list(body.tools).length > 0 &&
      ["json_object", "json_schema"].includes(String(member(body.response_format, "type")))
        ? google("Function calling with a response mime type: 'application/json' is unsupported")
        : null,
  },
  {
    ...{ id: "google.schema-words", vendor: "google" },
    refused: "words of JSON Schema in functions that it does not know",
    ...{ source: "https://github.com/zed-industries/zed/issues/45552", seen: "2025-12-23" },
    example: chat("gemini-2.5-flash", {
      tools: [
        {
          type: "function",
          function: { name: "weather", parameters: { type: "object", properties: { a: { const: 1 } } } },
        },
      ],
    }),
    check: ({ body }) => {
      const at = list(body.tools).findIndex(({ function: named }) =>
        /"(?:const|\$schema|exclusiveMinimum)":/.test(JSON.stringify(member(named, "parameters")) ?? ""),
      );
      if (at < 0) return null;
      const text = JSON.stringify(list(body.tools)[at]);
      const words = ["const", "$schema", "exclusiveMinimum"].filter((word) => text.includes(`"${word}":`));
      return google(
        words
          .map(
            (word) =>
              `Invalid JSON payload received. Unknown name "${word}" at 'tools[0].function_declarations[${at}].parameters': Cannot find field.`,
          )
          .join("\n"),
      );
    },
  },
  {
    ...{ id: "google.function-name", vendor: "google" },
    refused: "names of functions that begin with a digit, or have a space",
    ...{ source: "https://github.com/wonderwhy-er/DesktopCommanderMCP/issues/79", seen: "2025-07-06" },
    example: chat("gemini-2.5-flash", {
      tools: [{ type: "function", function: { name: "city weather", parameters: {} } }],
    }),
    check: ({ body }) => {
      const at = list(body.tools).findIndex(
        ({ function: named }) => !/^[a-zA-Z_][\w.-]{0,63}$/.test(String(member(named, "name"))),
      );
      return at < 0
        ? null
        : google(
            `The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations[${at}].name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores, dots and dashes, with a maximum length of 64.`,
          );
    },
  },
  {
    ...{ id: "google.candidates", vendor: "google" },
    refused: "several answers on Gemini 3",
    ...{ source: "https://github.com/googleapis/js-genai/issues/1609", seen: "2026-05-18" },
    example: chat("gemini-3.5-flash", { n: 2 }),
    check: ({ model, body }) =>
      /gemini-[3-9]/.test(model) && Number(body.n ?? 1) > 1
        ? google("Multiple candidates is not enabled for this model")
        : null,
  },
];

const mistral = (text: string, { type = "invalid_request_error", code = null as string | null } = {}) => ({
  ...{ status: 400, text, body: { object: "error", message: text, type, param: null, code } },
});

function forbidden(loc: readonly (string | number)[]): Refusal {
  const text = "Extra inputs are not permitted";
  const detail = [{ type: "extra_forbidden", loc: ["body", ...loc], msg: text }];
  const type = "invalid_request_error";
  return {
    ...{ status: 422, text },
    body: { object: "error", message: { detail }, type, param: null, code: null },
  };
}

/** Fields of OpenAI's that were reported as extra ones. */
const EXTRA_TO_MISTRAL = ["max_completion_tokens", "stream_options", "store"];

export const MISTRAL_RULES: readonly VendorRule[] = [
  {
    ...{ id: "mistral.extra-field", vendor: "mistral" },
    refused: "fields that its schema does not name, such as `max_completion_tokens`",
    ...{ source: "https://github.com/editor-code-assistant/eca/issues/315", seen: "2026-02-18" },
    example: chat("mistral-medium-3.5", { max_completion_tokens: 500 }),
    check: ({ body }) => {
      const extra = EXTRA_TO_MISTRAL.find((field) => has(body, field));
      return extra === undefined ? null : forbidden([extra]);
    },
  },
  {
    ...{ id: "mistral.reasoning-content", vendor: "mistral" },
    refused: "`reasoning_content` in messages",
    ...{ source: "https://github.com/charmbracelet/crush/issues/1590", seen: "2025-12-10" },
    example: chat("mistral-medium-3.5", {
      messages: [user, { role: "assistant", content: "Hello", reasoning_content: "Hm." }, user],
    }),
    check: ({ body }) => {
      const index = messagesOf(body).findIndex((message) => "reasoning_content" in message);
      return index < 0 ? null : forbidden(["messages", index, "assistant", "reasoning_content"]);
    },
  },
  {
    ...{ id: "mistral.call-id", vendor: "mistral" },
    refused: "ids of calls that are not nine letters and digits",
    ...{ source: "https://github.com/avante-corp/avante.nvim/pull/2951", seen: "2026-02-03" },
    example: chat("mistral-medium-3.5", { messages: [user, called, output], tools }),
    check: ({ body }) => {
      const ids = [...callsOf(body).map(({ id }) => id), ...messagesOf(body).map((m) => m.tool_call_id)];
      const wrong = ids.find((id) => typeof id === "string" && !/^[a-zA-Z0-9]{9}$/.test(id));
      return wrong === undefined
        ? null
        : mistral(`Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`);
    },
  },
  {
    ...{ id: "mistral.order", vendor: "mistral" },
    refused: "a user's message right after a tool's output",
    ...{ source: "https://github.com/datapizza-labs/datapizza-ai/issues/98", seen: "2025-12-04" },
    example: chat("mistral-medium-3.5", {
      tools,
      messages: [
        user,
        { ...called, tool_calls: [{ ...call, id: "abcdefghi" }] },
        { ...output, tool_call_id: "abcdefghi" },
        user,
      ],
    }),
    check: ({ body }) =>
      messagesOf(body).some(
        ({ role }, index, all) => role === "user" && index > 0 && all[index - 1]?.role === "tool",
      )
        ? mistral("Unexpected role 'user' after role 'tool'", {
            ...{ type: "invalid_request_message_order", code: "3230" },
          })
        : null,
  },
  {
    ...{ id: "mistral.last-role", vendor: "mistral" },
    refused: "an assistant's message as last one without `prefix`",
    ...{ source: "https://github.com/0xPlaygrounds/rig/pull/1130", seen: "2025-12-08" },
    example: chat("mistral-medium-3.5", { messages: [user, { role: "assistant", content: "{" }] }),
    check: ({ body }) => {
      const last = messagesOf(body).at(-1);
      return last?.role === "assistant" && last.prefix !== true
        ? mistral(
            "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
          )
        : null;
    },
  },
  {
    ...{ id: "mistral.empty-answer", vendor: "mistral" },
    refused: "an assistant's message with neither content nor calls",
    ...{ source: "https://github.com/solbrowse/extension/issues/16", seen: "2025-06-30" },
    example: chat("mistral-medium-3.5", { messages: [user, { role: "assistant", content: "" }, user] }),
    check: ({ body }) =>
      messagesOf(body).some(
        ({ role, content, tool_calls: calls }) =>
          role === "assistant" && list(calls).length === 0 && (content ?? "") === "",
      )
        ? mistral("Assistant message must have either content or tool_calls, but not none.")
        : null,
  },
  {
    ...{ id: "mistral.effort", vendor: "mistral" },
    refused: "efforts other than `none` and `high` (the text is a guess)",
    ...{ source: "https://github.com/osaurus-ai/osaurus/pull/1847", seen: "2026-07-04" },
    example: chat("mistral-medium-3.5", { reasoning_effort: "low" }),
    check: ({ body: { reasoning_effort: effort } }) =>
      typeof effort === "string" && !["none", "high"].includes(effort)
        ? mistral("reasoning_effort: Input should be 'none' or 'high'")
        : null,
  },
];

const deepseek = (text: string): Refusal => ({
  ...{ status: 400, text },
  body: {
    error: { message: text, type: "invalid_request_error", param: null, code: "invalid_request_error" },
  },
});

/** V4 thinks unless told otherwise. api-docs.deepseek.com/guides/thinking_mode */
const deepseekThinks = ({ model, body }: VendorRequest): boolean =>
  model.includes("v4") && member(body.thinking, "type") !== "disabled";

export const DEEPSEEK_RULES: readonly VendorRule[] = [
  {
    ...{ id: "deepseek.reasoning-content", vendor: "deepseek" },
    refused: "a call without the `reasoning_content` that came before it, in thinking mode",
    ...{ source: "https://github.com/mnfst/modelparams.dev/issues/29", seen: "2026-05-25" },
    example: chat("deepseek-v4-flash", { messages: [user, called, output], tools }),
    check: (request) =>
      deepseekThinks(request) &&
      messagesOf(request.body).some(
        (message) => list(message.tool_calls).length > 0 && !("reasoning_content" in message),
      )
        ? deepseek("The `reasoning_content` in the thinking mode must be passed back to the API.")
        : null,
  },
  {
    ...{ id: "deepseek.forced-tool", vendor: "deepseek" },
    refused: "a forced tool in thinking mode",
    ...{ source: "https://github.com/deepseek-ai/DeepSeek-V3/issues/1376", seen: "2026-08-21" },
    example: chat("deepseek-v4-flash", { tools, tool_choice: "required" }),
    check: (request) =>
      deepseekThinks(request) &&
      has(request.body, "tool_choice") &&
      !["auto", "none"].includes(String(request.body.tool_choice))
        ? deepseek("Thinking mode does not support this tool_choice")
        : null,
  },
  {
    ...{ id: "deepseek.schema", vendor: "deepseek" },
    refused: "a JSON schema as `response_format`",
    ...{ source: "https://github.com/UKGovernmentBEIS/inspect_ai/issues/4916", seen: "2026-08-17" },
    example: chat("deepseek-v4-flash", { response_format: { type: "json_schema", json_schema: {} } }),
    check: ({ body }) =>
      member(body.response_format, "type") === "json_schema"
        ? deepseek("This response_format type is unavailable now")
        : null,
  },
  {
    ...{ id: "deepseek.developer", vendor: "deepseek" },
    refused: "the role `developer`",
    ...{ source: "https://github.com/theopenco/llmgateway/pull/3462", seen: "2026-08-07" },
    example: chat("deepseek-v4-flash", { messages: [{ role: "developer", content: "Be brief." }, user] }),
    check: ({ body }) => {
      const at = messagesOf(body).findIndex(({ role }) => role === "developer");
      return at < 0
        ? null
        : deepseek(
            `Failed to deserialize the JSON body into the target type: messages[${at}].role: unknown variant \`developer\`, expected one of \`system\`, \`user\`, \`assistant\`, \`tool\`, \`latest_reminder\` at line 1 column 58`,
          );
    },
  },
  {
    ...{ id: "deepseek.image", vendor: "deepseek" },
    refused: "an image",
    ...{ source: "https://github.com/1jehuang/jcode/issues/310", seen: "2026-06-02" },
    example: chat("deepseek-v4-flash", {
      messages: [
        { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,A" } }] },
      ],
    }),
    check: ({ body }) => {
      const at = messagesOf(body).findIndex(({ content }) =>
        list(content).some(({ type }) => type === "image_url"),
      );
      return at < 0
        ? null
        : deepseek(
            `Failed to deserialize the JSON body into the target type: messages[${at}]: unknown variant \`image_url\`, expected \`text\` at line 1 column 114708`,
          );
    },
  },
  {
    ...{ id: "deepseek.function-name", vendor: "deepseek" },
    refused: "names of functions with other characters than letters, digits, `_` and `-`",
    ...{ source: "https://github.com/nikkigallery/Whimbox/issues/61", seen: "2026-05-04" },
    example: chat("deepseek-v4-flash", {
      tools: [{ type: "function", function: { name: "city.weather", parameters: {} } }],
    }),
    check: ({ body }) => {
      const at = list(body.tools).findIndex(
        ({ function: named }) => !/^[a-zA-Z0-9_-]+$/.test(String(member(named, "name"))),
      );
      return at < 0
        ? null
        : deepseek(
            `Invalid 'tools[${at}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
          );
    },
  },
];

const xai = (text: string): Refusal => ({
  ...{ status: 400, text, body: { code: "Client specified an invalid argument", error: text } },
});

const TAKES_EFFORT = /grok-(?:3-mini|4\.20-multi-agent|4\.[3-9](?!\d))/;

export const XAI_RULES: readonly VendorRule[] = [
  {
    ...{ id: "x-ai.effort", vendor: "x-ai" },
    refused: "an effort on models without one, such as Grok 4.20 (non-reasoning)",
    ...{ source: "https://github.com/neavo/LinguaGacha/issues/771", seen: "2026-08-16" },
    example: chat("grok-4.20-0309-non-reasoning", { reasoning_effort: "low" }),
    check: ({ model, body }) =>
      !TAKES_EFFORT.test(model) && (has(body, "reasoning_effort") || has(body, "reasoning"))
        ? xai(`Model ${model} does not support parameter reasoningEffort.`)
        : null,
  },
  {
    ...{ id: "x-ai.penalty", vendor: "x-ai" },
    refused: "`presence_penalty`, even 0",
    ...{ source: "https://github.com/miaoxworld/NativeTavern/issues/83", seen: "2026-09-15" },
    example: chat("grok-4.6", { presence_penalty: 0 }),
    check: ({ model, body }) =>
      has(body, "presence_penalty")
        ? xai(`Model ${model} does not support parameter presencePenalty.`)
        : null,
  },
  {
    ...{ id: "x-ai.stop", vendor: "x-ai" },
    refused: "`stop` on reasoning models, which Claude Code sends",
    ...{ source: "https://github.com/lidge-jun/opencodex/issues/5278", seen: "2026-09-20" },
    example: chat("grok-4.6", { stop: ["END"] }),
    check: ({ model, body }) =>
      /grok-(?:3-mini|4)/.test(model) && !model.includes("non-reasoning") && has(body, "stop")
        ? {
            ...{ status: 400, text: `Model ${model} does not support parameter stop.` },
            body: { code: "invalid-argument", error: `Model ${model} does not support parameter stop.` },
          }
        : null,
  },
];
