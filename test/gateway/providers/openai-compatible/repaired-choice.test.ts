/** What servers send for an answer, from their users' reports, and what every client reads of it. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/gateway/providers/chat.js";
import { wholeAnswer } from "../../../../src/gateway/providers/http/whole-answer.js";
import { ChunkReader } from "../../../../src/gateway/providers/openai-compatible/chunk-reader.js";
import { quirksFor } from "../../../../src/gateway/providers/openai-compatible/quirks.js";
import { ProviderFault, type StreamEvent } from "../../../../src/gateway/providers/provider.js";

const quirks = quirksFor({ id: "lab", baseUrl: "http://lab/v1" });
const reader = (functions = false) => new ChunkReader({ quirks, wanted: 1, functions });

const piece = (delta: JsonObject, finish_reason: unknown = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});
const sse = (chunks: readonly JsonObject[], end = "data: [DONE]\n\n") =>
  chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("") + end;

/** The answer, put together. */
function answered(text: string, functions = false) {
  const [choice] = wholeAnswer(text, reader(functions)).completion.choices;
  const calls = (choice?.message.tool_calls ?? []) as JsonObject[];
  return { ...choice?.message, finish: choice?.finish_reason, calls: calls.map(shown) };
}

/** A call in the form of the table: `id name arguments`, with `*` for an id that was made. */
const shown = ({ id, type, function: called }: JsonObject): string => {
  const { name, arguments: given } = called as JsonObject;
  expect(type).toBe("function");
  return `${String(id).replace(/^call_[0-9a-f]{32}$/, "*")} ${name} ${given}`;
};

const call = (members: JsonObject, name: unknown, given: unknown = "") => ({
  ...members,
  function: { name, arguments: given },
});
const calls = (...list: readonly JsonObject[]) => piece({ tool_calls: list });
const A = { index: 0, id: "a" };
const [BEGIN, MORE, END] = ['{"at":', '"Rome', '"}'];
const ROME = BEGIN + MORE + END;

describe("Calls of tools in a stream", () => {
  it.each<[sent: string, chunks: readonly JsonObject[], read: readonly string[]]>([
    [
      "as OpenAI does",
      [calls(call(A, "f", BEGIN)), calls(call({ index: 0 }, undefined, MORE + END))],
      [`a f ${ROME}`],
    ],
    // github.com/ollama/ollama/issues/15457
    [
      "all with index 0",
      [
        calls(call(A, "f", ROME)),
        calls(call({ index: 0, id: "b" }, "g", BEGIN)),
        calls(call({ index: 0 }, null, MORE + END)),
      ],
      [`a f ${ROME}`, `b g ${ROME}`],
    ],
    // github.com/su-kaka/gcli2api/pull/406 (2026-08-28)
    [
      "all with index 0, without ids",
      [calls(call({ index: 0, id: "" }, "f", ROME)), calls(call({ index: 0, id: "" }, "f", ROME))],
      [`* f ${ROME}`, `* f ${ROME}`],
    ],
    [
      "without indexes",
      [
        calls(call({ id: "a" }, "f", BEGIN), call({ id: "b" }, "g", ROME)),
        calls(call({ id: "a" }, null, MORE + END)),
      ],
      [`a f ${ROME}`, `b g ${ROME}`],
    ],
    // github.com/NousResearch/hermes-agent/pull/11984 (2026-04-18), github.com/SillyTavern/SillyTavern/pull/5948 (2026-08-19)
    [
      "with id and name in every piece",
      [BEGIN, MORE, END].map((given) => calls(call({ ...A, type: "function" }, "f", given))),
      [`a f ${ROME}`],
    ],
    // github.com/NousResearch/hermes-agent/issues/8259 (2026-04-13)
    [
      "with the name alone in every piece",
      [BEGIN, MORE, END].map((given) => calls(call({ index: 0 }, "f", given))),
      [`* f ${ROME}`],
    ],
    // github.com/vercel/ai/issues/14722 (2026-04-24)
    [
      "with the name after the arguments",
      [calls(call(A, null, BEGIN)), calls(call({ index: 0 }, "", MORE)), calls(call({ index: 0 }, "f", END))],
      [`a f ${ROME}`],
    ],
    // github.com/BerriAI/litellm/issues/12513 (2025-07-11)
    [
      'with the name "null" and no id later on',
      [
        calls(call({ ...A, type: "FUNCTION" }, "f", BEGIN)),
        calls(call({ index: 0, id: "" }, "null", MORE + END)),
      ],
      [`a f ${ROME}`],
    ],
    // github.com/BerriAI/litellm/issues/20480 (2026-02-05)
    [
      "once more at the end, whole",
      [calls(call(A, "f", BEGIN)), calls(call({ index: 0 }, null, MORE + END)), calls(call(A, "f", ROME))],
      [`a f ${ROME}`],
    ],
    // github.com/ggml-org/llama.cpp/issues/20198 (2026-03-08)
    ["with arguments that are an object", [calls(call(A, "f", { at: "Rome" }))], [`a f ${ROME}`]],
    // github.com/deepset-ai/haystack/issues/9408 (2025-05-19), github.com/vllm-project/vllm/issues/19419 (2025-06-10)
    ["without arguments", [calls(call(A, "f", ""))], ["a f {}"]],
    [
      "that have no name, which no one can make",
      [piece({ content: "x", tool_calls: [call(A, null, ROME)] })],
      [],
    ],
    ["in the old form", [piece({ function_call: { name: "f", arguments: ROME } })], [`* f ${ROME}`]],
    ["as no list", [piece({ tool_calls: call(A, "f", ROME) })], [`a f ${ROME}`]],
  ])("that come %s are whole, and named once", (_, chunks, read) => {
    for (const reason of ["stop", "tool_calls", undefined]) {
      const text = sse([...chunks, ...(reason === undefined ? [] : [piece({}, reason)])]);
      expect(answered(text)).toMatchObject({ calls: read, finish: read.length > 0 ? "tool_calls" : "stop" });
    }
    const events: StreamEvent[] = [];
    const stream = reader();
    for (const body of chunks) stream.read({ event: null, body: JSON.parse(JSON.stringify(body)) }, events);
    const pieces = events.flatMap(({ chunk }) => (chunk?.choices[0]?.delta.tool_calls ?? []) as JsonObject[]);
    const firsts = pieces.filter(({ id }) => id !== undefined);
    expect(firsts.map(({ index }) => index)).toEqual(read.map((_, index) => index));
    for (const { id, type, function: called } of pieces) {
      expect("name" in (called as JsonObject)).toBe(id !== undefined);
      expect(type).toBe(id === undefined ? undefined : "function");
    }
  });

  it("are left in the old form for a client that asked in it", () => {
    const called = { name: "f", arguments: "{}" };
    const text = sse([piece({ function_call: called }), piece({}, "function_call")]);
    expect(answered(text, true)).toMatchObject({ function_call: called, finish: "function_call", calls: [] });
  });

  it("are cut off where the end comes in the middle of their arguments", () => {
    expect(() => answered(sse([calls(call(A, "f", BEGIN))]))).toThrow(
      expect.objectContaining({ code: "cut_off" }),
    );
  });
});

