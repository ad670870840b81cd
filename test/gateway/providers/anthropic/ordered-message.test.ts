/** Events as Anthropic's imitators and relays send them, in the order that Anthropic's clients insist on. */
import { describe, expect, it } from "vitest";
import {
  OrderedMessage,
  toChatCompletion,
} from "../../../../src/gateway/providers/anthropic/ordered-message.js";
import { MessagesStream } from "../../../../src/gateway/providers/anthropic/stream.js";
import type { JsonObject } from "../../../../src/gateway/providers/chat.js";
import { NativeStream } from "../../../../src/gateway/providers/http/translated-stream.js";
import type { StreamEvent } from "../../../../src/gateway/providers/provider.js";
import { messageEvents, streamBytes, wholeMessage } from "./answers.js";

const ANSWER = {
  content: [
    { type: "thinking", thinking: "Hm.", signature: "c2ln" },
    { type: "text", text: "Hi" },
    { type: "tool_use", id: "a", name: "f", input: { at: "Rome" } },
  ],
  stop_reason: "tool_use",
};
const EVENTS = messageEvents(ANSWER, 100).filter(({ type }) => type !== "ping");
const IN_ORDER = EVENTS.map(({ type }) => type);

/** What a client of the API gets, and the state of the answer before its end. */
function passedOn(events: readonly JsonObject[], name: string | null = null) {
  const stream = new OrderedMessage(new NativeStream(new MessagesStream({ answerTool: null, created: 0 })));
  const out: StreamEvent[] = [];
  let state = "more";
  for (const body of events)
    if (state === "more") state = stream.read({ event: name ?? null, body: structuredClone(body) }, out);
  const { complete } = stream;
  stream.end(out);
  return { state, complete, events: out.map(({ chunk }) => chunk?.native as JsonObject) };
}

const without = (...types: readonly string[]) => EVENTS.filter(({ type }) => !types.includes(String(type)));
const repeated = (type: string) =>
  EVENTS.flatMap((event) => (event.type === type ? [event, event] : [event]));

describe("Anthropic's events", () => {
  it.each<[string, readonly JsonObject[]]>([
    ["as they should be", EVENTS],
    // github.com/MoonshotAI/Kimi-K2.5/issues/33 (2026-03-30)
    ["with their start repeated", repeated("message_start")],
    // github.com/NousResearch/hermes-agent/issues/72833 (2026-07-27)
    ["without a start", without("message_start")],
    // github.com/tombii/better-ccflare/pull/307 (2026-07-12)
    ["without an end", without("message_stop")],
    ["with blocks after the stop reason", [...without("message_stop"), ...EVENTS.slice(1, 4)]],
    ["with blocks that do not stop", without("content_block_stop", "message_stop").slice(0, -1)],
  ])("%s come in order", (sent, events) => {
    const types = passedOn(events).events.map(({ type }) => type);
    expect(types.filter((type) => type !== "content_block_stop")).toEqual(
      IN_ORDER.filter((type) => type !== "content_block_stop"),
    );
    if (!sent.includes("do not stop")) expect(types).toEqual(IN_ORDER);
    expect(types.filter((type) => type === "content_block_stop")).toHaveLength(3);
  });

  it("start with the members that clients fill", () => {
    const starts = ["text", "thinking", "tool_use"].map((type, index) => {
      return { type: "content_block_start", index, content_block: { type } };
    });
    const { events } = passedOn([{ type: "message_start", message: { content: null } }, ...starts]);
    expect(events.slice(0, 4)).toMatchObject([
      { message: { content: [] } },
      { content_block: { text: "" } },
      { content_block: { thinking: "", signature: "" } },
      { content_block: { input: {} } },
    ]);
  });

  it("have the blocks that their deltas belong to", () => {
    const events = passedOn(without("content_block_start").filter(({ index }) => index !== 2)).events;
    const starts = events.filter(({ type }) => type === "content_block_start");
    expect(starts.map(({ index, content_block: block }) => [index, (block as JsonObject).type])).toEqual([
      [0, "thinking"],
      [1, "text"],
    ]);
  });

  it("of a whole message are those of its stream", () => {
    const [whole] = [wholeMessage(ANSWER)];
    const read = passedOn([whole]);
    expect(read.state).toBe("finished");
    const shown = ({ type, index, content_block, delta }: JsonObject) => ({
      type,
      index,
      content_block,
      delta,
    });
    expect(read.events.map(shown)).toMatchObject(
      EVENTS.filter(({ delta }) => (delta as JsonObject)?.partial_json !== "").map(shown),
    );
  });

  it("have the type that only their name says", () => {
    const [start] = EVENTS;
    const { type, ...bare } = start as JsonObject;
    expect(passedOn([bare], String(type)).events[0]).toMatchObject({ type, message: { role: "assistant" } });
  });

  it("are complete with a stop reason, and cut off without that and an end", () => {
    expect(passedOn(without("message_stop")).complete).toBe(true);
    expect(passedOn(without("message_stop", "message_delta")).complete).toBe(false);
    for (const events of [without("message_delta").slice(0, 1), []])
      expect(() => passedOn([...events, { type: "message_stop" }])).toThrow(
        expect.objectContaining({ code: "cut_off" }),
      );
    const stopped = passedOn(without("message_delta")).events.find(({ type }) => type === "message_delta");
    expect(stopped).toMatchObject({ delta: { stop_reason: "tool_use" } });
  });

  it("are the answer where it was to come whole, also with [DONE] for an end", () => {
    const whole = toChatCompletion(JSON.stringify(wholeMessage(ANSWER)), { answerTool: null, created: 0 });
    const text = `${streamBytes(without("message_stop"))}data: [DONE]\n\n`;
    const streamed = toChatCompletion(text, { answerTool: null, created: 0 });
    expect(streamed.completion.choices).toEqual(whole.completion.choices);
    expect(whole.completion.choices[0]).toMatchObject({
      message: {
        content: "Hi",
        reasoning_content: "Hm.",
        tool_calls: [{ function: { arguments: '{"at":"Rome"}' } }],
      },
      finish_reason: "tool_calls",
    });
  });
});
