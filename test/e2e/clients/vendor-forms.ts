/** Forms in which vendors write one and the same answer, well and less well, with where each was seen. */
import { eventReply, jsonReply, reply, type Script } from "../../fakes/upstream-server.js";
import { chatChunk, chatReply, chatStream, messageReply, messageStream, USAGE } from "../replies.js";
import type { Reading } from "./readers.js";

export interface VendorForm {
  readonly name: string;
  /** The answer where a stream is asked for; missing where the form is none of streams. */
  readonly streamed?: Script;
  /** The answer where none is asked for. */
  readonly whole?: Script;
  /** What every client reads, as far as it has a place for it. */
  readonly read: Partial<Reading>;
}

const CITIES = ["Oslo", "Rome"] as const;
const given = (city: string) => JSON.stringify({ city });
const HELLO = { text: "Hello!", calls: [], end: "stop", inputTokens: USAGE.prompt_tokens };
const THOUGHT = { ...HELLO, reasoning: "Hm, yes." };
const CALLS = {
  text: "",
  end: "tool_calls",
  inputTokens: USAGE.prompt_tokens,
  calls: CITIES.map((city) => ["weather", given(city)] as const),
};
const ONE_CALL = { ...CALLS, calls: CALLS.calls.slice(0, 1) };
const calledWhole = CITIES.map((city) => ({
  id: `call_${city}`,
  type: "function",
  function: { name: "weather", arguments: given(city) },
}));

// In the dialect of chat completions

const delta = (...tool_calls: object[]) => ({ tool_calls });
const begun = (more: object = {}) => {
  return {
    index: 0,
    id: "call_Oslo",
    type: "function",
    function: { name: "weather", arguments: "" },
    ...more,
  };
};
const [head, tail] = [given("Oslo").slice(0, 5), given("Oslo").slice(5)];
const piece = (text: string, more: object = {}, named: object = {}) =>
  delta({ index: 0, ...more, function: { ...named, arguments: text } });
const calling = (...deltas: object[]) =>
  chatStream([{ role: "assistant", content: null }, ...deltas], "tool_calls");
