import { signatureOf } from "../../test/fakes/vendors/anthropic.js";
import { longPdf, pngOf } from "../../test/fakes/vendors/anthropic-sizes.js";
import type { ClientRequest, History } from "./cases.js";

type Json = Readonly<Record<string, unknown>>;

/** The APIs that the gateway serves. */
export type ServedApi = "chat" | "responses" | "messages";

export const SERVED_APIS: readonly ServedApi[] = ["chat", "responses", "messages"];

export const PATHS: Readonly<Record<ServedApi, string>> = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
};

const SCHEMA = {
  ...{ type: "object", properties: { city: { type: "string" } } },
  ...{ required: ["city"], additionalProperties: false },
};
/** As most vendors make them; Mistral takes only nine letters and digits. */
const CALL_ID = "call_of_another_vendor";
const SHORT_CALL_ID = "abcdefghi";
const LONG_CALL_ID = `call_${"a".repeat(70)}`;
/** As servers of MCP describe their tools. */
const RICH_SCHEMA = {
  ...{ $schema: "https://json-schema.org/draft/2020-12/schema", type: "object", required: ["city"] },
  properties: {
    city: { type: "string" },
    unit: { const: "C" },
    days: { type: "integer", exclusiveMinimum: 0 },
  },
  additionalProperties: false,
};
const ALTERNATIVES = { ...SCHEMA, anyOf: [{ required: ["city"] }, { required: [] }] };
const OPEN_SCHEMA = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const IMAGE = "iVBORw0KGgo=";
/** Bodies say of all images that they are PNGs. */
const JPEG = "/9j/4AAQSkZJRg==";
const LARGE_IMAGE = "A".repeat(5_300_000);
const PDF = "data:application/pdf;base64,";
const IMAGE_ADDRESS = "https://example.com/a.png";
/** Signed by the fake for another text. */
const MODIFIED = { type: "thinking", thinking: "Hm!", signature: signatureOf("Hm.") };
/** Where Messages asks for a limit and the request has none. */
const ROOM = 4000;

/** The request in the form of an API; null when the API cannot say it. */
export function bodyFor(api: ServedApi, request: ClientRequest): Json | null {
  const more = request.more?.[api];
  if (request.more !== undefined && more === undefined) return null;
  const body = { chat: chatBody, responses: responsesBody, messages: messagesBody }[api](request);
  return body === null ? null : { ...body, ...more };
}

const names = (count = 0): readonly string[] => Array.from({ length: count }, (_, index) => `tool_${index}`);
const words = (count: number): readonly string[] => names(count).map((name) => `end of ${name}`);
const times = (count: number, part: Json): readonly Json[] => Array.from({ length: count }, () => part);
const user = (content: unknown): Json => ({ role: "user", content });
const assistant = (content: unknown): Json => ({ role: "assistant", content });

/** Names of functions offered: those asked for, or the one that the history calls. */
function offered({ tools, toolName, history }: ClientRequest): readonly string[] {
  if (tools !== undefined) return names(tools).map((name) => toolName ?? name);
  return history !== undefined && /call_|output|loop/.test(history) ? names(1) : [];
}

const schemaOf = ({ schema }: ClientRequest): Json =>
  ({ rich: RICH_SCHEMA, alternatives: ALTERNATIVES, none: SCHEMA })[schema ?? "none"];

/** Histories whose rule is not about ids have one that every vendor takes. */
function callIdIn({ history }: ClientRequest): string {
  if (history === "long_call_id") return LONG_CALL_ID;
  return history === "user_after_output" ? SHORT_CALL_ID : CALL_ID;
}

const limitIn = ({ maxTokens }: ClientRequest): number | undefined =>
  maxTokens === "none" ? undefined : maxTokens;

/** Turns of a history, of which each API has its own form. */
interface Turns {
  readonly call: readonly Json[];
  readonly output: readonly Json[];
  readonly thought: readonly Json[];
  readonly empty: readonly Json[];
  readonly modified: readonly Json[];
  readonly emptyAnswer: readonly Json[];
  readonly emptyCalls: readonly Json[];
  /** An instruction after the question, by the role that the API has for it. */
  readonly instruction: readonly Json[];
  readonly developer: readonly Json[];
  /** Of base64, or an address. */
  readonly picture: (source: string) => Json;
  /** Of base64. */
  readonly pdf: (data: string) => Json;
}

