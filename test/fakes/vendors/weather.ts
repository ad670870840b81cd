/** Answers of a model that calls the first tool it is offered and answers from its output then, in a vendor's API, whole or streamed. */
import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import { messageEvents, streamBytes, wholeMessage } from "../../gateway/providers/anthropic/answers.js";
import { eventReply, jsonReply, type Script } from "../upstream-server.js";
import { signatureOf } from "./anthropic.js";
import { REASONING_OPENAI } from "./openai.js";
import { list, member, type Vendor, type VendorApi } from "./rule.js";

const TEXT = "It is 3 °C.";
const ARGUMENTS = { city: "Oslo" };

/** Ids are never given twice. */
let answers = 0;

interface Asked {
  readonly vendor: Vendor;
  readonly api: VendorApi;
  readonly body: JsonObject;
}

/** The answer to a request that the vendor takes. */
export function weatherReply({ vendor, api, body }: Asked): Script {
  if (api === "responses") return responseReply(weatherResponse(body), body);
  answers += 1;
  return api === "chat" ? chatReply(vendor, body) : messageReply(body);
}

/** The name of the function to call; null when there is none, or its output is there. */
function calledBy(tools: unknown, last: JsonObject | undefined): string | null {
  const [tool] = list(tools);
  const results = list(last?.content).some(({ type }) => type === "tool_result");
  if (tool === undefined || results || last?.role === "tool" || last?.type === "function_call_output")
    return null;
  return String(member(tool.function, "name") ?? tool.name ?? "weather");
}

const event = (data: JsonObject): string => `data: ${JSON.stringify(data)}\n\n`;
const namedEvent = (data: JsonObject): string => `event: ${data.type}\n${event(data)}`;

// Chat completions

/** What vendors add to a call, and want back. */
export const SEALED = {
  google: { extra_content: { google: { thought_signature: "c2lnbmVkIGJ5IEdlbWluaQ==" } } },
};

function chatReply(vendor: Vendor, { model, stream, tools, messages }: JsonObject): Script {
  const name = calledBy(tools, list(messages).at(-1));
  const id = vendor === "mistral" ? `call${answers}`.padEnd(9, "0") : `call_${answers}`;
  const call = {
    id,
    type: "function",
    ...(vendor === "google" && SEALED.google),
    function: { name, arguments: JSON.stringify(ARGUMENTS) },
  };
  const thought = vendor === "deepseek" ? { reasoning_content: "Hm." } : {};
  const said = name === null ? { content: TEXT } : { content: null, tool_calls: [call] };
  const finish_reason = name === null ? "stop" : "tool_calls";
  const usage = { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 };
  const head = { id: `chatcmpl-${answers}`, created: 1, model };
  if (stream !== true) {
    const message = { role: "assistant", ...thought, ...said };
    const choices = [{ index: 0, message, finish_reason }];
    return jsonReply({ ...head, object: "chat.completion", choices, usage });
  }
  const chunk = (choices: readonly JsonObject[], more: JsonObject = {}): string =>
    event({ ...head, object: "chat.completion.chunk", choices, ...more });
  const delta = {
    role: "assistant",
    ...thought,
    ...(name === null ? said : { tool_calls: [{ index: 0, ...call }] }),
  };
  return eventReply([
    chunk([{ index: 0, delta, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason }]),
    chunk([], { usage }),
    "data: [DONE]\n\n",
  ]);
}

// Messages

/** What Claude thinks, signed. */
export const THOUGHT = { type: "thinking", thinking: "Hm.", signature: signatureOf("Hm.") };

function messageReply({ model, stream, tools, messages, thinking }: JsonObject): Script {
  const name = calledBy(tools, list(messages).at(-1));
  const thinks = ["enabled", "adaptive"].includes(String(member(thinking, "type")));
  const content = [
    ...(thinks ? [THOUGHT] : []),
    name === null
      ? { type: "text", text: TEXT }
      : { type: "tool_use", id: `toolu_${answers}`, name, input: ARGUMENTS },
  ];
  const stop_reason = name === null ? "end_turn" : "tool_use";
  const usage = { input_tokens: 1000, output_tokens: 200 };
  const message = { id: `msg_${answers}`, model, content, stop_reason, usage };
  return stream === true ? eventReply(streamBytes(messageEvents(message))) : jsonReply(wholeMessage(message));
}

// Responses

/** A response as OpenAI makes and keeps it. */
export function weatherResponse({ model, tools, input, include, store, metadata }: JsonObject): JsonObject {
  answers += 1;
  const name = calledBy(tools, list(input).at(-1));
  const encrypted = list(include).includes("reasoning.encrypted_content" as never);
  const reasoning = {
    id: `rs_${answers}`,
    type: "reasoning",
    summary: [],
    ...(encrypted ? { encrypted_content: `gAAA-${answers}` } : {}),
  };
  const said =
    name === null
      ? {
          id: `msg_${answers}`,
          type: "message",
          status: "completed",
          role: "assistant",
          content: [{ type: "output_text", text: TEXT, annotations: [], logprobs: [] }],
        }
      : {
          id: `fc_${answers}`,
          type: "function_call",
          status: "completed",
          call_id: `call_${answers}`,
          name,
          arguments: JSON.stringify(ARGUMENTS),
        };
  return {
    id: `resp_${answers}`,
    object: "response",
    created_at: 1,
    status: "completed",
    error: null,
    incomplete_details: null,
    model,
    output: REASONING_OPENAI.test(String(model)) ? [reasoning, said] : [said],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    temperature: 1,
    top_p: 1,
    store: store ?? true,
    metadata: metadata ?? {},
    instructions: null,
    background: false,
    usage: {
      input_tokens: 1000,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 200,
      output_tokens_details: { reasoning_tokens: 50 },
      total_tokens: 1200,
    },
  };
}

export function responseReply(response: JsonObject, { stream }: JsonObject): Script {
  if (stream !== true) return jsonReply(response);
  return eventReply(responseEvents(response));
}

/** The events of a streamed response. */
export function responseEvents(response: JsonObject): string[] {
  const events: JsonObject[] = [
    { type: "response.created", response: { ...response, output: [], usage: null } },
    ...list(response.output).flatMap(itemEvents),
    { type: "response.completed", response },
  ];
  return events.map((data, sequence_number) => namedEvent({ ...data, sequence_number }));
}

function itemEvents(item: JsonObject, output_index: number): readonly JsonObject[] {
  const place = { output_index, item_id: item.id };
  const { encrypted_content: _later, ...begun } = item;
  return [
    { type: "response.output_item.added", output_index, item: { ...begun, ...emptied(item) } },
    ...partEvents(item, place),
    { type: "response.output_item.done", output_index, item },
  ];
}

function emptied({ type }: JsonObject): JsonObject {
  if (type === "function_call") return { arguments: "" };
  return type === "message" ? { content: [] } : {};
}

function partEvents(item: JsonObject, place: JsonObject): readonly JsonObject[] {
  if (item.type === "function_call")
    return [
      { type: "response.function_call_arguments.delta", ...place, delta: item.arguments },
      { type: "response.function_call_arguments.done", ...place, arguments: item.arguments },
    ];
  if (item.type !== "message") return [];
  const [part] = list(item.content);
  const at = { ...place, content_index: 0 };
  return [
    { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
    { type: "response.output_text.delta", ...at, delta: part?.text, logprobs: [] },
    { type: "response.output_text.done", ...at, text: part?.text, logprobs: [] },
    { type: "response.content_part.done", ...at, part },
  ];
}
