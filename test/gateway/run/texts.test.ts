import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChunkChoice, JsonObject } from "../../../src/gateway/providers/chat.js";
import { AnswerText } from "../../../src/gateway/run/answer-text.js";
import { tracedMessages } from "../../../src/gateway/run/traced-messages.js";
import { promptText } from "../../../src/gateway/traces/trace-messages.js";
import { inputText, type TracedMessage } from "../../../src/gateway/traces/traced-message.js";

const user = (content: unknown): JsonObject => ({ role: "user", content });

describe("The messages of a trace", () => {
  it("are those of the request", () => {
    const given = { name: "weather", arguments: '{"city":"Bonn"}' };
    const tool_calls = [{ id: "c1", type: "function" as const, function: given }];
    const called = { role: "assistant", content: null, tool_calls };
    const before: readonly TracedMessage[] = [
      { role: "system", content: "Be brief.\nuser: no message" },
      { role: "user", content: [{ type: "text", text: "Weather?" }], name: "ada" },
    ];
    const after: readonly TracedMessage[] = [
      { role: "tool", content: "rain", tool_call_id: "c1" },
      { role: "assistant", content: null, refusal: "No." },
    ];
    const sent = [...before, { ...called, reasoning_content: "Look it up.", extra: 1 }, ...after];
    const traced = [...before, { ...called, reasoning: "Look it up." }, ...after];
    expect(tracedMessages(sent as JsonObject[])).toEqual(traced);
  });

  it("have refusals, custom tools and earlier reasoning by every name that it has", () => {
    const custom = { id: "c2", type: "custom" as const, custom: { name: "sql", input: "SELECT 1" } };
    const refused = [{ type: "refusal" as const, refusal: "No." }];
    const said = { role: "assistant", content: refused, tool_calls: [custom] };
    const thinking_blocks = [{ thinking: "Two and" }, { data: "x" }, { thinking: "two." }];
    expect(
      tracedMessages([
        { ...said, reasoning: "Query." },
        { ...said, thinking_blocks },
      ]),
    ).toEqual([
      { ...said, reasoning: "Query." },
      { ...said, reasoning: "Two and\ntwo." },
    ]);
  });

  const image = (image_url: unknown) => ({ type: "image_url", image_url });
  const file = (given: object) => ({ type: "file", file: given });
  const pdf = "data:application/pdf;base64,AAAA";
  it.each<[JsonObject, string | null, number | null, object?]>([
    [image({ url: "data:image/png;base64,iVBORw0KGgo=" }), "image/png", 8],
    [image({ url: "https://example.org/a.png?signature=secret" }), null, null],
    [image("data:,a%20b"), null, null],
    [image(undefined), null, null],
    [{ type: "input_audio", input_audio: { data: "AAAAAA==", format: "wav" } }, "audio/wav", 4],
    [file({ file_data: pdf }), "application/pdf", 3],
    [file({ file_id: "file-1" }), null, null],
    [file({ filename: "a.pdf", file_data: pdf }), "application/pdf", 3, { filename: "a.pdf" }],
  ])("have type, size and name of %j, and nothing else of it", (part, media_type, bytes, name = {}) => {
    expect(tracedMessages([user([part])])).toEqual([user([{ type: part.type, media_type, bytes, ...name }])]);
  });

  it.each([null, undefined, [], 3])("have no text for the content %j", (content) => {
    expect(inputText(tracedMessages([user(content)]))).toBe("");
  });
});

/** Messages as a client might send them that leaves no field alone. */
const anyPart = (...names: readonly string[]) =>
  fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...names), fc.jsonValue()));
const anyMessage = fc.record(
  {
    role: fc.constantFrom("user", "assistant", "tool"),
    content: fc.oneof(fc.jsonValue(), fc.array(anyPart("type", "text", "thinking"))),
    tool_calls: fc.oneof(
      fc.array(anyPart("index", "function")),
      fc.constant([{ function: { name: { toString: 1 }, arguments: { valueOf: null } } }]),
    ),
    reasoning: fc.jsonValue(),
    extra_content: fc.oneof(fc.jsonValue(), fc.constant({ google: { thought: true } })),
    refusal: fc.jsonValue(),
  },
  { requiredKeys: ["role"] },
);

it("Extracting text never throws, whatever the messages of a request or of an answer are, whole or streamed", () => {
  fc.assert(
    fc.property(anyMessage, anyMessage, (first, second) => {
      expect(typeof promptText(tracedMessages([first, second]))).toBe("string");
      for (const answer of [wholeAnswer(first), collected(chunkOf(first), chunkOf(second, 1))]) {
        expect(typeof answer.output()).toBe("string");
        expect(answer.reasoning() ?? "").toEqual(expect.any(String));
        expect(answer.generated().every((piece) => typeof piece === "string")).toBe(true);
      }
    }),
  );
});

/** A chunk of one choice. */
const chunkOf = (delta: ChunkChoice["delta"], index = 0, finish_reason: string | null = null) => ({
  choices: [{ index, delta, finish_reason }],
});

/** A chunk with a piece of a tool call. */
const calling = (piece: object, index = 0) => chunkOf({ tool_calls: [{ index, function: piece }] });

function collected(...chunks: readonly ReturnType<typeof chunkOf>[]): AnswerText {
  const text = new AnswerText(1_000_000);
  for (const chunk of chunks) text.addChunk(chunk);
  return text;
}

function wholeAnswer(message: JsonObject, finish_reason = "stop"): AnswerText {
  const text = new AnswerText(1_000_000);
  text.addCompletion({ choices: [{ index: 0, message, finish_reason }] });
  return text;
}