const hello = [{ role: "assistant", content: "Hel" }, { content: "lo!" }];
const chunk = (choices: readonly object[], more: object = {}) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices, ...more })}\n\n`;
/** Events of that stream, between which others can be put. */
const [first = "", second = ""] = hello.map((one) => chatChunk(one));
const stop = chatChunk({}, "stop");
const counted = chunk([], { usage: USAGE });
const DONE = "data: [DONE]\n\n";

const CHAT: readonly VendorForm[] = [
  {
    name: "a text",
    streamed: chatStream(hello),
    whole: chatReply({ content: "Hello!" }),
    read: HELLO,
  },
  {
    name: "thinking",
    streamed: chatStream([
      { role: "assistant", reasoning_content: "Hm, " },
      { reasoning_content: "yes." },
      ...hello,
    ]),
    whole: chatReply({ reasoning_content: "Hm, yes.", content: "Hello!" }),
    read: THOUGHT,
  },
  {
    name: "parallel calls, by turns",
    streamed: calling(
      delta(
        ...calledWhole.map((call, index) => ({
          index,
          ...call,
          function: { name: "weather", arguments: "" },
        })),
      ),
      ...[0, 5].map((from) =>
        delta(
          ...CITIES.map((city, index) => {
            return { index, function: { arguments: given(city).slice(from, from === 0 ? 5 : undefined) } };
          }),
        ),
      ),
    ),
    whole: chatReply({ content: null, tool_calls: calledWhole }, "tool_calls"),
    read: CALLS,
  },
  {
    // LibreChat-AI/agents#260, 2026-06-22; omnigent-ai/omnigent#28, 2026-06-13
    name: "parallel calls with the same index",
    streamed: calling(...calledWhole.map((call) => delta({ index: 0, ...call }))),
    read: CALLS,
  },
  {
    // vercel/ai#7238, 2025-07-11 (SambaNova)
    name: "calls without an index",
    streamed: calling(...calledWhole.map((call) => delta(call))),
    read: CALLS,
  },
  {
    // anomalyco/opencode#37841, 2026-07-20 (DashScope)
    name: "pieces of a call with empty ids and names",
    streamed: calling(delta(begun()), ...[head, tail].map((text) => piece(text, { id: "" }, { name: "" }))),
    read: ONE_CALL,
  },
  {
    // sgl-project/sglang#35542, 2026-08-19
    name: "pieces of a call with null for ids, types and names",
    streamed: calling(
      delta(begun()),
      ...[head, tail].map((text) => piece(text, { id: null, type: null }, { name: null })),
    ),
    read: ONE_CALL,
  },
  {
    // 1CatAI/1Cat-vLLM#240, 2026-08-19
    name: "the id and the name of a call in each of its pieces",
    streamed: calling(
      delta(begun()),
      ...[head, tail].map((text) => piece(text, { id: "call_Oslo" }, { name: "weather" })),
    ),
    read: ONE_CALL,
  },
  {
    // jjang-ai/vmlx#244, 2026-07-12; vercel/ai#16507, 2026-06-30 (vLLM with Command A)
    name: "a call whose name comes after an empty one",
    streamed: calling(
      delta(begun({ function: { name: "", arguments: "" } })),
      ...[head, tail].map((text, at) => piece(text, {}, at === 0 ? { name: "weather" } : {})),
    ),
    read: ONE_CALL,
  },
  {
    // vercel/ai#5350, 2025-03-24 (DeepInfra)
    name: "a call whose type comes last",
    streamed: calling(
      delta({ index: 0, id: "call_Oslo", function: { name: "weather", arguments: "" } }),
      piece(given("Oslo"), { type: "function" }),
    ),
    read: ONE_CALL,
  },
  {
    // sipeed/picoclaw#1379, 2026-03-11
    name: "arguments as an object",
    streamed: calling(delta(begun({ function: { name: "weather", arguments: { city: "Oslo" } } }))),
    whole: chatReply(
      {
        content: null,
        tool_calls: [{ ...calledWhole[0], function: { name: "weather", arguments: { city: "Oslo" } } }],
      },
      "tool_calls",
    ),
    read: ONE_CALL,
  },
  {
    // googleapis/python-genai#2868, 2026-08-17
    name: "`stop` after calls",
    streamed: chatStream([delta(...calledWhole.map((call, index) => ({ index, ...call }))), { content: "" }]),
    whole: chatReply({ content: null, tool_calls: calledWhole }),
    read: CALLS,
  },
  {
    // openai/openai-node#1292, 2025-01-30; looplj/axonhub#2000, 2026-07-11
    name: "no reason for the end",
    streamed: eventReply([first, second, counted, DONE]),
    read: HELLO,
  },
  {
    // router-for-me/CLIProxyAPI#530, 2025-12-14
    name: "no role",
    streamed: chatStream([{ content: "Hel" }, { content: "lo!" }]),
    whole: jsonReply({
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "m",
      usage: USAGE,
      choices: [{ index: 0, message: { content: "Hello!" }, finish_reason: "stop" }],
    }),
    read: HELLO,
  },
  {
    // crmne/ruby_llm#420, BerriAI/litellm#16272 (Mistral)
    name: "thinking in a list of contents",
    streamed: chatStream([
      ...["Hm, ", "yes."].map((text) => {
        return { content: [{ type: "thinking", thinking: [{ type: "text", text }] }] };
      }),
      ...hello,
    ]),
    whole: chatReply({
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "Hm, yes." }] },
        { type: "text", text: "Hello!" },
      ],
    }),
    read: THOUGHT,
  },
  {
    // AstrBotDevs/AstrBot#6614, 2026-03-19 (Moonshot)
    name: "usage in the choice",
    streamed: eventReply([
      first,
      second,
      chunk([{ index: 0, delta: {}, finish_reason: "stop", usage: USAGE }]),
      DONE,
    ]),
    read: HELLO,
  },
  {
    // langchain-ai/langchain#30429, 2025-03-25
    name: "usage in every chunk",
    streamed: eventReply([
      ...hello.map((delta) => chunk([{ index: 0, delta, finish_reason: null }], { usage: USAGE })),
      chunk([{ index: 0, delta: {}, finish_reason: "stop" }], { usage: USAGE }),
      counted,
      DONE,
    ]),
    read: HELLO,
  },
  {
    // qualcomm/GenieX#1246, 2026-07-28
    name: "an empty reason for the end in every chunk",
    streamed: eventReply([...hello.map((one) => chatChunk(one, "")), counted, DONE]),
    read: HELLO,
  },
  {
    // su-kaka/gcli2api#403, 2026-08-25
    name: "a reason for the end in every chunk",
    streamed: eventReply([
      chatChunk({ role: "assistant", reasoning_content: "Hm, yes." }, "stop"),
      ...hello.map((one) => chatChunk(one, "stop")),
      counted,
      DONE,
    ]),
    read: THOUGHT,
  },
  {
    // openai/openai-node#1982, 2026-07-06; microsoft/autogen#6465, 2025-05-07 (Azure)
    name: "chunks of a content filter, without an id, choices or a delta",
    streamed: eventReply([
      chunk([], { id: "", object: "", model: "", prompt_filter_results: [] }),
      first,
      second,
      stop,
      chunk([{ index: 0, finish_reason: null, content_filter_results: {} }], {
        id: "",
        object: "",
        model: "",
      }),
      counted,
      DONE,
    ]),
    read: HELLO,
  },
  {
    // thomwebb/gac#78, 2026-07-26; langchain-ai/openwiki#655, 2026-08-15
    name: "JSON for a stream, and a stream for JSON",
    streamed: chatReply({ content: "Hello!" }),
    whole: chatStream(hello),
    read: HELLO,
  },
  {
    // Growth-Circle/cadis#362, 2026-08-11; netease-lcap/wave-agent#1326
    name: "events that only keep the stream open, and a space after the end",
    streamed: eventReply([
      "data:\n\n",
      first,
      "event: heartbeat\ndata: ping\n\n",
      second,
      ": still here\n\n",
      stop,
      counted,
      "data: [DONE] \n\n",
    ]),
    read: HELLO,
  },
];

// In the dialect of Messages

const textBlock = {
  start: { type: "text", text: "" },
  deltas: ["Hel", "lo!"].map((text) => ({ type: "text_delta", text })),
};
const thinkingBlock = {
  start: { type: "thinking", thinking: "", signature: "" },
  deltas: [
    ...["Hm, ", "yes."].map((thinking) => ({ type: "thinking_delta", thinking })),
    { type: "signature_delta", signature: "c2ln" },
  ],
};
const callBlocks = CITIES.map((city) => ({
  start: { type: "tool_use", id: `toolu_${city}`, name: "weather", input: {} },
  deltas: [given(city).slice(0, 5), given(city).slice(5)].map((partial_json) => {
    return { type: "input_json_delta", partial_json };
  }),
}));
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [] as unknown,
  stop_reason: null,
};
const event = (data: { readonly type: string; readonly [member: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const started = (more: object = {}) =>
  event({
    type: "message_start",
    message: { ...message, usage: { input_tokens: USAGE.prompt_tokens, output_tokens: 1 }, ...more },
  });
const said = (start: object = textBlock.start) => [
  event({ type: "content_block_start", index: 0, content_block: start }),
  ...textBlock.deltas.map((one) => event({ type: "content_block_delta", index: 0, delta: one })),
  event({ type: "content_block_stop", index: 0 }),
];
const ended = event({
  type: "message_delta",
  delta: { stop_reason: "end_turn", stop_sequence: null },
  usage: { output_tokens: 200 },
});
const stopped = event({ type: "message_stop" });

const MESSAGES: readonly VendorForm[] = [
  {
    name: "a text",
    streamed: messageStream([textBlock]),
    whole: messageReply([{ type: "text", text: "Hello!" }]),
    read: HELLO,
  },
  {
    name: "thinking",
    streamed: messageStream([thinkingBlock, textBlock]),
    whole: messageReply([
      { type: "thinking", thinking: "Hm, yes.", signature: "c2ln" },
      { type: "text", text: "Hello!" },
    ]),
    read: THOUGHT,
  },
  {
    name: "parallel calls",
    streamed: messageStream(callBlocks, "tool_use"),
    whole: messageReply(
      callBlocks.map(({ start }, index) => ({ ...start, input: { city: CITIES[index] } })),
      "tool_use",
    ),
    read: CALLS,
  },
  {
    // tombii/better-ccflare#307, 2026-07-12
    name: "no end",
    streamed: eventReply([started(), ...said(), ended]),
    read: HELLO,
  },
  {
    // tbphp/gpt-load#736, 2026-09-22
    name: "the end of chat completions",
    streamed: eventReply([started(), ...said(), ended, DONE]),
    read: HELLO,
  },
  {
    // MoonshotAI/Kimi-K2.5#33, 2026-03-30
    name: "a repeated start",
    streamed: eventReply([started(), started(), ...said(), ended, stopped]),
    read: HELLO,
  },
  {
    // vercel/ai#13436, 2026-03-15 (Vertex)
    name: "events of the vendor's own",
    streamed: eventReply([
      started(),
      event({ type: "vertex_event", usage: { input_tokens: 9 } }),
      "data:\n\n",
      ...said(),
      ended,
      stopped,
    ]),
    read: HELLO,
  },
  {
    // labring/aiproxy#604, 2026-06-19; SaladDay/cc-switch-cli#323, 2026-07-03
    name: "a start without its members",
    streamed: eventReply([started({ content: null }), ...said({ type: "text" }), ended, stopped]),
    read: HELLO,
  },
];

/** By the dialect of the provider. */
export const FORMS = { chat: CHAT, messages: MESSAGES } as const;

/**
 * A cut answer, with a reason of the vendor's own: Mistral's `model_length`.
 * github.com/api-evangelist/mistral-ai, json-schema/mistral-ai-agentcompletionchoice-schema.json, read 2026-11-28
 */
export const CUT: VendorForm = {
  name: "model_length",
  streamed: chatStream(hello, "model_length"),
  whole: chatReply({ content: "Hello!" }, "model_length"),
  read: { ...HELLO, end: "length" },
};

/** A call whose number no double holds. earendil-works/pi#8943, 2026-09-01 */
const BIG = '{"id":9876543210987654321}';
const bigCall = { id: "call_1", type: "function", function: { name: "weather", arguments: BIG } };
const bigBlock = { type: "tool_use", id: "toolu_1", name: "weather" };
export const BIG_CALL: Readonly<Record<keyof typeof FORMS, VendorForm>> = {
  chat: {
    name: "chat completions",
    streamed: calling(delta({ index: 0, ...bigCall })),
    whole: chatReply({ content: null, tool_calls: [bigCall] }, "tool_calls"),
    read: { calls: [["weather", BIG]] },
  },
  messages: {
    name: "Messages",
    streamed: messageStream(
      [{ start: { ...bigBlock, input: {} }, deltas: [{ type: "input_json_delta", partial_json: BIG }] }],
      "tool_use",
    ),
    whole: reply({
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        ...message,
        stop_reason: "tool_use",
        usage: { input_tokens: 1000, output_tokens: 200 },
        content: [{ ...bigBlock, input: "BIG" }],
      }).replace('"BIG"', BIG),
    }),
    read: { calls: [["weather", BIG]] },
  },
};