function conversation(history: History | undefined, turns: Turns): readonly Json[] {
  const hello = user("Hello");
  const { call, output, thought, empty } = turns;
  switch (history) {
    case undefined:
      return [hello];
    case "tool_loop":
    case "long_call_id":
      return [hello, ...call, ...output];
    case "output_without_call":
      return [hello, ...output];
    case "call_without_output":
      return [hello, ...call, user("And now?")];
    case "user_after_output":
      return [hello, ...call, ...output, user("And now?")];
    case "foreign_thinking":
      return [hello, ...thought, user("And now?")];
    case "empty_text":
      return [...empty, user("Hello")];
    case "prefill":
      return [hello, assistant("{")];
    case "prefill_with_space":
      return [hello, assistant("I am ")];
    case "modified_thinking":
      return [hello, ...turns.modified, user("And now?")];
    case "empty_answer":
      return [hello, ...turns.emptyAnswer, user("And now?")];
    case "empty_calls":
      return [hello, ...turns.emptyCalls, user("And now?")];
    case "system_later":
      return [hello, assistant("Hi"), ...turns.instruction, user("And now?")];
    case "developer":
      return [...turns.developer, hello];
    case "two_users":
      return [hello, user("And now?")];
    case "picture":
      return [user([turns.picture(IMAGE)])];
    case "mistyped_picture":
      return [user([turns.picture(JPEG)])];
    case "large_picture":
      return [user([turns.picture(LARGE_IMAGE)])];
    case "large_pictures":
      return [user(times(7, turns.picture("A".repeat(4_600_000))))];
    case "wide_picture":
      return [user([turns.picture(pngOf(8001))])];
    case "wide_pictures":
      return [user(times(21, turns.picture(pngOf(2001))))];
    case "101_pictures":
      return [user(times(101, turns.picture(pngOf(1))))];
    case "501_pictures":
      return [user(times(501, turns.picture(pngOf(1))))];
    case "picture_by_address":
      return [user([turns.picture(IMAGE_ADDRESS)])];
    case "long_pdf":
      return [user([turns.pdf(longPdf(101))])];
    case "long_text":
      return [user("a".repeat(10_485_761))];
  }
}

/** Fields that both of OpenAI's APIs have by one name, without those not asked for. */
const defined = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const addressOf = (source: string): string =>
  source.startsWith("https:") ? source : `data:image/png;base64,${source}`;

const formatOf = ({ format }: ClientRequest): Json | undefined =>
  format && {
    name: "city",
    schema: format === "open_schema" ? OPEN_SCHEMA : SCHEMA,
    strict: format === "open_schema",
  };

function chatBody(request: ClientRequest): Json | null {
  const { model, history, effort, temperature, topP, stop, forced, format } = request;
  const thinking = [{ type: "thinking", thinking: "Hm.", signature: "foreign" }];
  const tools = offered(request);
  const id = callIdIn(request);
  const called = { id, type: "function", function: { name: "tool_0", arguments: "{}" } };
  const messages = conversation(history, {
    call: [{ ...assistant(null), tool_calls: [called] }],
    output: [{ role: "tool", tool_call_id: id, content: "3 °C" }],
    thought: [{ ...assistant("Hi"), reasoning_content: "Hm.", thinking_blocks: thinking }],
    empty: [user("Hi"), assistant("")],
    modified: [{ ...assistant("Hi"), thinking_blocks: [MODIFIED] }],
    emptyAnswer: [assistant("")],
    emptyCalls: [{ ...assistant("Hi"), tool_calls: [] }],
    instruction: [{ role: "system", content: "Be brief." }],
    developer: [{ role: "developer", content: "Be brief." }],
    picture: (source) => ({ type: "image_url", image_url: { url: addressOf(source) } }),
    pdf: (data) => ({ type: "file", file: { filename: "a.pdf", file_data: PDF + data } }),
  });
  return defined({
    ...{ model, messages, reasoning_effort: effort, temperature, top_p: topP, max_tokens: limitIn(request) },
    stop: stop === undefined ? undefined : words(stop),
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    tools:
      tools.length === 0
        ? undefined
        : tools.map((name) => ({ type: "function", function: { name, parameters: schemaOf(request) } })),
    tool_choice: forced && "required",
    response_format:
      format === "object"
        ? { type: "json_object" }
        : format && { type: "json_schema", json_schema: formatOf(request) },
    logprobs: request.logprobs,
  });
}

