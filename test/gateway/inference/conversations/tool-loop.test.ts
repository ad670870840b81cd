import { describe, expect, it } from "vitest";
import {
  isInToolLoop,
  STUCK_TURNS,
  toolLoopOf,
} from "../../../../src/gateway/inference/conversations/tool-loop.js";
import { type JsonObject, RETURNED_BY_TOOL } from "../../../../src/gateway/providers/chat.js";

const user = (content: unknown): JsonObject => ({ role: "user", content });
const calls = (...given: readonly (readonly [name: string, text: string])[]): JsonObject => ({
  role: "assistant",
  content: null,
  tool_calls: given.map(([name, text], at) => ({
    ...{ id: `call_${at}`, type: "function" },
    function: { name, arguments: text },
  })),
});
const read = (file: string): JsonObject => calls(["read", `{"file":"${file}"}`]);
const result = (content: unknown = "done"): JsonObject => ({
  role: "tool",
  tool_call_id: "call_0",
  content,
});
const answer: JsonObject = { role: "assistant", content: "Rain." };
const reminder = (text: string) => `<system-reminder>\n${text}\n</system-reminder>`;
const TASK = "Now prove that the scheduler never starves a task.";

describe("A request is in a tool loop", () => {
  it.each([
    [true, [user("Weather?"), read("a"), result()]],
    [true, [user("Weather?"), read("a"), result(), user("Go on.")]],
    [true, [result()]],
    [
      true,
      [user("Weather?"), read("a"), result(), user(reminder("Your list of tasks is empty, as it was."))],
    ],
    [true, [user("Weather?"), read("a"), result(), user(`${RETURNED_BY_TOOL}toolu_0123456789abcdefgh:`)]],
    [false, [user("Weather?"), read("a"), result(), answer, user("Thanks")]],
    [false, [user("Weather?")]],
    [false, [user("Weather?"), read("a"), result(), user(TASK)]],
    [
      false,
      [
        user("Weather?"),
        read("a"),
        result(),
        user(reminder(`The user sent the following message:\n${TASK}`)),
      ],
    ],
  ])("is %s after the last answer of %j", (expected, messages) => {
    expect(isInToolLoop(messages)).toBe(expected);
  });
});

describe("The tool loop of a request", () => {
  it("is none without results of tools since the user wrote", () => {
    expect(toolLoopOf([user("Hello")])).toBeUndefined();
    expect(toolLoopOf([user("Hello"), read("a"), result(), answer, user("Thanks")])).toBeUndefined();
  });

  it("has turns, failed calls, and calls that were made before", () => {
    const messages = [
      ...[user("Fix it"), read("a"), result(), read("b"), result("Error: no such file")],
      ...[calls(["read", '{"file":"a"}'], ["run", "{}"]), result(), result("exit code 1\nfailed")],
    ];
    expect(toolLoopOf(messages)).toEqual({
      ...{ state: "running", turn: 4, tool_errors: 2, repeated_calls: 1, stuck_tool: null },
    });
  });

  it("begins anew when the user writes, and not with reminders of the agent", () => {
    const loop = [user("Fix it"), read("a"), result(), read("b"), result()];
    expect(toolLoopOf([...loop, user(reminder("The list is empty."))])?.turn).toBe(3);
    expect(toolLoopOf([...loop, user(TASK), read("c"), result()])?.turn).toBe(2);
  });

  it("is stuck when the last turns made the same calls", () => {
    const turns = (count: number) => Array.from({ length: count }, () => [read("a"), result()]).flat();
    const asked = [user("Fix it"), read("b"), result()];
    expect(toolLoopOf([...asked, ...turns(STUCK_TURNS - 1)])?.state).toBe("running");
    expect(toolLoopOf([...asked, ...turns(STUCK_TURNS)])).toMatchObject({
      ...{ state: "stuck", stuck_tool: "read", repeated_calls: STUCK_TURNS - 1 },
    });
    const moved = [...asked, ...turns(STUCK_TURNS), read("c"), result()];
    expect(toolLoopOf(moved)).toMatchObject({ state: "running", stuck_tool: null });
    // Edits of one file between that are not the same.
    const edits = Array.from({ length: STUCK_TURNS }, (_, at) => [
      read("a"),
      result(),
      read(`${at}`),
      result(),
    ]);
    expect(toolLoopOf([...asked, ...edits.flat()])?.state).toBe("running");
  });

  it("is read in bounded time, whatever the messages hold", () => {
    const long = calls(["write", "x".repeat(2_000_000)]);
    const messages = [user("Fix it"), ...Array.from({ length: 3000 }, () => [long, result()]).flat()];
    const startMs = performance.now();
    expect(toolLoopOf(messages)?.state).toBe("stuck");
    expect(performance.now() - startMs).toBeLessThan(500);
    expect(isInToolLoop([...messages, user("<system-reminder>".repeat(100_000))])).toBe(false);
    expect(
      toolLoopOf([user("a"), { role: "assistant", tool_calls: "no list" }, { role: "tool" }])?.turn,
    ).toBe(2);
  });
});
