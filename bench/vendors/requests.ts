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
/** Where Messages asks for a limit and the request has none. */
const ROOM = 4000;

/** The request in the form of an API; null when the API cannot say it. */
export function bodyFor(api: ServedApi, request: ClientRequest): Json | null {
  return { chat: chatBody, responses: responsesBody, messages: messagesBody }[api](request);
}

const names = (count = 0): readonly string[] => Array.from({ length: count }, (_, index) => `tool_${index}`);
const words = (count: number): readonly string[] => names(count).map((name) => `end of ${name}`);
const user = (content: unknown): Json => ({ role: "user", content });
const assistant = (content: unknown): Json => ({ role: "assistant", content });

/** Functions offered: those asked for, or the one that the history calls. */
function offered({ tools, history }: ClientRequest): readonly string[] {
  if (tools !== undefined) return names(tools);
  return history !== undefined && /call|output|loop/.test(history) ? names(1) : [];
}

/** Histories whose rule is not about ids have one that every vendor takes. */
const callIdIn = ({ history }: ClientRequest): string =>
  history === "user_after_output" ? SHORT_CALL_ID : CALL_ID;

const limitIn = ({ maxTokens }: ClientRequest): number | undefined =>
  maxTokens === "none" ? undefined : maxTokens;

/** Turns of a history, of which each API has its own form. */
interface Turns {
  readonly call: readonly Json[];
  readonly output: readonly Json[];
  readonly thought: readonly Json[];
  readonly empty: readonly Json[];
}

function conversation(
  history: History | undefined,
  { call, output, thought, empty }: Turns,
): readonly Json[] {
  const hello = user("Hello");
  switch (history) {
    case undefined:
      return [hello];
    case "tool_loop":
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
  }
}

/** Fields that both of OpenAI's APIs have by one name, without those not asked for. */
const defined = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

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
  });
  return defined({
    ...{ model, messages, reasoning_effort: effort, temperature, top_p: topP, max_tokens: limitIn(request) },
    stop: stop === undefined ? undefined : words(stop),
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    tools:
      tools.length === 0
        ? undefined
        : tools.map((name) => ({ type: "function", function: { name, parameters: SCHEMA } })),
    tool_choice: forced && "required",
    response_format: format && { type: "json_schema", json_schema: { name: "city", schema: SCHEMA } },
  });
}

function responsesBody(request: ClientRequest): Json | null {
  const { model, history, effort, temperature, topP, stop, forced, format } = request;
  if (stop !== undefined || (request.frequencyPenalty ?? request.presencePenalty) !== undefined) return null;
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
  });
  return defined({
    ...{ model, input, store: false, temperature, top_p: topP, max_output_tokens: limitIn(request) },
    reasoning: effort && { effort },
    tools:
      tools.length === 0
        ? undefined
        : tools.map((name) => ({ type: "function", name, parameters: SCHEMA, strict: false })),
    tool_choice: forced && "required",
    text: format && { format: { type: "json_schema", name: "city", schema: SCHEMA } },
  });
}

function messagesBody(request: ClientRequest): Json | null {
  const { model, history, effort, budget, temperature, topP, stop, forced, format } = request;
  if ((request.frequencyPenalty ?? request.presencePenalty) !== undefined) return null;
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
        ? { format: { type: "json_schema", schema: SCHEMA } }
        : budget === undefined && effort !== undefined
          ? { effort }
          : undefined,
    tools: tools.length === 0 ? undefined : tools.map((name) => ({ name, input_schema: SCHEMA })),
    tool_choice: forced && { type: "any" },
  });
}