describe("The text of an answer", () => {
  it("is the same whole and streamed, wherever it was cut", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.string(), fc.array(fc.nat(80)), (content, given, cuts) => {
        const call = { id: "c", type: "function", function: { name: "look_up", arguments: given } };
        const whole = wholeAnswer({ content, tool_calls: [call] }, "tool_calls");
        const pieces = collected(
          ...cutAt(content, cuts).map((piece) => chunkOf({ content: piece })),
          calling({ name: "look_up", arguments: "" }),
          ...cutAt(given, cuts).map((piece) => calling({ arguments: piece })),
          chunkOf({}, 0, "tool_calls"),
        );
        expect(pieces.output()).toBe(whole.output());
        expect(pieces.generated()).toEqual(whole.generated());
        expect(pieces.finishReason).toBe(whole.finishReason);
      }),
    );
  });

  it("is kept up to a maximum length, with a note: text and tool calls together, reasoning apart", () => {
    const text = new AnswerText(7);
    text.addChunk(chunkOf({ content: "12345" }));
    text.addChunk(chunkOf({ reasoning_content: "6789012" }));
    expect([text.output(), text.reasoning(), text.lengthRatio]).toEqual(["12345", "6789012", 1]);
    text.addChunk(chunkOf({ content: "6😀" }));
    text.addChunk(chunkOf({ content: "x".repeat(18) }));
    text.addChunk(calling({ name: "ab", arguments: "{}" }));
    expect(text.generated()).toEqual(["6789012", "123456", ""]);
    expect(text.output()).toContain("\n[cut: 6 of 30 characters are kept");
    expect(text.reasoning()).toBe("6789012");
    expect(text.lengthRatio).toBeCloseTo(37 / 13);
    text.addChunk(chunkOf({ reasoning_content: "y".repeat(13) }));
    expect(text.reasoning()).toBe(
      "6789012\n[cut: 7 of 20 characters are kept (SEXTANT_TRACE_MAX_TEXT_CHARACTERS)]",
    );
    expect(text.lengthRatio).toBeCloseTo(50 / 13);
  });

  it("leaves as much of a room that it shares as it takes, until it is released", () => {
    const room = { freeBytes: 12_000 };
    const keptOf = (text: AnswerText) => text.generated().join("").length;
    const texts = [1, 2, 3].map(() => {
      const text = new AnswerText(1_000_000, room);
      for (let piece = 0; piece < 300; piece++) text.addChunk(chunkOf({ content: "x".repeat(84) }));
      return text;
    });
    expect(texts.map(keptOf)).toEqual([5_040, 2_520, 1_260]);
    expect(room.freeBytes).toBeGreaterThan(1_000);
    expect(texts[0]?.output()).toContain("characters are kept (SEXTANT_TRACE_BUFFER_BYTES)]");
    for (const text of texts) text.release();
    expect(room.freeBytes).toBe(12_000);
  });

  it("has tool calls after the text, in the order they began", () => {
    const text = collected(
      chunkOf({ content: "Let me see." }),
      calling({ name: "a", arguments: "{" }),
      calling({ name: "b", arguments: "" }, 1),
      calling({ arguments: "}" }),
    );
    expect(text.output()).toBe("Let me see.\n[tool_call] a({})\n[tool_call] b()");
  });

  it("includes a refusal, and the texts of content parts", () => {
    expect(collected(chunkOf({ refusal: "No." })).output()).toBe("No.");
    const parts = [
      { type: "thinking", thinking: [] },
      { type: "text", text: "Yes." },
    ];
    expect(collected(chunkOf({ content: parts })).output()).toBe("Yes.");
  });

  it("keeps its finish reason when more chunks follow", () => {
    expect(collected(chunkOf({}, 0, "stop"), chunkOf({})).finishReason).toBe("stop");
    expect(collected(chunkOf({}, 1, "length"), chunkOf({}, 0, "stop")).finishReason).toBe("stop");
  });
});

describe("The reasoning behind an answer", () => {
  it("is `reasoning_content` of a stream and of a whole answer, and counted", () => {
    const deltas = [{ reasoning_content: "Two and " }, { reasoning_content: "two." }, { content: "4" }];
    const streamed = collected(...deltas.map((delta) => chunkOf(delta)));
    const whole = wholeAnswer({ reasoning_content: "Two and two.", content: "4" });
    for (const text of [streamed, whole]) {
      expect([text.reasoning(), text.output()]).toEqual(["Two and two.", "4"]);
      expect(text.generated()).toEqual(["Two and two.", "4"]);
    }
  });

  it("may come before and after a text, and is that of all choices in order", () => {
    const text = collected(
      chunkOf({ reasoning_content: "one" }, 1),
      chunkOf({ reasoning_content: "zero" }, 0),
      chunkOf({ content: "b" }, 1),
      chunkOf({ reasoning_content: ", two" }, 1),
      chunkOf({ content: "c" }, 1),
      chunkOf({ content: "a" }, 0),
    );
    expect([text.output(), text.reasoning()]).toEqual(["a\nbc", "zero\none, two"]);
  });

  it.each(["", "\n\n"])("is null when nothing can be read in it: %j", (reasoning) => {
    expect(
      collected(chunkOf({ reasoning_content: reasoning }), chunkOf({ content: "4" })).reasoning(),
    ).toBeNull();
  });
});

/** The text in pieces, cut at the given positions. */
function cutAt(text: string, cuts: readonly number[]): string[] {
  const bounds = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b);
  return bounds.slice(1).map((end, index) => text.slice(bounds[index], end));
}
