import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { printedBy } from "../../../src/foundation/printed-by.js";
import { commandGrader } from "../../../src/workbench/graders/command.js";
import type { LocalGrader } from "../../../src/workbench/graders/grader.js";
import { ManualTime } from "../../fakes/manual-time.js";
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

  it("accepts a command that reads nothing", async () => expect(await gradeWith("echo 1")).toBe(1));

  it.each([
    ["exit 3", "the command ended with 3"],
    ["echo no module named x >&2; exit 1", "the command ended with 1: no module named x"],
    ["no-such-command-here", "the command ended with 127"],
    ["echo 2", 'the command printed "2", not a number from 0 to 1'],
    ["true", 'the command printed ""'],
  ])("grades nothing when it fails: %s", async (command, message) => {
    await expect(gradeWith(command)).rejects.toThrow(message);
  });

  it("takes no longer than it is given", async () => {
    await expect(gradeWith("sleep 60", { timeoutMs: 1 })).rejects.toThrow(
      "the command took longer than 0.001 s",
    );
  });

  it("ends with all that the command started", async () => {
    const workingDirectory = folderForTest();
    const written = () => readIfThere(join(workingDirectory, "started")).trim();
    const time = new ManualTime();
    const limits = { timeoutMs: 1_000, signal: NEVER, workingDirectory, timers: time.timers };
    const ended = printedBy("sleep 60 & echo $! > started; sleep 60", ANSWER, limits);
    const failure = expect(ended).rejects.toThrow("the command took longer than 1 s");
    await expect.poll(written).not.toBe("");
    await time.advance(1_000);
    await failure;
    // Empty of a process that has ended and that nobody has asked about yet.
    await expect.poll(() => readIfThere(`/proc/${written()}/cmdline`)).toBe("");
  });
});

const readIfThere = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");