describe("What was said", () => {
  const thought = (text: unknown) => ({ type: "thinking", thinking: text });
  const marked = { extra_content: { google: { thought: true } } };
  it.each<[sent: string, deltas: readonly JsonObject[]]>([
    ["under reasoning_content", [{ reasoning_content: "Hm" }, { reasoning_content: "." }]],
    // github.com/aixplain/aiXplain/pull/1012 (2026-07-28)
    ["under reasoning", [{ reasoning: "Hm" }, { reasoning: "." }]],
    ["under both", [{ reasoning: "Hm.", reasoning_content: "Hm." }]],
    ["under thinking", [{ thinking: "Hm." }]],
    // openrouter.ai/docs/guides/best-practices/reasoning-tokens
    [
      "in reasoning_details",
      [
        {
          reasoning_details: [
            { type: "reasoning.text", text: "Hm" },
            { type: "reasoning.encrypted", data: "x" },
          ],
        },
        { reasoning_details: [{ type: "reasoning.summary", summary: "." }] },
      ],
    ],
    // Mistral
    ["in parts", [{ content: [thought([{ type: "text", text: "Hm" }]), thought(".")] }]],
    // Databricks
    ["in a part with a summary", [{ content: [{ type: "reasoning", summary: [{ text: "Hm." }] }] }]],
    // ai.google.dev/gemini-api/docs/openai
    [
      "between tags",
      [{ content: "<thought>Hm", ...marked }, { content: ".", ...marked }, { content: "</thought>" }],
    ],
    ["in one piece between tags", [{ content: "<thought>Hm.</thought>", ...marked }]],
  ])("%s is text and reasoning_content", (_, deltas) => {
    const said = [{ content: [{ type: "text", text: "Tw" }] }, { content: "o." }];
    const streamed = sse([...deltas, ...said].map((delta) => piece(delta)));
    expect(answered(streamed)).toMatchObject({ content: "Two.", reasoning_content: "Hm.", finish: "stop" });
  });

  it("is nothing of an answer that ends without a reason, and without more than thoughts", () => {
    // github.com/learningdog1/CommandCodeGo-manager/issues/5 (2026-09-21)
    expect(() => answered(sse([piece({ reasoning: "Hm" }, "")]))).toThrow(
      expect.objectContaining({ code: "cut_off" }),
    );
  });

  it("counts once where the last event says all of it again", () => {
    // github.com/GCWing/OpenBitFun/pull/792 (2026-05-19)
    const whole = { choices: [{ index: 0, message: { content: "Two." }, finish_reason: "stop" }] };
    expect(answered(sse([piece({ content: "Two." }), whole]))).toMatchObject({
      content: "Two.",
      finish: "stop",
    });
    expect(answered(JSON.stringify(whole))).toMatchObject({
      content: "Two.",
      refusal: null,
      role: "assistant",
    });
  });

  it("has the role once, whatever role its pieces have", () => {
    // github.com/MiniMax-AI/MiniMax-M2.5/issues/2 (2026-02-16)
    const events: StreamEvent[] = [];
    const stream = reader();
    for (const role of [undefined, "", "assistant", null])
      stream.read({ event: null, body: piece({ role, content: "a" }) }, events);
    const roles = events.map(({ chunk }) => chunk?.choices[0]?.delta.role);
    expect(roles).toEqual(["assistant", undefined, undefined, undefined]);
  });
});

