import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { waitingTimers } from "../../../src/foundation/timers.js";
import { collectOutcomes } from "../../../src/workbench/fitting/collect.js";
import type { JudgeGrader } from "../../../src/workbench/graders/grader.js";
import { judgeGrader } from "../../../src/workbench/graders/judge.js";
import {
  type Judging,
  outcomesFromTraces,
  type UsableAnswer,
} from "../../../src/workbench/traffic/outcomes-from-traces.js";
import { rowsOf } from "../../cli/profile/sample-commands.js";
import { ManualTime } from "../../fakes/manual-time.js";
import { folderForTest } from "../../support/folders.js";
import { FakeCaller, type FakeCallerOptions } from "../fake-caller.js";

const FIGURES = { tokensIn: 10, tokensOut: 20, costUsd: 0.01, latencyMs: 5, ttftMs: 2, failures: 0 };

/** An answer with feedback of 1, to a prompt that nobody explored. */
const answerOf = (id: string, changes: Partial<UsableAnswer> = {}): UsableAnswer => {
  const asked = { requestId: `req_${id}`, promptId: id, prompt: `prompt ${id}`, input: `prompt ${id}` };
  const given = { answer: "4", model: "large", feedback: 1, probability: 0.98, explored: false };
  return { ...asked, ...given, explorable: true, expectedUsd: 0.02, ...FIGURES, ...changes };
};

let folder: string;
beforeEach(() => {
  folder = join(folderForTest(), "traffic");
});

async function* batches(answers: readonly UsableAnswer[]) {
  for (const answer of answers) yield [answer];
}

const run = (answers: readonly UsableAnswer[], judging?: Judging) =>
  outcomesFromTraces({ answers: batches(answers), folder, judging });

const lines = (name: string) => rowsOf(join(folder, name));

function judge(options: FakeCallerOptions = {}, limits: Pick<Judging, "sample" | "maxUsd"> = {}) {
  const caller = new FakeCaller({ reply: () => ({ text: "Rating: [[8]]" }), ...options });
  const { clock } = new ManualTime();
  const surroundings = { clock, timers: waitingTimers, now: () => 0, random: () => 0 };
  const grader = judgeGrader({ model: "judge" }) as JudgeGrader;
  return { caller, judging: { grader, caller, ...surroundings, ...limits } };
}

describe("Outcomes from traces", () => {
  it("are the answers with feedback, with the probability of their choice, as a build reads them", async () => {
    const report = await run([
      answerOf("a"),
      answerOf("a", { model: "small", feedback: 0.5, probability: 0.01, explored: true }),
      answerOf("b", { feedback: null, costUsd: 0.07 }),
      answerOf("c", { probability: null, explorable: false, expectedUsd: null }),
    ]);
    const taken = { explored: 1, explorable: 2, unchosen: 1, realOverExpected: expect.closeTo(1.5, 9) };
    const counts = { prompts: 2, outcomes: 3, ungraded: 1, ...taken };
    expect(report).toMatchObject({ ending: "finished", ...counts });
    expect(report.models).toEqual([
      { model: "large", answers: 3, graded: 2, meanScore: 1 },
      { model: "small", answers: 1, graded: 1, meanScore: 0.5 },
    ]);
    expect(lines("prompts.jsonl")).toEqual(["a", "c"].map((id) => ({ id, prompt: `prompt ${id}` })));
    const written = { tokens_in: 10, tokens_out: 20, cost_usd: 0.01, latency_ms: 5, ttft_ms: 2 };
    const choice = { id: "a", model: "small", score: 0.5, probability: 0.01 };
    expect(lines("outcomes.jsonl")[1]).toEqual({ ...choice, ...written, failures: 0 });
    const source = { name: "traffic", licence: null, commit: null, url: null };
    const table = await collectOutcomes([{ ...source, prompts: [folder], outcomes: [folder] }]);
    expect(table.models.map(({ probability }) => [...(probability ?? [])].map((p) => p.toFixed(2)))).toEqual([
      ["0.98", "NaN"],
      ["0.01"],
    ]);
  });

  it("are replaced whole by the next run, and stay when it fails", async () => {
    await run([answerOf("a")]);
    async function* failing() {
      yield [answerOf("b")];
      throw new Error("the store is gone");
    }
    await expect(outcomesFromTraces({ answers: failing(), folder })).rejects.toThrow("the store is gone");
    expect(lines("prompts.jsonl").map(({ id }) => id)).toEqual(["a"]);
    await run([answerOf("c")]);
    expect(lines("prompts.jsonl").map(({ id }) => id)).toEqual(["c"]);
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("have a judge's grades in the place of feedback, each paid once", async () => {
    const answers = [answerOf("a", { feedback: 0 }), answerOf("b", { feedback: null })];
    const first = judge();
    expect(await run(answers, first.judging)).toMatchObject({ outcomes: 2, ungraded: 0, spentUsd: 0.02 });
    expect(lines("outcomes.jsonl").map(({ score }) => score)).toEqual([0.8, 0.8]);
    const again = judge();
    await run([...answers, answerOf("c")], again.judging);
    expect([first.caller.asked.length, again.caller.asked.length]).toEqual([2, 1]);
  });

  it("of a sample are the same in every run, and part of those of a larger one", async () => {
    const answers = Array.from({ length: 20 }, (_, index) => answerOf(`p${index}`));
    const idsOf = async (sample: number) => {
      await run(answers, judge({}, { sample }).judging);
      return lines("outcomes.jsonl").map(({ id }) => id as string);
    };
    const [five, ten] = [await idsOf(5), await idsOf(10)];
    expect([five.length, ten.length]).toEqual([5, 10]);
    expect(ten).toEqual(expect.arrayContaining(five));
  });

  it("end when the judge would exceed the budget, and go on with a larger one", async () => {
    const answers = Array.from({ length: 6 }, (_, index) => answerOf(`p${index}`));
    const stopped = await run(answers, judge({}, { maxUsd: 0.9 }).judging);
    expect(stopped).toMatchObject({ ending: "budget" });
    expect(stopped.ungraded).toBeGreaterThan(0);
    const finished = await run(answers, judge({}, { maxUsd: 100 }).judging);
    expect(finished).toMatchObject({ ending: "finished", outcomes: 6, ungraded: 0 });
  });

  it("refuse a limit that cannot be kept", async () => {
    const { judging } = judge({ isPriced: () => false }, { maxUsd: 1 });
    await expect(run([answerOf("a")], judging)).rejects.toThrow(
      "no price is known of judge. Give it in the setting `prices`, or judge without a limit",
    );
  });
});
