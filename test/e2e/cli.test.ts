/** The command line as a process, with the shipped embedder and a profile set built from the sample in this repository. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { folderForTests } from "../support/folders.js";
import { sampleSet } from "./sample-set.js";
import { MAIN } from "./server-process.js";

const folder = folderForTests();

function start(argv: readonly string[], environment: Record<string, string> = {}): ChildProcess {
  const { PATH } = process.env;
  return spawn(process.execPath, [MAIN, ...argv], {
    cwd: folder,
    env: { PATH, SEXTANT_PROFILES: sampleSet(), ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
}

async function run(argv: readonly string[], stdin = "") {
  const child = start(argv);
  child.stdin?.end(stdin);
  const [stdout, stderr, exitCode] = await Promise.all([
    collected(child.stdout),
    collected(child.stderr),
    new Promise<number | null>((resolve) => child.once("exit", resolve)),
  ]);
  return { stdout, stderr, exitCode };
}

async function collected(stream: NodeJS.ReadableStream | null): Promise<string> {
  const chunks: string[] = [];
  for await (const chunk of stream ?? []) chunks.push(String(chunk));
  return chunks.join("");
}

describe("sextant route", () => {
  it("makes the same decision in every process", async () => {
    const decided = async () => {
      const { stdout } = await run(["route", "What is 2 + 2?", "--json"]);
      const { timings_ms: _timings, ...routing } = JSON.parse(stdout).routing;
      return routing;
    };
    const [first, second] = await Promise.all([decided(), decided()]);
    expect(first).toEqual(second);
    expect(first.candidates.length).toBeGreaterThan(1);
  });

  it("decides a batch from standard input, and tolerates a reader that closes the pipe", async () => {
    const ids = Array.from({ length: 2000 }, (_, id) => id);
    const lines = ids.map((id) => JSON.stringify({ id, prompt: `What is ${id} + ${id}?` })).join("\n");
    const { stdout, exitCode } = await run(["route", "--batch", "-"], lines);
    expect(exitCode).toBe(0);
    const decided = stdout.trimEnd().split("\n");
    expect(decided.map((line) => JSON.parse(line).id)).toEqual(ids);
    writeFileSync(join(folder, "many.jsonl"), lines);
    const impatient = start(["route", "--batch", "many.jsonl"]);
    impatient.stdout?.once("data", () => impatient.stdout?.destroy());
    const stderr = collected(impatient.stderr);
    expect(await new Promise((resolve) => impatient.once("exit", resolve))).toBe(0);
    expect(await stderr).not.toMatch(/EPIPE|Error/);
  });
});

describe("sextant serve", () => {
  it("is ready within seconds, runs the lines that it prints, and stops cleanly on SIGTERM", async () => {
    const child = start(["serve"], { SEXTANT_PORT: "0" });
    const output: string[] = [];
    await new Promise<void>((resolve) => {
      child.stdout?.on("data", (chunk) => {
        output.push(String(chunk));
        if (/^Try:.*\n/m.test(output.join(""))) resolve();
      });
    });
    const address = /listening on (\S+)/.exec(output.join(""))?.[1];
    const printed = output.join("");
    const exported = /^ {2}(export .*)$/m.exec(printed)?.[1];
    const curl = /^Try: +(.*)$/m.exec(printed)?.[1];
    const { stdout: answer } = await promisify(execFile)("sh", ["-c", `${exported}\n${curl}`]);
    const decision = JSON.parse(answer);
    expect(decision).toMatchObject({ object: "router.decision", choices: [], usage: null });
    expect(decision.routing.candidates.length).toBeLessThanOrEqual(3);
    expect(answer.length).toBeLessThan(3000);
    const ready = await fetch(`${address}/readyz`);
    expect([ready.status, ((await ready.json()) as { status: string }).status]).toEqual([200, "ready"]);
    const exited = new Promise((resolve) => child.once("exit", (code, signal) => resolve([code, signal])));
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  });

  it("reports invalid profiles instead of starting", async () => {
    const child = start(["serve"], { SEXTANT_PORT: "0", SEXTANT_PROFILES: join(folder, "nothing") });
    const stderr = collected(child.stderr);
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(1);
    expect(await stderr).toMatch(/nothing holds no profile set/);
    expect(await stderr).not.toContain("    at ");
  });
});
