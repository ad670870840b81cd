import { describe, expect, it } from "vitest";
import { type JsonObject, RETURNED_BY_TOOL } from "../../../src/gateway/providers/chat.js";
import { isFailing, isInToolLoop, STUCK_TURNS, toolLoopOf } from "../../../src/gateway/run/tool-loop.js";

const user = (content: unknown): JsonObject => ({ role: "user", content });
const calls = (...given: readonly (readonly [name: string, text: string])[]): JsonObject => ({
  role: "assistant",
  content: null,
  tool_calls: given.map(([name, text]) => ({ type: "function", function: { name, arguments: text } })),
});
const result = (content: unknown = "done"): JsonObject => ({ role: "tool", content });
const turn = (file: string) => [calls(["read", `{"file":"${file}"}`]), result()];
const turns = (count: number, file: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => turn(file(at))).flat();
const answer: JsonObject = { role: "assistant", content: "Rain." };
const reminder = (text: string) => `<system-reminder>\n${text}\n</system-reminder>`;
const ASKED = user("Fix it");
const TASK = "Now prove that the scheduler never starves a task.";

it.each<[boolean, string, readonly JsonObject[]]>([
  [true, "a result of a tool", [ASKED, ...turn("a")]],
  [true, "a result alone", [result()]],
  [true, "a result and a word to go on", [ASKED, ...turn("a"), user("Go on.")]],
  [true, "a result and an agent's reminder", [ASKED, ...turn("a"), user(reminder("Your list is empty."))]],
  [true, "a result and a tool's text", [ASKED, ...turn("a"), user(`${RETURNED_BY_TOOL}toolu_0123456789:`)]],
  [false, "a question", [ASKED]],
  [false, "thanks for an answer", [ASKED, ...turn("a"), answer, user("Thanks")]],
  [false, "a result and another task", [ASKED, ...turn("a"), user(TASK)]],
  [
    false,
    "a result and a task in a reminder",
    [ASKED, ...turn("a"), user(reminder(`The user sent the following message:\n${TASK}`))],
  ],
])("That a request is in a tool loop is %s after %s", (expected, _, messages) => {
  expect(isInToolLoop(messages)).toBe(expected);
});

it("A loop fails once so many results have, or while it is stuck, and never at 0", () => {
  const failed = [ASKED, ...turns(2, String), result("Error: no such file")];
  expect([0, 1, 2].map((most) => isFailing(failed, most))).toEqual([false, true, false]);
  const stuck = [ASKED, ...turns(STUCK_TURNS, () => "same")];
  expect([0, 9].map((most) => isFailing(stuck, most))).toEqual([false, true]);
  expect(isFailing([ASKED], 1)).toBe(false);
});

describe("The tool loop of a request", () => {
  it("is none without results of tools since the user wrote", () => {
    expect(toolLoopOf([ASKED])).toBeUndefined();
    expect(toolLoopOf([ASKED, ...turn("a"), answer, user("Thanks")])).toBeUndefined();
  });

  it("has turns, failed calls, and calls that were made before", () => {
    const failed = [result("Error: no such file"), calls(["read", '{"file":"a"}'], ["run", "{}"])];
    const messages = [
      ASKED,
      ...turn("a"),
      ...turn("b").slice(0, 1),
      ...failed,
      result(),
      result("exit code 1"),
    ];
    const counts = { turn: 4, tool_errors: 2, repeated_calls: 1 };
    expect(toolLoopOf(messages)).toEqual({ state: "running", stuck_tool: null, ...counts });
  });

  it.each([
    [1, "Exit code: 1\nWall time: 0.1 seconds\nOutput:\n"],
    [1, "Chunk ID: a1b2\nWall time: 0.1000 seconds\nProcess exited with code 127\nOutput:\n"],
    [1, "Wall time: 0.1000 seconds\nProcess exited with code -1\nOutput:\n"],
    [0, "Chunk ID: a1b2\nWall time: 0.1000 seconds\nProcess exited with code 0\nOutput:\nexit code 1"],
    [0, "Wall time: 10.0000 seconds\nProcess running with session ID 7\nOutput:\n"],
  ])("has %i failed call in a result of Codex that is %j", (failed, text) => {
    expect(toolLoopOf([ASKED, ...turn("a").slice(0, 1), result(text)])?.tool_errors).toBe(failed);
  });

  it("begins anew when the user writes, and not with reminders of the agent", () => {
    const loop = [ASKED, ...turn("a"), ...turn("b")];
    expect(toolLoopOf([...loop, user(reminder("The list is empty."))])?.turn).toBe(3);
    expect(toolLoopOf([...loop, user(TASK), ...turn("c")])?.turn).toBe(2);
  });

  it.each<[string, string | null, readonly JsonObject[]]>([
    ["stuck when the last turns made the same call", "read", turns(STUCK_TURNS, () => "a")],
    ["running before", null, turns(STUCK_TURNS - 1, () => "a")],
    ["running again after another call", null, [...turns(STUCK_TURNS, () => "a"), ...turn("c")]],
    ["running while calls change in between", null, turns(2 * STUCK_TURNS, (at) => (at % 2 ? "a" : `${at}`))],
  ])("is %s", (_, tool, messages) => {
    const state = tool === null ? "running" : "stuck";
    expect(toolLoopOf([ASKED, ...turn("b"), ...messages])).toMatchObject({ state, stuck_tool: tool });
  });

  it("is read from the beginnings of long messages", () => {
    const sameBeginning = ["a", "b"].map((end) => calls(["write", "x".repeat(4000) + end]));
    const late = result(`${" ".repeat(4000)}Error`);
    const counts = { repeated_calls: 1, tool_errors: 0 };
    expect(toolLoopOf([ASKED, ...sameBeginning, late])).toMatchObject(counts);
  });

  it("is read from messages of any form", () => {
    expect(isInToolLoop([...turn("a"), user("<system-reminder>".repeat(100_000))])).toBe(false);
    const odd = [ASKED, { role: "assistant", tool_calls: "no list" }, { role: "tool" }];
    expect(toolLoopOf(odd)?.turn).toBe(2);
  });
});
