import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type TraceBody, traceBody } from "../../../src/gateway/features/traces/schema/trace.js";
import type { Feedback, Trace } from "../../../src/gateway/traces/trace.js";
import { fromTraces as learnFromTraces } from "../../../src/workbench.js";
import { FakeRouter } from "../../fakes/router.js";
import { MemoryTraceStore } from "../../fakes/trace-store.js";
import { failedTrace, NOON, routedTrace, said, traceWith } from "../../gateway/traces/trace-for-test.js";
import { folderForTest, folderForTests } from "../../support/folders.js";
import { ALL_OF_SAMPLE, rowsOf, sextant } from "./sample-commands.js";

const built = folderForTests();
const ours = join(built, "ours");
beforeAll(async () => {
  expect((await sextant(built, `profile build ${ALL_OF_SAMPLE} --out ours`)).exitCode).toBe(0);
});

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});

const feedback = (score: number): Feedback => ({ score, comment: null, givenAtMs: NOON });

/** A decision for the model, with what is known of exploration. */
function decisionFor(model: string, exploration: { explored: boolean; probability: number }) {
  const { routing } = routedTrace();
  const explored = { ...exploration, preferred_model: "sample-large" };
  return routing && { ...routing, selected_model: model, exploration: explored };
}

const asked = (number: number, parts: Partial<Trace> = {}): Trace =>
  traceWith({
    model: "sample-large",
    content: { input: said(`What is ${number} times ${number + 1}?`), output: "4" },
    routing: decisionFor("sample-large", { explored: false, probability: 0.98 }),
    feedback: feedback(number % 2),
    ...parts,
  });

const ungraded = (number: number): Trace => {
  const { feedback: _, ...trace } = asked(number);
  return trace;
};

async function storeOf(traces: readonly Trace[]) {
  const store = new MemoryTraceStore();
  await store.append(traces);
  return store;
}

const fromTraces = async (traces: readonly Trace[], line = "") =>
  sextant(folder, `profile from-traces --outcomes traffic ${line}`, {
    nowMs: NOON,
    traces: await storeOf(traces),
    router: new FakeRouter(),
    environment: { SEXTANT_SANDBOX: "true" },
  });

describe("sextant profile from-traces", () => {
  it("writes outcomes of the requests with feedback, and counts the others", async () => {
    const model = "sample-small";
    const small = { model, routing: decisionFor(model, { explored: true, probability: 0.0025 }) };
    const { exitCode, stdout } = await fromTraces([asked(1), asked(2, small), ungraded(3), failedTrace()]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      `2 graded answers to 2 prompts in ${join(folder, "traffic")}: 1 explored of 2 that took part (100%), 0 by models that the router did not choose; ` +
        "1 without a grade; left out: 1 that failed, were not executed, or asked for embeddings. They cost ",
    );
    expect(stdout).toMatch(/^sample-large +2 +1 +1\.000$/m);
    const outcomes = rowsOf(join(folder, "traffic/outcomes.jsonl"));
    expect(outcomes.map(({ probability }) => probability)).toEqual([0.98, 0.0025]);
  });

  it("lets a set learn from them, on the command line and in code alike", async () => {
    const unknown = traceWith({ model: "unheard-of", feedback: feedback(1) });
    const traces = [...Array.from({ length: 40 }, (_, number) => asked(number)), unknown, failedTrace()];
    // An empty folder is as good as none.
    mkdirSync(join(folder, "learned"));
    const update = `--update ${ours} --out learned --json`;
    const printed = JSON.parse((await fromTraces(traces, update)).stdout);
    expect(printed).toMatchObject({
      prompts: 41,
      outcomes: 41,
      unchosen: 1,
      spent_usd: 0,
      set: { name: "learned", anchors: 161, answers: 40, topics: 1, unknown_models: ["unheard-of"] },
    });
    const again = await fromTraces(traces, update);
    expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining("use --force to replace it")]);
    const manifest = JSON.parse(readFileSync(join(folder, "learned/manifest.json"), "utf8"));
    expect(manifest.mean_costs_usd).toHaveLength(21);
    expect((await sextant(folder, "profile verify learned")).stdout).toMatch(/^learned: whole; 161 anchors/);

    const exported: TraceBody[] = [];
    for await (const batch of (await storeOf(traces)).export({ filter: {} }, { scope: "all" }))
      exported.push(...batch.map((trace) => traceBody(trace, () => undefined)));
    const outcomes = join(folder, "code");
    const wish = { outcomes, update: { set: ours, folder: join(folder, "in-code") } };
    const settings = { workingDirectory: folder, environment: {} };
    const learned = await learnFromTraces(exported, wish, settings);
    const { answers, topics, anchors, unknown_models: unknownModels } = printed.set;
    const set = { name: "in-code", answers, topics, anchors, unknownModels };
    expect(learned).toMatchObject({ outcomes: 41, unchosen: 1, leftOut: printed.left_out, set });
    const bytesOf = (path: string) => readFileSync(join(folder, path), "latin1");
    expect(bytesOf("code/outcomes.jsonl")).toBe(bytesOf("traffic/outcomes.jsonl"));
    expect(bytesOf("in-code/anchors.bin")).toBe(bytesOf("learned/anchors.bin"));
    await expect(learnFromTraces([], wish, settings)).rejects.toThrow(
      "holds a profile set already; use `replace` to replace it",
    );
  });

  it("asks a judge, and says what that cost", async () => {
    const { exitCode, stdout, stderr } = await fromTraces([asked(1), asked(2)], "--judge gpt-5.4-mini");
    // The sandbox gives no verdict.
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("Asking the judge");
    expect(stderr).toContain("there is nothing to learn from: the judge graded none of 2 answers");
    expect(existsSync(join(folder, "traffic/journal.jsonl"))).toBe(true);
  });

  it.each([
    ["--update ours", "--update names the set that learns and --out the new one; give both or neither"],
    ["--update ours --out ours", "--out is the set of --update, which is left as it is"],
    ["--max-usd 5", "--max-usd belongs to --judge"],
    ["--sample 5", "--sample belongs to --judge"],
  ])("refuses %s", async (line, message) => {
    const { exitCode, stderr } = await fromTraces([asked(1)], line);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it("says what to do when there is no feedback", async () => {
    const { exitCode, stderr } = await fromTraces([ungraded(1)]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      "1 answers have no feedback. Have clients send it (POST /v1/feedback), or give a --judge",
    );
  });
});
