import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import {
  has,
  list,
  member,
  notOfLetters,
  OF_LETTERS,
  type Refusal,
  rulesOf,
  type VendorRequest,
} from "./rule.js";

interface Named {
  readonly status?: number;
  readonly param?: string | null;
  readonly code?: string | null;
}

function refusal(text: string, { status = 400, param = null, code = null }: Named = {}): Refusal {
  return { status, text, body: { error: { message: text, type: "invalid_request_error", param, code } } };
}

/** OpenAI's models that reason. */
export const REASONING_OPENAI = /^(?:o\d|gpt-(?:[5-9]|\d\d))(?!.*-chat)/;
const RESPONSES_ONLY = /-pro\b|codex/;

/** Efforts that a model takes; null for all. */
function effortsOf(model: string): readonly string[] | null {
  // github.com/openai/codex/issues/6647 (2025-11-14)
  if (/^gpt-5\.1-codex/.test(model)) return ["low", "medium", "high"];
  if (/^gpt-5\.1/.test(model)) return ["none", "low", "medium", "high"];
  // github.com/CherryHQ/cherry-studio/issues/11864 (2025-12-14)
  if (/^gpt-5\.[2-5]/.test(model)) return ["none", "low", "medium", "high", "xhigh"];
  // github.com/QwenLM/qwen-code/pull/11295 (2026-09-07): 5.6 takes `max` too.
  if (/^gpt-5\.[6-9]/.test(model)) return ["none", "low", "medium", "high", "xhigh", "max"];
  return null;
}

const effortOf = (body: JsonObject): unknown => body.reasoning_effort ?? member(body.reasoning, "effort");

/** Sampling is for a model that does not think: GPT-5.1 and later with the effort `none`, which is 5.1's default. */
function samples({ model, body }: VendorRequest): boolean {
  if (!REASONING_OPENAI.test(model)) return true;
  const effort = effortOf(body) ?? (/^gpt-5\.[1-4](?!\d|.*codex)/.test(model) ? "none" : "medium");
  return /^gpt-5\.[1-9]/.test(model) && effort === "none";
}

function unknownEffort({ api, model, body }: VendorRequest): Refusal | null {
  const efforts = effortsOf(model);
  const effort = effortOf(body);
  if (efforts === null || typeof effort !== "string" || efforts.includes(effort)) return null;
  const quoted = efforts.map((known) => `'${known}'`);
  const supported = `Supported values are: ${quoted.slice(0, -1).join(", ")}, and ${quoted.at(-1)}.`;
  return api === "chat"
    ? refusal(
        `Unsupported value: 'reasoning_effort' does not support '${effort}' with this model. ${supported}`,
        { param: "reasoning_effort", code: "unsupported_value" },
      )
    : refusal(`Unsupported value: '${effort}' is not supported with the '${model}' model. ${supported}`, {
        param: "reasoning.effort",
        code: "unsupported_value",
      });
}

const tooLong = (field: string, most: number, length: number): Refusal | null =>
  length <= most
    ? null
    : refusal(
        `Invalid '${field}': array too long. Expected an array with maximum length ${most}, but got an array with length ${length} instead.`,
        { param: field, code: "array_above_max_length" },
      );

