/**
 * Answers of vendors, whole and streamed. How they write them less well is tested where it is mended:
 * `test/gateway/providers/openai-compatible/repaired-choice.test.ts`, `test/gateway/providers/anthropic/ordered-message.test.ts`.
 */
import { reply, type Script } from "../../fakes/upstream-server.js";
import { chatReply, chatStream, messageReply, messageStream, USAGE } from "../replies.js";
import type { Reading } from "./readers.js";

export interface VendorForm {
  readonly name: string;
  /** The answer where a stream is asked for. */
  readonly streamed: Script;
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
const calledWhole = CITIES.map((city) => ({
  id: `call_${city}`,
  type: "function",
  function: { name: "weather", arguments: given(city) },
}));

// In the dialect of chat completions

const delta = (...tool_calls: object[]) => ({ tool_calls });
const calling = (...deltas: object[]) =>
  chatStream([{ role: "assistant", content: null }, ...deltas], "tool_calls");
const hello = [{ role: "assistant", content: "Hel" }, { content: "lo!" }];

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
    // thomwebb/gac#78, 2026-07-26; langchain-ai/openwiki#655, 2026-08-15
    name: "JSON for a stream, and a stream for JSON",
    streamed: chatReply({ content: "Hello!" }),
    whole: chatStream(hello),
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
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "m",
        stop_reason: "tool_use",
        usage: { input_tokens: 1000, output_tokens: 200 },
        content: [{ ...bigBlock, input: "BIG" }],
      }).replace('"BIG"', BIG),
    }),
    read: { calls: [["weather", BIG]] },
  },
};
