import { describe, expect, it } from "vitest";
import { MessageEvents } from "../../../../src/gateway/dialects/messages/stream.js";
import type { JsonObject } from "../../../../src/gateway/providers/chat.js";
import { chunkOf, dataOf, eventsOf, FACTS } from "./messages-for-test.js";

const piece = (index: number, given: string, begin: JsonObject = {}) =>
  chunkOf({
    tool_calls: [{ index, ...begin, function: { ...(begin.function as object), arguments: given } }],
  });
const begin = (id: string) => ({ id, type: "function", function: { name: "weather" } });
const END = chunkOf({}, { finish_reason: "stop" });

/** `start 0 text`, `delta 0 Hi`, `stop 0`: what happens to which block. */
const told = (events: readonly JsonObject[]) =>
  events.map(({ type, index, content_block, delta }) => {
    const detail = (content_block as JsonObject)?.type ?? Object.values((delta as JsonObject) ?? {})[1] ?? "";
    return `${String(type).replace("content_block_", "")} ${index ?? ""} ${detail}`.trim();
  });
const blocks = (events: readonly JsonObject[]) => told(events.slice(1, -2));

describe("A chat completion stream as a Messages stream", () => {
  it("starts a message, sends its text in pieces, its usage, and its end", () => {
    const pieces = [{ role: "assistant", content: "" }, { content: "Hel" }, { content: "lo" }];
    const events = eventsOf([...pieces.map((piece) => chunkOf(piece)), END]);
    expect(events[0]).toMatchObject({
      type: "message_start",
      message: { id: "msg_01", content: [], stop_reason: null, usage: { input_tokens: 0, output_tokens: 0 } },
    });
    expect(blocks(events)).toEqual(["start 0 text", "delta 0 Hel", "delta 0 lo", "stop 0"]);
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { input_tokens: 12, output_tokens: 7, total_cost_usd: 0.3 },
    });
    expect(events.at(-1)).toEqual({ type: "message_stop" });
  });

  it("sends text as it arrives", () => {
    const events = new MessageEvents(FACTS);
    events.start();
    expect(told(dataOf(events.chunk(chunkOf({ content: "Hi" }))))).toEqual(["start 0 text", "delta 0 Hi"]);
    expect(told(dataOf(events.chunk(chunkOf({ content: "!" }))))).toEqual(["delta 0 !"]);
  });

  it("signs thinking whose text was streamed, and passes on redacted thinking whole", () => {
    const events = eventsOf([
      chunkOf({ reasoning_content: "H" }),
      chunkOf({ reasoning_content: "m" }),
      chunkOf({ thinking_blocks: [{ type: "thinking", thinking: "Hm", signature: "c2ln" }] }),
      chunkOf({ thinking_blocks: [{ type: "redacted_thinking", data: "ZW5j" }] }),
      chunkOf({ thinking_blocks: [{ type: "thinking", thinking: "", signature: "bm8=" }] }),
      chunkOf({ content: "Yes" }),
      END,
    ]);
    expect(blocks(events)).toEqual([
      ...["start 0 thinking", "delta 0 H", "delta 0 m", "delta 0 c2ln", "stop 0"],
      ...["start 1 redacted_thinking", "stop 1"],
      ...["start 2 thinking", "delta 2 bm8=", "stop 2"],
      ...["start 3 text", "delta 3 Yes", "stop 3"],
    ]);
  });

  it("sends tool calls one after the other, each as soon as the arguments of the previous one are complete", () => {
    const events = new MessageEvents(FACTS);
    events.start();
    events.chunk(piece(0, "", begin("a")));
    expect(told(dataOf(events.chunk(piece(0, '{"x":1}'))))).toEqual(['delta 0 {"x":1}']);
    expect(told(dataOf(events.chunk(piece(1, '{"y"', begin("b")))))).toEqual([
      ...["stop 0", "start 1 tool_use", 'delta 1 {"y"'],
    ]);
  });

  it("omits text that is only white space, but keeps white space before text", () => {
    const call = piece(0, "{}", begin("a"));
    expect(blocks(eventsOf([chunkOf({ content: "\n\n" }), call, END]))[0]).toBe("start 0 tool_use");
    const spaced = eventsOf([chunkOf({ content: "\n" }), chunkOf({ content: "Hi" }), END]);
    expect(blocks(spaced)[1]).toBe("delta 0 \nHi");
  });

  it("sends a refusal as text when there was no other text", () => {
    const events = eventsOf([chunkOf({ refusal: "N" }), chunkOf({ refusal: "o." }), END]);
    expect(blocks(events)).toEqual(["start 0 text", "delta 0 No.", "stop 0"]);
    const delta = { stop_reason: "refusal", stop_details: { explanation: "No." } };
    expect(events.at(-2)).toMatchObject({ delta });
  });

  it("ignores other choices and chunks without choices", () => {
    const other = { choices: [{ index: 1, delta: { content: "B" }, finish_reason: "length" }] };
    const events = eventsOf([{ choices: [] }, other, chunkOf({ content: "A" }), END]);
    expect(blocks(events)).toEqual(["start 0 text", "delta 0 A", "stop 0"]);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "end_turn" } });
  });
});
