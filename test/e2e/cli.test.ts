/** The command line as a process, with the shipped embedder and a profile set built from the sample in this repository. */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderForTests } from "../support/folders.js";
import { sampleSet } from "./sample-set.js";
import { MAIN, startCommand } from "./server-process.js";

const folder = folderForTests();

const start = (argv: readonly string[]) =>
  startCommand(argv, { cwd: folder, environment: { SEXTANT_PROFILES: sampleSet() } });

async function run(argv: readonly string[], stdin = "") {
  const { child, ended } = start(argv);
  child.stdin.end(stdin);
  return await ended;
}

/** The files that a built one loads before it runs, by their paths, and itself. */
function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/^import .*?"(\.[^"]+)";$/gm))
    loadedWith(join(dirname(file), path), seen);
  return seen;
}

describe("The command line", () => {
  it("loads no trace store before a command asks for one: an agent that it starts waits for that", () => {
    const texts = [...loadedWith(MAIN)].map((file) => readFileSync(file, "utf8"));
    expect(texts.length).toBeGreaterThan(3);
    expect(texts.filter((text) => text.includes("src/gateway/traces/duckdb"))).toEqual([]);
  });
});

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
    impatient.child.stdout.once("data", () => impatient.child.stdout.destroy());
    const { exitCode: code, stderr } = await impatient.ended;
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/EPIPE|Error/)]);
  });
});