function responsesBody(request: ClientRequest): Json | null {
  const { model, history, effort, temperature, topP, stop, forced, format } = request;
  if (stop !== undefined || (request.frequencyPenalty ?? request.presencePenalty) !== undefined) return null;
  if (history === "modified_thinking" || history === "empty_calls") return null;
  const tools = offered(request);
  const id = callIdIn(request);
  const input = conversation(history, {
    call: [{ type: "function_call", call_id: id, name: "tool_0", arguments: "{}" }],
    output: [{ type: "function_call_output", call_id: id, output: "3 °C" }],
    thought: [
      { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "foreign" },
      { type: "message", ...assistant([{ type: "output_text", text: "Hi", annotations: [] }]) },
    ],
    empty: [user([{ type: "input_text", text: "" }])],
    modified: [assistant("Hi")],
    emptyAnswer: [{ type: "message", ...assistant([]) }],
    emptyCalls: [assistant("Hi")],
    instruction: [{ role: "system", content: "Be brief." }],
    developer: [{ role: "developer", content: "Be brief." }],
    picture: (source) => ({ type: "input_image", detail: "auto", image_url: addressOf(source) }),
    pdf: (data) => ({ type: "input_file", filename: "a.pdf", file_data: PDF + data }),
  });
  return defined({
    ...{ model, input, store: false, temperature, top_p: topP, max_output_tokens: limitIn(request) },
    reasoning: effort && { effort },
    tools:
      tools.length === 0
        ? undefined
        : tools.map((name) => ({ type: "function", name, parameters: schemaOf(request), strict: false })),
    tool_choice: forced && "required",
    text: format && {
      format: format === "object" ? { type: "json_object" } : { type: "json_schema", ...formatOf(request) },
    },
    include: request.logprobs && ["message.output_text.logprobs"],
  });
}

function messagesBody(request: ClientRequest): Json | null {
  const { model, history, effort, budget, temperature, topP, stop, forced, format } = request;
  if ((request.frequencyPenalty ?? request.presencePenalty ?? request.logprobs) !== undefined) return null;
  if (history === "developer" || history === "empty_calls" || format === "object") return null;
  const tools = offered(request);
  const id = callIdIn(request);
  const messages = conversation(history, {
    call: [assistant([{ type: "tool_use", id, name: "tool_0", input: {} }])],
    output: [user([{ type: "tool_result", tool_use_id: id, content: "3 °C" }])],
    thought: [
      assistant([
        { type: "thinking", thinking: "Hm.", signature: "foreign" },
        { type: "text", text: "Hi" },
      ]),
    ],
    empty: [
      user("Hi"),
      assistant([
        { type: "text", text: "" },
        { type: "text", text: "Hi" },
      ]),
    ],
    modified: [assistant([MODIFIED, { type: "text", text: "Hi" }])],
    emptyAnswer: [assistant("")],
    emptyCalls: [assistant("Hi")],
    instruction: [{ role: "system", content: "Be brief." }],
    developer: [],
    picture: (source) => ({
      type: "image",
      source: source.startsWith("https:")
        ? { type: "url", url: source }
        : { type: "base64", media_type: "image/png", data: source },
    }),
    pdf: (data) => ({ type: "document", source: { type: "base64", media_type: "application/pdf", data } }),
  });
  return defined({
    ...{
      model,
      messages,
      temperature,
      top_p: topP,
      max_tokens: request.maxTokens === "none" ? undefined : (limitIn(request) ?? ROOM),
    },
    stop_sequences: stop === undefined ? undefined : words(stop),
    thinking: budget === undefined ? undefined : { type: "enabled", budget_tokens: budget },
    output_config:
      format !== undefined
        ? { format: { type: "json_schema", schema: formatOf(request)?.schema } }
        : budget === undefined && effort !== undefined
          ? { effort }
          : undefined,
    tools: tools.length === 0 ? undefined : tools.map((name) => ({ name, input_schema: schemaOf(request) })),
    tool_choice: forced && { type: "any" },
  });
}
