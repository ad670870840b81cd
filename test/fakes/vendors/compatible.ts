/** Rules of vendors that have OpenAI's chat completions. */
import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import {
  has,
  list,
  member,
  misnamed,
  notOfLetters,
  OF_LETTERS,
  type Refusal,
  rulesOf,
  type VendorRequest,
} from "./rule.js";

const messagesOf = (body: JsonObject): readonly JsonObject[] => list(body.messages);
const callsOf = (body: JsonObject): readonly JsonObject[] =>
  messagesOf(body).flatMap((message) => list(message.tool_calls));

const google = (text: string): Refusal => ({
  status: 400,
  text,
  body: [{ error: { code: 400, message: text, status: "INVALID_ARGUMENT" } }],
});

/** Fields that were reported as unknown. */
const UNKNOWN_TO_GOOGLE = ["frequency_penalty", "seed", "reasoning", "top_k"];

export const GOOGLE_RULES = rulesOf("google", {
  "unknown-field": {
    refused: "fields that it does not know, such as `frequency_penalty` and `seed`",
    reported: "https://github.com/SuzumiyaAkizuki/ComfyUI-NewBie-LLM-Formatter/issues/3 (2026-01-10)",
    check: ({ body }) => {
      const unknown = UNKNOWN_TO_GOOGLE.filter((field) => has(body, field));
      if (unknown.length === 0) return null;
      return google(
        unknown
          .map((name) => `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`)
          .join("\n"),
      );
    },
  },
  "thought-signature": {
    refused: "a function call without its thought signature on Gemini 3",
    reported: "https://github.com/TokenRhythm/opensquilla/issues/225 (2026-06-08)",
    check: ({ model, body }) => {
      // Of parallel calls the first is signed.
      const unsigned = messagesOf(body)
        .flatMap((message) => list(message.tool_calls).slice(0, 1))
        .find(({ extra_content: extra }) => !member(member(extra, "google"), "thought_signature"));
      if (!/gemini-[3-9]/.test(model) || unsigned === undefined) return null;
      return google(
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${member(unsigned.function, "name")}\` , position 2. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
      );
    },
  },
  "responses-of-calls": {
    refused: "another number of outputs than of calls",
    reported: "https://github.com/google-gemini/gemini-cli/issues/16543 (2026-01-13)",
    check: ({ body }) => {
      const all = messagesOf(body);
      const unequal = all.some(({ tool_calls: calls }, at) => {
        const next = all.slice(at + 1);
        const end = next.findIndex(({ role }) => role !== "tool");
        return list(calls).length > 0 && list(calls).length !== (end < 0 ? next.length : end);
      });
      if (!unequal) return null;
      return google(
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      );
    },
  },
  "no-thinking": {
    refused: "the effort `none` on Gemini 2.5 Pro",
    reported: "https://github.com/vercel/ai/issues/8027 (2025-08-13)",
    when: ({ model, body }) => model.includes("2.5-pro") && body.reasoning_effort === "none",
    says: google("Budget 0 is invalid. This model only works in thinking mode."),
  },
  "format-with-functions": {
    refused: "a JSON format beside functions, before Gemini 3",
    reported: "https://github.com/Simpleyyt/ai-manus/issues/101 (2025-09-09)",
    when: ({ model, body }) =>
      /gemini-[12]/.test(model) &&
      list(body.tools).length > 0 &&
      ["json_object", "json_schema"].includes(String(member(body.response_format, "type"))),
    says: google("Function calling with a response mime type: 'application/json' is unsupported"),
  },
  "schema-words": {
    refused: "words of JSON Schema in functions that it does not know",
    reported: "https://github.com/zed-industries/zed/issues/45552 (2025-12-23)",
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
  "function-name": {
    refused: "names of functions that begin with a digit, or have a space",
    reported: "https://github.com/wonderwhy-er/DesktopCommanderMCP/issues/79 (2025-07-06)",
    check: ({ body }) => {
      const at = misnamed(body, /^[a-zA-Z_][\w.-]{0,63}$/);
      if (at < 0) return null;
      return google(
        `The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations[${at}].name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores, dots and dashes, with a maximum length of 64.`,
      );
    },
  },
  candidates: {
    refused: "several answers on Gemini 3",
    reported: "https://github.com/googleapis/js-genai/issues/1609 (2026-05-18)",
    when: ({ model, body }) => /gemini-[3-9]/.test(model) && Number(body.n ?? 1) > 1,
    says: google("Multiple candidates is not enabled for this model"),
  },
});

const mistral = (text: string, { type = "invalid_request_error", code = null as string | null } = {}) => ({
  status: 400,
  text,
  body: { object: "error", message: text, type, param: null, code },
});

function forbidden(loc: readonly (string | number)[]): Refusal {
  const text = "Extra inputs are not permitted";
  const detail = [{ type: "extra_forbidden", loc: ["body", ...loc], msg: text }];
  const type = "invalid_request_error";
  return { status: 422, text, body: { object: "error", message: { detail }, type, param: null, code: null } };
}

/** Fields of OpenAI's that were reported as extra ones. */
const EXTRA_TO_MISTRAL = ["max_completion_tokens", "stream_options", "store"];

export const MISTRAL_RULES = rulesOf("mistral", {
  "extra-field": {
    refused: "fields that its schema does not name, such as `max_completion_tokens`",
    reported: "https://github.com/editor-code-assistant/eca/issues/315 (2026-02-18)",
    check: ({ body }) => {
      const extra = EXTRA_TO_MISTRAL.find((field) => has(body, field));
      return extra !== undefined && forbidden([extra]);
    },
  },
  "reasoning-content": {
    refused: "`reasoning_content` in messages",
    reported: "https://github.com/charmbracelet/crush/issues/1590 (2025-12-10)",
    check: ({ body }) => {
      const index = messagesOf(body).findIndex((message) => "reasoning_content" in message);
      return index >= 0 && forbidden(["messages", index, "assistant", "reasoning_content"]);
    },
  },
  "call-id": {
    refused: "ids of calls that are not nine letters and digits",
    reported: "https://github.com/avante-corp/avante.nvim/pull/2951 (2026-02-03)",
    check: ({ body }) => {
      const ids = [...callsOf(body).map(({ id }) => id), ...messagesOf(body).map((m) => m.tool_call_id)];
      const wrong = ids.find((id) => typeof id === "string" && !/^[a-zA-Z0-9]{9}$/.test(id));
      if (wrong === undefined) return null;
      return mistral(`Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`);
    },
  },
  order: {
    refused: "a user's message right after a tool's output",
    reported: "https://github.com/datapizza-labs/datapizza-ai/issues/98 (2025-12-04)",
    check: ({ body }) =>
      messagesOf(body).some(
        ({ role }, index, all) => role === "user" && index > 0 && all[index - 1]?.role === "tool",
      ) &&
      mistral("Unexpected role 'user' after role 'tool'", {
        type: "invalid_request_message_order",
        code: "3230",
      }),
  },
  "last-role": {
    refused: "an assistant's message as last one without `prefix`",
    reported: "https://github.com/0xPlaygrounds/rig/pull/1130 (2025-12-08)",
    check: ({ body }) => {
      const last = messagesOf(body).at(-1);
      if (last?.role !== "assistant" || last.prefix === true) return null;
      return mistral(
        "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
      );
    },
  },
  "empty-answer": {
    refused: "an assistant's message with neither content nor calls",
    reported: "https://github.com/solbrowse/extension/issues/16 (2025-06-30)",
    check: ({ body }) =>
      messagesOf(body).some(
        ({ role, content, tool_calls: calls }) =>
          role === "assistant" && list(calls).length === 0 && (content ?? "") === "",
      ) && mistral("Assistant message must have either content or tool_calls, but not none."),
  },
  effort: {
    refused: "efforts other than `none` and `high` (the text is a guess)",
    reported: "https://github.com/osaurus-ai/osaurus/pull/1847 (2026-07-04)",
    check: ({ body: { reasoning_effort: effort } }) =>
      typeof effort === "string" &&
      !["none", "high"].includes(effort) &&
      mistral("reasoning_effort: Input should be 'none' or 'high'"),
  },
});

const deepseek = (text: string): Refusal => ({
  status: 400,
  text,
  body: {
    error: { message: text, type: "invalid_request_error", param: null, code: "invalid_request_error" },
  },
});

/** V4 thinks unless told otherwise. api-docs.deepseek.com/guides/thinking_mode */
const deepseekThinks = ({ model, body }: VendorRequest): boolean =>
  model.includes("v4") && member(body.thinking, "type") !== "disabled";

export const DEEPSEEK_RULES = rulesOf("deepseek", {
  "reasoning-content": {
    refused: "a call without the `reasoning_content` that came before it, in thinking mode",
    reported: "https://github.com/mnfst/modelparams.dev/issues/29 (2026-05-25)",
    when: (request) => deepseekThinks(request),
    says: (request) =>
      messagesOf(request.body).some(
        (message) => list(message.tool_calls).length > 0 && !("reasoning_content" in message),
      ) && deepseek("The `reasoning_content` in the thinking mode must be passed back to the API."),
  },
  "forced-tool": {
    refused: "a forced tool in thinking mode",
    reported: "https://github.com/deepseek-ai/DeepSeek-V3/issues/1376 (2026-08-21)",
    when: (request) =>
      deepseekThinks(request) &&
      has(request.body, "tool_choice") &&
      !["auto", "none"].includes(String(request.body.tool_choice)),
    says: deepseek("Thinking mode does not support this tool_choice"),
  },
  schema: {
    refused: "a JSON schema as `response_format`",
    reported: "https://github.com/UKGovernmentBEIS/inspect_ai/issues/4916 (2026-08-17)",
    when: ({ body }) => member(body.response_format, "type") === "json_schema",
    says: deepseek("This response_format type is unavailable now"),
  },
  developer: {
    refused: "the role `developer`",
    reported: "https://github.com/theopenco/llmgateway/pull/3462 (2026-08-07)",
    check: ({ body }) => {
      const at = messagesOf(body).findIndex(({ role }) => role === "developer");
      if (at < 0) return null;
      return deepseek(
        `Failed to deserialize the JSON body into the target type: messages[${at}].role: unknown variant \`developer\`, expected one of \`system\`, \`USER\`, \`assistant\`, \`tool\`, \`latest_reminder\` at line 1 column 58`,
      );
    },
  },
  image: {
    refused: "an image",
    reported: "https://github.com/1jehuang/jcode/issues/310 (2026-06-02)",
    check: ({ body }) => {
      const at = messagesOf(body).findIndex(({ content }) =>
        list(content).some(({ type }) => type === "image_url"),
      );
      if (at < 0) return null;
      return deepseek(
        `Failed to deserialize the JSON body into the target type: messages[${at}]: unknown variant \`image_url\`, expected \`text\` at line 1 column 114708`,
      );
    },
  },
  "function-name": {
    refused: "names of functions with other characters than letters, digits, `_` and `-`",
    reported: "https://github.com/nikkigallery/Whimbox/issues/61 (2026-05-04)",
    check: ({ body }) => {
      const at = misnamed(body, OF_LETTERS);
      return at >= 0 && deepseek(notOfLetters(`tools[${at}].function.name`));
    },
  },
});

