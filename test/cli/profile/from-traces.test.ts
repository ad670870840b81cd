import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../../src/cli/program.js";
import { type TraceBody, traceBody } from "../../../src/gateway/api/traces/trace.js";
import type { Feedback, Trace } from "../../../src/gateway/traces/trace.js";
import { buildSet, fromTraces as learnFromTraces } from "../../../src/workbench.js";
import { cliRun } from "../../fakes/cli-context.js";
import { MemoryTraceStore } from "../../fakes/trace-store.js";
import { failedTrace, NOON, routedTrace, traceWith } from "../../gateway/traces/trace-for-test.js";
import { folderForTest } from "../../support/folders.js";

const SAMPLE = new URL("../../../datasets/sample/", import.meta.url).pathname;
const PATIENT = 60_000;

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});

const feedback = (score: number): Feedback => ({ score, comment: null, givenAtMs: NOON });

function asked(number: number, parts: Partial<Trace> = {}): Trace {
  const { routing } = routedTrace();
  return traceWith({
    model: "sample-large",
    content: { input: `What is ${number} times ${number + 1}?`, output: "4" },
    routing: routing && {
      ...{ ...routing, selected_model: "sample-large" },
      exploration: { explored: false, probability: 0.98, preferred_model: "sample-large" },
    },
    feedback: feedback(number % 2),
    ...parts,
  });
}

async function fromTraces(traces: readonly Trace[], ...argv: string[]) {
  const store = new MemoryTraceStore();
  await store.append(traces);
  const cli = cliRun({
    ...{ workingDirectory: folder, nowMs: NOON, traces: store },
    environment: { SEXTANT_SANDBOX: "true" },
  });
  const exitCode = await runCli(["profile", "from-traces", "--outcomes", "traffic", ...argv], cli.context);
  return { exitCode, stdout: cli.stdout(), stderr: cli.stderr() };
}

const jsonOf = (stdout: string) => JSON.parse(stdout);