/** The first tool message without its call, or call without its tool message. */
function unpaired(messages: readonly JsonObject[]): Refusal | null {
  let open: readonly unknown[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      if (!open.includes(message.tool_call_id))
        return refusal(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          { param: `messages.[${index}].role` },
        );
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) break;
    open = list(message.tool_calls).map(({ id }) => id);
  }
  return open.length === 0
    ? null
    : refusal(
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`,
        { param: "messages" },
      );
}

function unpairedItems({ body, keptOutput }: VendorRequest): Refusal | null {
  const { previous_response_id: previous } = body;
  const before = typeof previous === "string" ? keptOutput?.(previous) : [];
  // What came before is not known.
  if (before === undefined) return null;
  const items = [...before, ...list(body.input)];
  const ids = (type: string) => items.filter((item) => item.type === type).map(({ call_id: id }) => id);
  const [called, answered] = [ids("function_call"), ids("function_call_output")];
  const stray = answered.find((id) => !called.includes(id));
  if (stray !== undefined)
    return refusal(`No tool call found for function call output with call_id ${stray}.`, { param: "input" });
  const open = called.find((id) => !answered.includes(id));
  return open === undefined
    ? null
    : refusal(`No tool output found for function call ${open}.`, { param: "input" });
}

/** What is wrong with the pairs of calls and outputs, by the beginning of the API's words about one of the two. */
const unpairedFor =
  (begins: RegExp) =>
  (request: VendorRequest): Refusal | null => {
    const found = request.api === "chat" ? unpaired(list(request.body.messages)) : unpairedItems(request);
    return found !== null && begins.test(found.text) ? found : null;
  };

const unsupported = (field: string): Refusal =>
  refusal(`Unsupported parameter: '${field}' is not supported with this model.`, {
    param: field,
    code: "unsupported_parameter",
  });
const emptyArray = (param: string): Refusal =>
  refusal(
    `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    { param, code: "empty_array" },
  );

const longString = (param: string, most: number, length: number): Refusal =>
  refusal(
    `Invalid '${param}': string too long. Expected a string with maximum length ${most}, but got a string with length ${length} instead.`,
    { param, code: "string_above_max_length" },
  );
const MOST_CHARACTERS = 10_485_760;

/** Names of functions, each by its path. */
const functionNames = ({ api, body }: VendorRequest) =>
  list(body.tools).flatMap((tool, at) => {
    const name = api === "chat" ? member(tool.function, "name") : tool.name;
    const path = `tools[${at}].${api === "chat" ? "function." : ""}name`;
    return typeof name === "string" ? [[path, name] as const] : [];
  });