const xai = (text: string): Refusal => ({
  status: 400,
  text,
  body: { code: "Client specified an invalid argument", error: text },
});

const TAKES_EFFORT = /grok-(?:3-mini|4\.20-multi-agent|4\.[3-9](?!\d))/;

export const XAI_RULES = rulesOf("x-ai", {
  effort: {
    refused: "an effort on models without one, such as Grok 4.20 (non-reasoning)",
    reported: "https://github.com/neavo/LinguaGacha/issues/771 (2026-08-16)",
    when: ({ model, body }) =>
      !TAKES_EFFORT.test(model) && (has(body, "reasoning_effort") || has(body, "reasoning")),
    says: ({ model }) => xai(`Model ${model} does not support parameter reasoningEffort.`),
  },
  penalty: {
    refused: "`presence_penalty`, even 0",
    reported: "https://github.com/miaoxworld/NativeTavern/issues/83 (2026-09-15)",
    check: ({ model, body }) =>
      has(body, "presence_penalty") && xai(`Model ${model} does not support parameter presencePenalty.`),
  },
  stop: {
    refused: "`stop` on reasoning models, which Claude Code sends",
    reported: "https://github.com/lidge-jun/opencodex/issues/5278 (2026-09-20)",
    check: ({ model, body }) =>
      /grok-(?:3-mini|4)/.test(model) &&
      !model.includes("non-reasoning") &&
      has(body, "stop") && {
        status: 400,
        text: `Model ${model} does not support parameter stop.`,
        body: { code: "invalid-argument", error: `Model ${model} does not support parameter stop.` },
      },
  },
});
