/** What the pages of traces say of a request. */
import { describe, expect, it } from "vitest";
import { groupedTurns } from "../../src/console/traces/conversation-tag.js";
import { foldedTurns } from "../../src/console/traces/folded-turns.js";
import { outcomeText } from "../../src/console/traces/outcome.js";
import { withResults } from "../../src/console/traces/tool-calls.js";
import type { TurnBody as Turn } from "../../src/gateway/features/traces/schema/conversation.js";
import type { TracedAnswerBody as TracedAnswer } from "../../src/gateway/features/traces/schema/operator-trace.js";
import type { TracedMessageBody as TracedMessage } from "../../src/gateway/features/traces/schema/trace.js";

type Told = Parameters<typeof outcomeText>[0];
type Attempt = Told["attempts"][number];

const call = (model: string, code: string, parts: Partial<Attempt> = {}): Attempt => ({
  provider: "lab",
  model,
  code,
  status: null,
  message: null,
  latency_ms: 1,
  ...parts,
});
const ok = call("gpt-5.4-nano", "ok", { provider: "openai", status: 200 });
const told = (parts: Partial<Told>): string =>
  outcomeText({
    requested_model: "llama",
    model: "gpt-5.4-nano",
    provider: "openai",
    status: "success",
    error: null,
    attempts: [ok],
    routing: null,
    ...parts,
  });
const routing = (selected_model: string, reason = "cheapest") =>
  ({ selected_model, reason, cost_weight: 0.3 }) as Told["routing"];

describe("What became of a request", () => {
  const failed = call("llama", "server_error", { status: 500 });
  const failure = { status: "error", error: { code: "upstream_error", message: "" } } as const;
  it.each<[Partial<Told>, string]>([
    [
      { attempts: [failed, failed, ok] },
      "Asked for llama; llama at lab failed twice (HTTP 500); answered by the fallback gpt-5.4-nano at openai.",
    ],
    [
      { attempts: [call("llama", "paused"), ok] },
      "Asked for llama; llama is paused by an operator; answered by gpt-5.4-nano at openai instead.",
    ],
    [
      { requested_model: "auto:support", routing: routing("gpt-5.4-nano") },
      "Asked for auto:support at cost weight 0.3; answered by gpt-5.4-nano at openai.",
    ],
    [
      { routing: routing("gpt-5.4-nano", "cheapest; the budget all is used up, and the preset low answers") },
      "Asked for llama at cost weight 0.3; the budget all is used up, and the preset low answers; answered by gpt-5.4-nano at openai.",
    ],
    [
      { requested_model: "auto", routing: routing("llama"), attempts: [failed, ok] },
      "Asked for auto at cost weight 0.3; llama at lab failed (HTTP 500); answered by the next candidate gpt-5.4-nano at openai.",
    ],
    [
      { requested_model: null, routing: routing("llama"), attempts: [] },
      "Asked for a decision at cost weight 0.3; no model was called.",
    ],
    [
      { ...failure, attempts: [call("llama", "circuit_open")] },
      "Asked for llama; llama at lab was passed over because it kept failing; not answered: upstream error.",
    ],
  ])("is said in a sentence: %#", (parts, text) => expect(told(parts)).toBe(text));
});

const answer = (...names: string[]): TracedAnswer => ({
  role: "assistant",
  text: "",
  reasoning: null,
  tool_calls: names.map((name) => ({ name, arguments: "{}" })),
});
const result = (content: string, id?: string): TracedMessage => ({ role: "tool", content, tool_call_id: id });

describe("Calls of tools", () => {
  it("have their results, by id or in their order, and say which failed", () => {
    const exited = "Chunk ID: a1\nWall time: 1.0000 seconds\nProcess exited with code 2\nOutput:\n";
    const calls = ["a", "b", "c"].map((id) => ({
      id,
      type: "function" as const,
      function: { name: id, arguments: "" },
    }));
    const asked: TracedMessage = { role: "assistant", content: null, tool_calls: calls };
    const messages = [asked, result("Error: no", "b"), result("7 °C"), result(exited), result("stray")];
    const said = withResults(messages.map((message) => ({ message })));
    expect(said.map(({ calls: of }) => of.map((one) => [one.name, one.result, one.isFailed]))).toEqual([
      [
        ["a", "7 °C", false],
        ["b", "Error: no", true],
        ["c", exited, true],
      ],
      [],
    ]);
  });

  it("that a turn only repeats are folded into the turn before", () => {
    const turn = (id: string, messages: readonly TracedMessage[], said: TracedAnswer) =>
      ({ request_id: id, messages, answer: said, tokens_out: 1 }) as Turn;
    const turns = foldedTurns([
      turn("1", [{ role: "user", content: "Go." }], answer("find")),
      turn("2", [result("none")], answer("find")),
      turn("3", [result("none")], answer("find")),
      turn("4", [result("found")], answer("open")),
    ]);
    expect(turns.map((one) => [one.turn.request_id, one.repeats.length])).toEqual([
      ["1", 2],
      ["4", 0],
    ]);
  });

  it("are one row for a conversation", () => {
    const traces = [{ session_id: "s" }, { team: "t" }, { session_id: "s" }].map((metadata, at) => ({
      request_id: `${at}`,
      metadata: metadata as Readonly<Record<string, string>>,
    }));
    expect(groupedTurns(traces).map(({ trace, turns }) => [trace.request_id, turns])).toEqual([
      ["0", 2],
      ["1", 1],
    ]);
  });
});
