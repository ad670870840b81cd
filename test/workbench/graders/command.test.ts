import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandGrader } from "../../../src/workbench/graders/command.js";
import type { LocalGrader } from "../../../src/workbench/graders/grader.js";
import { folderForTest } from "../../support/folders.js";

const ANSWER = { id: "p-1", model: "m", prompt: "2 + 2?", answer: "four", reference: ["4", "four"] };
const NEVER = new AbortController().signal;

const gradeWith = (command: string, options: { timeoutMs?: number; workingDirectory?: string } = {}) =>
  (commandGrader({ command, ...options }) as LocalGrader).grade(ANSWER, { signal: NEVER });

describe("The grader by a command", () => {
  it("gives it the answer as JSON and takes the number that it prints", async () => {
    const workingDirectory = folderForTest();
    expect(await gradeWith("cat > seen.json; echo .25", { workingDirectory })).toBe(0.25);
    expect(JSON.parse(readFileSync(join(workingDirectory, "seen.json"), "utf8"))).toEqual(ANSWER);
  });

  it("accepts a command that reads nothing", async () => {
    expect(await gradeWith("echo 1")).toBe(1);
  });

  it.each([
    ["exit 3", "the command ended with 3"],
    ["echo no module named x >&2; exit 1", "the command ended with 1: no module named x"],
    ["no-such-command-here", "the command ended with 127"],
    ["echo 2", 'the command printed "2", not a number from 0 to 1'],
    ["echo good", 'the command printed "good"'],
    ["true", 'the command printed ""'],
  ])("grades nothing when it fails: %s", async (command, message) => {
    await expect(gradeWith(command)).rejects.toThrow(message);
  });

  it("ends a command that takes too long, with all that it started", async () => {
    const workingDirectory = folderForTest();
    const command = "sleep 60 & echo $! > started; sleep 60";
    await expect(gradeWith(command, { workingDirectory, timeoutMs: 2_000 })).rejects.toThrow(
      "the command took longer than 2 s",
    );
    const started = Number(readFileSync(join(workingDirectory, "started"), "utf8"));
    // Empty of a process that has ended and that nobody has asked about yet.
    const file = `/proc/${started}/cmdline`;
    await expect.poll(() => (existsSync(file) ? readFileSync(file, "utf8") : "")).toBe("");
  });
});
