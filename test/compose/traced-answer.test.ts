import { describe, expect, it } from "vitest";
import { type FinishedTrace, usableAnswer } from "../../src/compose/traced-answer.js";
import { said } from "../gateway/traces/trace-for-test.js";

const trace = (changes: Partial<FinishedTrace> = {}): FinishedTrace => ({
  request_id: "req_1",
  kind: "chat",
  status: "success",
  model: "large",
  tokens_in: 10,
  tokens_out: 20,
  cost_usd: 0.01,
  latency_ms: 5,
  finish_reason: "stop",
  messages: said("What is 2 + 2?"),
  output_text: "<think>\n2 + 2\n</think>\n\n4",
  attempts: [{}],
  feedback: { score: 1 },
  routing: { selected_model: "large" },
  ...changes,
});

describe("usableAnswer", () => {
  it("takes prompt, answer without its reasoning, grade and figures from a trace", () => {
    expect(usableAnswer(trace())).toEqual({
      requestId: "req_1",
      promptId: expect.stringMatching(/^[0-9a-f]{32}$/),
      prompt: "What is 2 + 2?",
      input: "What is 2 + 2?",
      answer: "4",
      model: "large",
      feedback: 1,
      tokensIn: 10,
      tokensOut: 20,
      costUsd: 0.01,
      latencyMs: 5,
      probability: 1,
      explored: false,
      explorable: false,
      expectedUsd: null,
      ttftMs: null,
      failures: 0,
    });
  });

  it("takes graded answers of comparisons, and not what their judges said", () => {
    expect(usableAnswer(trace({ kind: "comparison" }))).toMatchObject({ answer: "4" });
    expect(usableAnswer(trace({ kind: "comparison", feedback: null }))).toBe("failed");
  });

  it("takes the prompt from the messages, whatever lines they have", () => {
    const asked = "Translate this, please, into German:\nuser: hello";
    const messages = [
      { role: "system", content: "Be brief.\nuser: not asked" },
      { role: "user", content: [{ type: "text", text: asked }] },
    ] as const;
    expect(usableAnswer(trace({ messages }))).toMatchObject({
      prompt: asked,
      input: `system: Be brief.\nuser: not asked\nuser: ${asked}`,
    });
  });

  it("gives requests with the same prompt the same id", () => {
    const ids = ["one", "one", "two"].map((text) => usableAnswer(trace({ messages: said(text) })));
    expect(ids[0]).toEqual(ids[1]);
    expect(ids[0]).not.toMatchObject({ promptId: (ids[2] as { promptId: string }).promptId });
  });

  const routed = (exploration: object) => ({ routing: { selected_model: "large", exploration } });
  it.each([
    ["was explored", routed({ explored: true, probability: 0.0025 }), 0.0025, true],
    ["was decided", routed({ explored: false, probability: 0.98 }), 0.98, false],
    ["its client named", { routing: null }, null, false],
    ["stood in for a model that failed", { routing: { selected_model: "small" } }, null, false],
  ])("knows the probability of a choice that %s", (_, changes, probability, explored) => {
    expect(usableAnswer(trace(changes as Partial<FinishedTrace>))).toMatchObject({ probability, explored });
  });

  it("does not bill a model what failed calls before it cost", () => {
    expect(usableAnswer(trace({ attempts: [{}, {}] }))).toMatchObject({ costUsd: null });
  });

  it("counts the calls of its model that the provider failed", () => {
    const attempts = [
      { model: "large", status: 503, code: "provider_error" },
      { model: "large", status: null, code: "timeout" },
      { model: "large", status: null, code: "paused" },
      { model: "large", status: 429, code: "rate_limited" },
      { model: "small", status: 500, code: "provider_error" },
      { model: "large", status: 200, code: "ok" },
    ];
    expect(usableAnswer(trace({ attempts }))).toMatchObject({ failures: 2 });
  });

  it.each([
    ["failed", { status: "error", model: null }],
    ["asked for embeddings", { kind: "embeddings" }],
    ["was a decision alone", { kind: "router", attempts: [] }],
    ["was cut off by a content filter", { finish_reason: "content_filter" }],
  ])("leaves out a request that %s", (_, changes) => {
    expect(usableAnswer(trace(changes))).toBe("failed");
  });

  it("leaves out a request whose text was not kept", () => {
    const { messages: _, ...without } = trace();
    expect(usableAnswer(without)).toBe("text");
  });
});