/** How ids of items begin. */
const ITEM_IDS: Readonly<Record<string, string>> = { message: "msg", function_call: "fc", reasoning: "rs" };
/** OpenAI's, of chat completions and Responses. */
export const OPENAI_RULES = rulesOf("openai", {
  "tools-while-reasoning": {
    refused: "functions in chat completions on GPT-5.6 without the effort `none`",
    reported: "https://github.com/BerriAI/litellm/pull/34569 (2026-07-24)",
    when: ({ api, model, body }) =>
      api === "chat" &&
      /^gpt-5\.[6-9]/.test(model) &&
      list(body.tools).length > 0 &&
      body.reasoning_effort !== "none",
    says: ({ model }) =>
      refusal(
        `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
        { param: "reasoning_effort" },
      ),
  },
  "tools-with-effort": {
    refused: "functions in chat completions on GPT-5.2, 5.4 and 5.5 with an effort",
    reported: "https://github.com/openai/openai-openapi/issues/541 (2026-05-18)",
    when: ({ api, model, body }) =>
      api === "chat" &&
      /^gpt-5\.[245]/.test(model) &&
      list(body.tools).length > 0 &&
      has(body, "reasoning_effort") &&
      body.reasoning_effort !== "none",
    says: ({ model }) =>
      refusal(
        `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. Please use /v1/responses instead.`,
        { param: "reasoning_effort" },
      ),
  },
  "responses-only": {
    refused: "models of Responses alone in chat completions",
    reported: "https://github.com/pgadmin-org/pgadmin4/issues/9795 (2026-03-27)",
    when: ({ api, model }) => api === "chat" && RESPONSES_ONLY.test(model),
    says: refusal("This model is only supported in v1/responses and not in v1/chat/completions.", {
      status: 404,
      param: "model",
    }),
  },
  "max-tokens": {
    refused: "`max_tokens` on reasoning models",
    reported: "https://github.com/anomalyco/opencode/issues/37964 (2026-07-20)",
    when: ({ api, model, body }) => api === "chat" && REASONING_OPENAI.test(model) && has(body, "max_tokens"),
    says: refusal(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { param: "max_tokens", code: "unsupported_parameter" },
    ),
  },
  temperature: {
    refused: "a `temperature` other than 1 while a model reasons, in chat completions",
    reported: "https://github.com/QwenLM/qwen-code/issues/921 (2025-10-29)",
    when: (request) =>
      request.api === "chat" &&
      !samples(request) &&
      has(request.body, "temperature") &&
      request.body.temperature !== 1,
    says: (request) =>
      refusal(
        `Unsupported value: 'temperature' does not support ${request.body.temperature} with this model. Only the default (1) value is supported.`,
        { param: "temperature", code: "unsupported_value" },
      ),
  },
  "responses-temperature": {
    refused: "`temperature` while a model reasons, in Responses",
    reported: "https://github.com/OpenHands/software-agent-sdk/issues/1837 (2026-01-27)",
    when: (request) => request.api === "responses" && !samples(request) && has(request.body, "temperature"),
    says: refusal("Unsupported parameter: 'temperature' is not supported with this model.", {
      param: "temperature",
    }),
  },
  "top-p": {
    refused: "`top_p` while a model reasons",
    reported: "https://github.com/chatboxai/chatbox/issues/2627 (2025-09-01)",
    when: (request) => !samples(request) && has(request.body, "top_p") && request.body.top_p !== 1,
    says: refusal("Unsupported parameter: 'top_p' is not supported with this model.", { param: "top_p" }),
  },
  effort: {
    refused: "efforts that the model has not, such as `minimal` on GPT-5.6",
    reported: "https://github.com/bolna-ai/bolna/pull/852 (2026-07-14)",
    check: unknownEffort,
  },
  "max-output-tokens": {
    refused: "`max_output_tokens` below 16",
    reported: "https://github.com/UKGovernmentBEIS/inspect_evals/issues/694 (2025-11-21)",
    check: ({ body: { max_output_tokens: most } }) =>
      typeof most === "number" &&
      most < 16 &&
      refusal(
        `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${most} instead.`,
        { param: "max_output_tokens", code: "integer_below_min_value" },
      ),
  },
  "tools-count": {
    refused: "more than 128 tools",
    reported: "https://github.com/zed-industries/zed/issues/42393 (2025-11-10)",
    check: ({ body }) => tooLong("tools", 128, list(body.tools).length),
  },
  "stop-count": {
    refused: "more than four `stop` sequences",
    reported: "https://github.com/continuedev/continue/issues/2461 (2024-10-04)",
    check: ({ body }) => tooLong("stop", 4, list(body.stop).length),
  },
  "tool-without-call": {
    refused: "a tool's output without its call",
    reported: "https://github.com/smarter-sh/smarter/issues/264 (2025-01-22)",
    check: unpairedFor(/^(?:Invalid parameter|No tool call)/),
  },
  "call-without-output": {
    refused: "a call without its tool's output",
    reported: "https://github.com/router-for-me/CLIProxyAPI/issues/2798 (2026-04-15)",
    check: unpairedFor(/^(?:An assistant message|No tool output)/),
  },
  "encrypted-reasoning": {
    refused: "encrypted reasoning of another host or account",
    reported: "https://github.com/Wei-Shaw/sub2api/issues/2863 (2026-05-28)",
    check: ({ api, body }) => {
      const foreign = list(body.input).find(
        ({ type, encrypted_content: content }) =>
          type === "reasoning" && typeof content === "string" && !content.startsWith("gAAA"),
      );
      if (api !== "responses" || foreign === undefined) return null;
      return refusal(
        `The encrypted content for item ${foreign.id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
        { code: "invalid_encrypted_content" },
      );
    },
  },
  unreasoning: {
    refused: "to have the reasoning of models that do not reason",
    reported: "https://github.com/pydantic/pydantic-ai/issues/2865 (2025-09-11)",
    when: ({ model, body }) =>
      !REASONING_OPENAI.test(model) && list(body.include).includes("reasoning.encrypted_content" as never),
    says: refusal("Encrypted content is not supported with this model.", { param: "include" }),
  },
  "item-not-kept": {
    refused: "items named by an id that nothing was kept under",
    reported: "https://github.com/can1357/oh-my-pi/issues/41 (2026-02-12)",
    check: ({ api, body }) => {
      const found = list(body.input).find(
        ({ type, encrypted_content: content }) =>
          type === "item_reference" || (type === "reasoning" && typeof content !== "string"),
      );
      if (api !== "responses" || found === undefined) return null;
      return refusal(
        `Item with id '${found.id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
        { status: 404, param: "input" },
      );
    },
  },
  "reasoning-alone": {
    refused: "reasoning as last item, without what followed it",
    reported: "https://github.com/continuedev/continue/issues/8933 (2025-11-28)",
    check: ({ api, body }) => {
      const last = list(body.input).at(-1);
      if (api !== "responses" || last?.type !== "reasoning") return null;
      return refusal(
        `Item '${last.id}' of type 'reasoning' was provided without its required following item.`,
        {
          param: "input",
        },
      );
    },
  },
  "previous-response": {
    refused: "to go on from a response that is not kept",
    reported: "https://github.com/maximhq/bifrost/issues/2441 (2026-03-31)",
    check: ({ body: { previous_response_id: previous }, keptOutput }) =>
      typeof previous === "string" &&
      keptOutput !== undefined &&
      keptOutput(previous) === undefined &&
      refusal(`Previous response with id '${previous}' not found.`, {
        param: "previous_response_id",
        code: "previous_response_not_found",
      }),
  },
  "item-id": {
    refused: "ids of items that another vendor made, such as `item_…`",
    reported: "https://github.com/Wei-Shaw/sub2api/issues/3981 (2026-07-10)",
    check: ({ body }) => {
      const begins = ({ type = "message" }: JsonObject): string => ITEM_IDS[String(type)] ?? "";
      const at = list(body.input).findIndex(
        (item) => typeof item.id === "string" && !item.id.startsWith(begins(item)),
      );
      const item = list(body.input)[at];
      if (item === undefined || item.type === "item_reference") return null;
      return refusal(
        `Invalid 'input[${at}].id': '${item.id}'. Expected an ID that begins with '${begins(item)}'.`,
        { param: `input[${at}].id`, code: "invalid_value" },
      );
    },
  },
  stop: {
    refused: "`stop` on reasoning models",
    reported: "https://github.com/crewAIInc/crewAI/issues/4149 (2025-12-24)",
    check: ({ api, model, body }) =>
      api === "chat" && REASONING_OPENAI.test(model) && has(body, "stop") && unsupported("stop"),
  },
  penalty: {
    refused: "penalties on reasoning models",
    reported: "https://github.com/nextai-translator/nextai-translator/issues/1781 (2025-08-08)",
    check: ({ api, model, body }) => {
      const field = ["presence_penalty", "frequency_penalty"].find((name) => has(body, name));
      return api === "chat" && REASONING_OPENAI.test(model) && field !== undefined && unsupported(field);
    },
  },
  logprobs: {
    refused: "log probabilities while a model reasons (the text is a guess)",
    reported: "https://github.com/UKGovernmentBEIS/inspect_ai/pull/2739 (2025-11-06)",
    when: (request) => request.api === "chat" && !samples(request) && request.body.logprobs === true,
    says: unsupported("logprobs"),
  },
  "function-name": {
    refused: "names of functions with other characters than letters, digits, `_` and `-`",
    reported: "https://github.com/brekkylab/ailoy/pull/109 (2025-06-09)",
    check: (request) => {
      const [param] = functionNames(request).find(([, name]) => !OF_LETTERS.test(name)) ?? [];
      return param !== undefined && refusal(notOfLetters(param), { param, code: "invalid_value" });
    },
  },
  // That descriptions have at most 1,024 characters is not among them: reported until 2025-04-25
  // (github.com/getsentry/sentry-mcp/issues/106), and gone on 2025-05-19 (github.com/run-llama/llama_index/pull/18784).
  "function-name-length": {
    refused: "names of functions longer than 64 characters (in Responses a guess)",
    reported: "https://github.com/home-assistant/core/issues/121325 (2024-07-05)",
    check: (request) => {
      const [param, name] = functionNames(request).find(([, name]) => name.length > 64) ?? [];
      return param !== undefined && longString(param, 64, String(name).length);
    },
  },
  "text-length": {
    refused: "a text above 10,485,760 characters in Responses",
    reported: "https://github.com/VectorlyApp/bluebox/issues/31 (2025-11-05)",
    check: ({ api, body }) => {
      const texts = list(body.input).flatMap(({ content }, at) =>
        typeof content === "string"
          ? [{ param: `input[${at}].content`, text: content }]
          : list(content).map(({ text }, part) => ({ param: `input[${at}].content[${part}].text`, text })),
      );
      const long = texts.find(({ text }) => typeof text === "string" && text.length > MOST_CHARACTERS);
      if (api !== "responses" || long === undefined) return null;
      return longString(long.param, MOST_CHARACTERS, String(long.text).length);
    },
  },
  "image-count": {
    refused: "more than 500 images (the text is that of an earlier limit)",
    // The text: github.com/the-open-agent/openagent/issues/829 (2024-06-08)
    reported: "https://github.com/earendil-works/pi/pull/120 (2025-12-16)",
    check: ({ body }) => {
      const images = list(body.messages ?? body.input)
        .flatMap(({ content }) => list(content))
        .filter(({ type }) => type === "image_url" || type === "input_image");
      return images.length > 500 && refusal("Too many images in request. Max is 500.");
    },
  },
  "top-alternatives": {
    refused: "a function's schema that has alternatives at its top",
    reported: "https://github.com/Dicklesworthstone/flywheel_connectors/issues/49 (2026-05-20)",
    check: ({ body }) => {
      const schemas = list(body.tools).map((tool) => member(tool.function ?? tool, "parameters"));
      const at = schemas.findIndex((schema) => ["anyOf", "oneOf"].some((word) => member(schema, word)));
      return (
        at >= 0 &&
        refusal(
          `Invalid schema for function 'tool_${at}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`,
        )
      );
    },
  },
  "call-id": {
    refused: "ids of calls longer than 40 characters in chat completions, 64 in Responses",
    reported: "https://github.com/openclaw/openclaw/pull/875 (2026-01-13)",
    check: ({ api, body }) => {
      const most = api === "chat" ? 40 : 64;
      const inChat = list(body.messages).flatMap(({ tool_calls: calls }, at) =>
        list(calls).map(({ id }, index) => [`messages[${at}].tool_calls[${index}].id`, id] as const),
      );
      const inItems = list(body.input).map(({ call_id: id }, at) => [`input[${at}].call_id`, id] as const);
      const ids = [...inChat, ...inItems];
      const [param, id] = ids.find(([, one]) => typeof one === "string" && one.length > most) ?? [];
      return param !== undefined && longString(param, most, String(id).length);
    },
  },
  "empty-calls": {
    refused: "an empty list of calls",
    reported: "https://github.com/home-assistant/core/pull/118577 (2024-05-31)",
    check: ({ body }) => {
      const at = list(body.messages).findIndex(
        ({ tool_calls: calls }) => Array.isArray(calls) && calls.length === 0,
      );
      return at >= 0 && emptyArray(`messages[${at}].tool_calls`);
    },
  },
  "empty-tools": {
    refused: "an empty list of tools in chat completions",
    reported: "https://github.com/vllm-project/vllm/pull/39780 (2026-04-14)",
    check: ({ api, body }) =>
      api === "chat" && Array.isArray(body.tools) && body.tools.length === 0 && emptyArray("tools"),
  },
  "most-tokens": {
    refused: "`max_tokens` above what the model can write",
    reported: "https://github.com/tailcallhq/forgecode/issues/1185 (2025-07-22)",
    check: ({ api, model, body }) => {
      const asked = Number(body.max_tokens ?? body.max_completion_tokens ?? 0);
      const most = model.startsWith("gpt-4o") ? 16_384 : Number.POSITIVE_INFINITY;
      if (api !== "chat" || asked <= most) return null;
      return refusal(
        `max_tokens is too large: ${asked}. This model supports at most ${most} completion tokens, whereas you provided ${asked}.`,
        { param: "max_tokens", code: "invalid_value" },
      );
    },
  },
  "strict-schema": {
    refused: "a strict schema whose objects may have other properties",
    reported: "https://github.com/agentscope-ai/agentscope-java/issues/2548 (2026-08-04)",
    check: ({ api, body }) => {
      const format =
        api === "chat" ? member(body.response_format, "json_schema") : member(body.text, "format");
      const schema = member(format, "schema");
      if (member(format, "strict") !== true || member(schema, "additionalProperties") === false) return null;
      return refusal(
        `Invalid schema for response_format '${member(format, "name")}': In context=(), 'additionalProperties' is required to be supplied and to be false.`,
        { param: api === "chat" ? "response_format" : "text.format.schema", code: "invalid_json_schema" },
      );
    },
  },
  "json-word": {
    refused: "the format `json_object` where no message says JSON",
    reported: "https://github.com/ultimatejimmy/xray.koplugin/issues/33 (2026-05-09)",
    when: ({ api, body }) =>
      api === "chat" &&
      member(body.response_format, "type") === "json_object" &&
      !/json/i.test(JSON.stringify(body.messages)),
    says: refusal(
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      { param: "messages" },
    ),
  },
  "tool-settings": {
    refused: "`tool_choice` or `parallel_tool_calls` without tools",
    reported: "https://github.com/anomalyco/opencode/pull/48857 (2026-09-13)",
    check: ({ api, body }) => {
      const field = ["tool_choice", "parallel_tool_calls"].find((name) => has(body, name));
      if (api !== "chat" || field === undefined || list(body.tools).length !== 0 || has(body, "functions"))
        return null;
      return refusal(`Invalid value for '${field}': '${field}' is only allowed when 'tools' are specified.`, {
        param: field,
      });
    },
  },
  metadata: {
    refused: "more than 16 entries of `metadata`",
    reported: "https://github.com/thiswillbeyourgithub/openwebui_custom_pipes_filters/issues/3 (2025-03-04)",
    check: ({ body }) => {
      const { length } = Object.keys((body.metadata as JsonObject | null | undefined) ?? {});
      if (length <= 16) return null;
      return refusal(
        `Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object with ${length} properties instead.`,
        { param: "metadata", code: "object_above_max_properties" },
      );
    },
  },
  "cache-key": {
    refused: "a `prompt_cache_key` longer than 64 characters",
    reported: "https://github.com/earendil-works/pi/issues/4720 (2026-05-18)",
    check: ({ body: { prompt_cache_key: key } }) =>
      typeof key === "string" && key.length > 64 && longString("prompt_cache_key", 64, key.length),
  },
  "stream-options": {
    refused: "`stream_options` without a stream",
    wholeOnly: true,
    reported: "https://github.com/BerriAI/litellm/issues/5803 (2024-09-20)",
    when: ({ api, body }) => api === "chat" && has(body, "stream_options") && body.stream !== true,
    says: refusal("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: "stream_options",
    }),
  },
});