describe("The finish reason", () => {
  const words: readonly (readonly [string, readonly string[]])[] = [
    [
      "stop",
      ["stop", "STOP", "eos", "eos_token", "end_turn", "stop_sequence", "tool_calls", "tool_use", "load"],
    ],
    [
      "length",
      [
        "length",
        "max_tokens",
        "MAX_TOKENS",
        "max_output_tokens",
        "model_length",
        "model_context_window_exceeded",
      ],
    ],
    [
      "content_filter",
      ["content_filter", "content-filter", "SAFETY", "sensitive", "refusal", "PROHIBITED_CONTENT"],
    ],
  ];
  it.each(words)("is %s for %j", (official, given) => {
    for (const word of given)
      expect(answered(sse([piece({ content: "a" }), piece({}, word)])).finish).toBe(official);
  });

  it.each([
    "error",
    "network_error",
    "network-error",
    "insufficient_system_resource",
    "abort",
    "MALFORMED_FUNCTION_CALL",
  ])("%s is a failure", (word) => {
    const failed = sse([piece({ content: "a" }), piece({}, word)]);
    expect(() => answered(failed)).toThrow(ProviderFault);
    expect(() => answered(failed)).toThrow(
      expect.objectContaining({ code: "server_error", upstreamCode: word }),
    );
  });

  it("comes once and last, whatever is said after it", () => {
    // Empty in every piece: github.com/ollama/ollama/issues/4357 (2024-05-11), "null": github.com/PowerShell/AIShell/issues/350
    // (2025-03-07); before the text: github.com/PawanOsman/OpenCursor/issues/88 (2024-04-12).
    for (const reason of ["", "null", null, "stop"]) {
      const chunks = [piece({ content: "Tw" }, reason), piece({ content: "o." }, reason)];
      const read = answered(
        sse([...chunks, calls(call(A, "f", "{}")), piece({}, "stop"), piece({}, "stop")]),
      );
      expect(read).toMatchObject({ content: "Two.", calls: ["a f {}"], finish: "tool_calls" });
    }
  });

  it("is that of the whole answer where what follows it cannot be read, or is missing", () => {
    const chunks = [piece({ content: "Two." }), piece({}, "stop")];
    for (const end of [
      "",
      "data: {\n\n",
      'data: {"error":{"message":"late"}}\n\n',
      "data: [DONE] ",
      "data: bye\n\n",
    ])
      expect(answered(sse(chunks, end))).toMatchObject({ content: "Two.", finish: "stop" });
    for (const end of ["", "data: {\n\n", "data: bye\n\n"])
      expect(() => answered(sse(chunks.slice(0, 1), end))).toThrow(ProviderFault);
  });
});

it("Events that only keep a stream open, and the signs around events, say nothing", () => {
  const chunks = [piece({ content: "Two." }), piece({}, "stop")].map(
    (chunk) => `data: ${JSON.stringify(chunk)}`,
  );
  const idle = [
    "data:",
    "data: ",
    ": PROCESSING",
    "event: heartbeat\ndata: ping",
    'event: odd\ndata: {"a":1}',
    "id: 7",
    "retry: 5",
  ];
  for (const between of idle)
    for (const end of ["\n", "\r\n", "\r"]) {
      const text = `\uFEFF${[between, chunks[0], between, chunks[1], between, "data: [DONE]", between].join("\n\n")}`;
      expect(answered(text.replaceAll("\n", end))).toMatchObject({ content: "Two.", finish: "stop" });
    }
  expect(() => answered(`${chunks[0]}\n\nevent: error\ndata: upstream failed\n\n`)).toThrow(
    expect.objectContaining({ code: "server_error", upstreamMessage: "upstream failed" }),
  );
});