describe("sextant profile from-traces", () => {
  it("writes outcomes of the requests with feedback, and counts the others", async () => {
    const explored = { explored: true, probability: 0.0025, preferred_model: "sample-large" };
    const { routing } = asked(0);
    const small = {
      model: "sample-small",
      routing: routing && { ...routing, selected_model: "sample-small", exploration: explored },
    };
    const { feedback: _, ...ungraded } = asked(3);
    const { exitCode, stdout } = await fromTraces([asked(1), asked(2, small), ungraded, failedTrace()]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      `2 graded answers to 2 prompts in ${join(folder, "traffic")}: 1 explored, 0 by models that the router did not choose; ` +
        "1 without a grade; left out: 1 that failed, were not executed, or asked for embeddings.",
    );
    expect(stdout).toMatch(/^sample-large +2 +1 +1\.000$/m);
    const rows = readFileSync(join(folder, "traffic/outcomes.jsonl"), "utf8").trimEnd().split("\n");
    expect(rows.map((row) => JSON.parse(row).probability)).toEqual([0.98, 0.0025]);
  });

  it(
    "lets a set learn from them, which then decides",
    async () => {
      const build = cliRun({ workingDirectory: folder });
      const files = [
        "--prompts",
        join(SAMPLE, "prompts.jsonl"),
        "--outcomes",
        join(SAMPLE, "outcomes.jsonl"),
      ];
      expect(await runCli(["profile", "build", ...files, "--out", "ours"], build.context)).toBe(0);
      const traces = Array.from({ length: 60 }, (_, number) => asked(number));
      // An empty folder is as good as none.
      mkdirSync(join(folder, "learned"));
      const other = traceWith({ model: "unheard-of", feedback: feedback(1) });
      const { exitCode, stdout } = await fromTraces(
        [...traces, other],
        ...["--update", "ours", "--out", "learned", "--json"],
      );
      expect(exitCode).toBe(0);
      expect(jsonOf(stdout)).toMatchObject({
        ...{ prompts: 61, outcomes: 61, unchosen: 1, spent_usd: 0 },
        set: { name: "learned", anchors: 181, answers: 60, topics: 1, unknown_models: ["unheard-of"] },
      });
      const again = await fromTraces(traces, "--update", "ours", "--out", "learned");
      expect([again.exitCode, again.stderr]).toEqual([
        2,
        expect.stringContaining("use --force to replace it"),
      ]);
      const verify = cliRun({ workingDirectory: folder });
      expect(await runCli(["profile", "verify", "learned"], verify.context)).toBe(0);
      expect(verify.stdout()).toMatch(/^learned: whole; 181 anchors/);
    },
    PATIENT,
  );

  it(
    "is a function of the workbench too, with the same outcomes and the same set",
    async () => {
      const [prompts, outcomes] = [join(SAMPLE, "prompts.jsonl"), join(SAMPLE, "outcomes.jsonl")];
      const settings = { workingDirectory: folder, environment: {} };
      const sample = { prompts: [prompts], outcomes: [outcomes] };
      const ours = join(folder, "ours");
      await buildSet({ ...sample, folder: ours }, settings);
      const unknown = traceWith({ model: "unheard-of", feedback: feedback(1) });
      const traces = [...Array.from({ length: 40 }, (_, number) => asked(number)), unknown, failedTrace()];
      const { stdout } = await fromTraces(traces, "--update", "ours", "--out", "learned", "--json");
      const printed = jsonOf(stdout);
      const store = new MemoryTraceStore();
      await store.append(traces);
      const exported: TraceBody[] = [];
      for await (const batch of store.export({ filter: {} }, { scope: "all" }))
        exported.push(...batch.map((trace) => traceBody(trace, () => undefined)));
      const learned = await learnFromTraces(
        exported,
        { outcomes: join(folder, "code"), update: { set: ours, folder: join(folder, "in-code") } },
        settings,
      );
      expect(learned.leftOut).toEqual(printed.left_out);
      const { answers, topics, anchors, unknown_models: unknownModels } = printed.set;
      expect(learned.set).toEqual({ name: "in-code", answers, topics, anchors, unknownModels });
      const { outcomes: graded, ungraded, explored, unchosen } = printed;
      expect(learned).toMatchObject({ outcomes: graded, ungraded, explored, unchosen });
      for (const file of ["prompts.jsonl", "outcomes.jsonl"]) {
        const [own, other] = ["code", "traffic"].map((place) =>
          readFileSync(join(folder, place, file), "utf8"),
        );
        expect(own).toBe(other);
      }
      const anchorsOf = (set: string) => readFileSync(join(folder, set, "anchors.bin"), "base64");
      expect(anchorsOf("in-code")).toBe(anchorsOf("learned"));
      const update = { set: ours, folder: join(folder, "in-code") };
      const again = learnFromTraces([], { outcomes: join(folder, "code"), update }, settings);
      await expect(again).rejects.toThrow("holds a profile set already; use `replace` to replace it");
    },
    PATIENT,
  );

  it("asks a judge, and says what that cost", async () => {
    const { exitCode, stdout, stderr } = await fromTraces([asked(1), asked(2)], "--judge", "gpt-5.4-mini");
    // The sandbox gives no verdict.
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("Asking the judge");
    expect(stderr).toContain("there is nothing to learn from: the judge graded none of 2 answers");
    expect(existsSync(join(folder, "traffic/journal.jsonl"))).toBe(true);
  });

  it.each([
    [["--update", "ours"], "--update names the set that learns and --out the new one; give both or neither"],
    [["--update", "ours", "--out", "ours"], "--out is the set of --update, which is left as it is"],
    [["--max-usd", "5"], "--max-usd belongs to --judge"],
    [["--sample", "5"], "--sample belongs to --judge"],
  ])("refuses %j", async (argv, message) => {
    const { exitCode, stderr } = await fromTraces([asked(1)], ...argv);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it("says what to do when there is no feedback", async () => {
    const { feedback: _, ...ungraded } = asked(1);
    const { exitCode, stderr } = await fromTraces([ungraded]);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining(
        "1 answers have no feedback. Have clients send it (POST /v1/feedback), or give a --judge",
      ),
    ]);
  });
});
