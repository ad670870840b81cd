import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { waitingTimers } from "../../src/foundation/timers.js";
import { collect } from "../../src/workbench/collect.js";
import type { CollectEstimate, CollectOptions } from "../../src/workbench/collect-options.js";
import { exactGrader } from "../../src/workbench/graders/exact.js";
import { judgeGrader } from "../../src/workbench/graders/judge.js";
import { numberGrader } from "../../src/workbench/graders/number.js";
import { customGrader } from "../../src/workbench.js";
import { rowsOf } from "../cli/profile/sample-commands.js";
import { ManualTime } from "../fakes/manual-time.js";
import { folderForTest } from "../support/folders.js";
import { FakeCaller, type FakeCallerOptions } from "./fake-caller.js";

const PROMPTS = [
  { id: "a", prompt: "2 + 2?", reference: "4", benchmark: "sums" },
  { id: "b", prompt: "3 + 3?", reference: "6" },
];
const [FIRST] = PROMPTS;

let folder: string;
beforeEach(() => {
  folder = join(folderForTest(), "out");
});

function run(caller: FakeCaller, options: Partial<CollectOptions> = {}) {
  const wish = { prompts: PROMPTS, models: ["m"], folder, grader: numberGrader(), ...options };
  return collect(wish, {
    caller,
    clock: new ManualTime().clock,
    timers: waitingTimers,
    now: () => Date.UTC(2026, 0, 2),
    random: () => 0,
  });
}

const replying = (text: string, more: Partial<FakeCallerOptions> = {}) =>
  new FakeCaller({ reply: () => ({ text }), ...more });

const lines = (name: string) => rowsOf(join(folder, name));
/** `prompt model score` of each outcome. */
const outcomes = () => lines("outcomes.jsonl").map(({ id, model, score }) => `${id} ${model} ${score}`);

describe("A collection", () => {
  it("writes prompts and outcomes as a build reads them, and the answers beside them", async () => {
    const report = await run(replying("It is 4"), { models: ["m", "n"] });
    expect(lines("prompts.jsonl")).toEqual([
      { id: "a", benchmark: "sums", prompt: "2 + 2?" },
      { id: "b", prompt: "3 + 3?" },
    ]);
    expect(outcomes()).toEqual(["a m 1", "a n 1", "b m 0", "b n 0"]);
    const figures = {
      tokens_in: 10,
      tokens_out: 20,
      cost_usd: 0.01,
      latency_ms: 5,
      failures: 0,
      scale: "right",
    };
    expect(lines("outcomes.jsonl")[0]).toEqual({ id: "a", model: "m", score: 1, ...figures });
    const answer = { provider: "here", score: 1, answer: "It is 4", finish_reason: "stop" };
    expect(lines("answers.jsonl")[0]).toEqual({ id: "a", model: "m", ...answer });
    expect(report).toMatchObject({ ending: "finished", prompts: 2, failed: [], gaveUp: [] });
    const usage = { tokensIn: 20, tokensOut: 40, costUsd: 0.02, medianLatencyMs: 5 };
    expect(report.models[0]).toEqual({ model: "m", graded: 2, meanScore: 0.5, cutOff: 0, ...usage });
    expect(report.spentUsd).toBeCloseTo(0.04, 10);
  });

  it.each([
    ["The answer is 4.", "4", "number"],
    ["It is (B), as B follows A.", "B", "choice"],
    ["That would be Paris, France.", "paris", "regex"],
    ["I do not know", "no", null],
    ["Rome", "Paris", null],
  ])(
    "counts %j, which contains its reference %j, among the zeros of the exact grader: %s",
    async (answer, reference, suggestion) => {
      const prompts = [{ id: "a", prompt: "?", reference }];
      const exact = await run(replying(answer), { prompts, grader: exactGrader() });
      expect(exact.containedReferences).toEqual(suggestion && { zeros: 1, containing: 1, suggestion });
      const other = await run(replying(answer), { prompts, grader: customGrader("own", () => 0) });
      expect(other.containedReferences).toBeNull();
    },
  );

  it("does not suggest a grader that would refuse another reference", async () => {
    const prompts = [...PROMPTS.slice(0, 1), { id: "b", prompt: "??", reference: "Riga" }];
    const report = await run(replying("The answer is 4."), { prompts, grader: exactGrader() });
    expect(report.containedReferences).toMatchObject({ containing: 1, suggestion: "regex" });
  });

  it("asks nothing again, and keeps the answers of models that were asked before", async () => {
    await run(replying("4"));
    const caller = replying("6");
    const report = await run(caller, { models: ["n"] });
    expect(caller.askedTexts).toEqual(["n: 2 + 2?", "n: 3 + 3?"]);
    expect(outcomes()).toEqual(["a n 0", "b n 1", "a m 1", "b m 0"]);
    expect(report.models.map(({ model }) => model)).toEqual(["n", "m"]);
  });

  it("asks a prompt that changed again, and leaves the old answer out", async () => {
    await run(replying("4"));
    const caller = replying("5");
    await run(caller, { prompts: [{ id: "a", prompt: "2 + 3?", reference: "5" }] });
    expect(caller.askedTexts).toEqual(["m: 2 + 3?"]);
    expect(outcomes()).toEqual(["a m 1"]);
  });

  it("asks two prompts with the same text once, and grades each by its own reference", async () => {
    const caller = replying("4");
    await run(caller, { prompts: [...PROMPTS.slice(0, 1), { id: "c", prompt: "2 + 2?", reference: "5" }] });
    expect(caller.asked).toHaveLength(1);
    expect(outcomes()).toEqual(["a m 1", "c m 0"]);
  });

  it("sends instructions, the limit of tokens, and temperature 0, and counts answers that the limit cut off", async () => {
    const caller = new FakeCaller({ reply: () => ({ text: "4", finishReason: "length" }) });
    const { models } = await run(caller, { system: "Be brief.", maxTokens: 9 });
    expect(models[0]?.cutOff).toBe(2);
    expect(caller.asked[0]?.question).toEqual({
      model: "m",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: FIRST?.prompt },
      ],
      parameters: { temperature: 0, max_tokens: 9 },
    });
  });

  it("estimates what is left to ask, with guesses of hidden reasoning, and asks nothing when that is declined", async () => {
    const caller = replying("4");
    caller.expected = new Map([["m", 100]]);
    const estimates: CollectEstimate[] = [];
    const confirm = (estimate: CollectEstimate) => estimates.push(estimate) < 0;
    const models = ["m", "thinking"];
    expect((await run(caller, { models, confirm })).ending).toBe("declined");
    expect(caller.asked).toEqual([]);
    const shared = { provider: "here", questions: 2, promptTokens: 20 };
    const guessed = { model: "thinking", answerTokens: 2 * (512 + 1600), lengthBasis: "guess" };
    expect(estimates[0]).toEqual({
      models: [
        { ...shared, model: "m", answerTokens: 2 * 100, lengthBasis: "profile", costUsd: 0.2 },
        { ...shared, ...guessed, costUsd: 4.224 },
      ],
      costUsd: expect.closeTo(4.424, 9),
      answered: 0,
      spentUsd: 0,
      lostCalls: 0,
    });
    await run(caller);
    await run(caller, { models, confirm });
    const left = [{ model: "thinking", questions: 2 }];
    expect(estimates[1]).toMatchObject({ answered: 2, spentUsd: 0.02, models: left });
  });

  it("lists what has no grade with the reason, and tries it again when it is run again", async () => {
    const caller = new FakeCaller();
    const ended = run(caller);
    await expect.poll(() => caller.waiting.length).toBe(2);
    caller.waiting[0]?.fail("question", { code: "context_length_exceeded", status: 400 });
    caller.waiting[0]?.answer({ finishReason: "content_filter" });
    const report = await ended;
    expect(report.failed.map(({ id, model, code, message }) => [id, model, code, message])).toEqual([
      ["a", "m", "context_length_exceeded", "the call failed: question"],
      ["b", "m", "content_filter", "the provider's content filter cut the answer off"],
    ]);
    expect(lines("failed.jsonl")).toEqual(report.failed);
    expect(readdirSync(folder)).not.toContain("outcomes.jsonl");
    const second = replying("4");
    await run(second);
    // What the filter cut off was paid.
    expect(second.askedTexts).toEqual(["m: 2 + 2?"]);
    expect(outcomes()).toEqual(["a m 1"]);
  });

  it("gives an answer without a grade no score, grades the others, and asks nothing again", async () => {
    const prompts = [...PROMPTS, { id: "c", prompt: "Why?" }];
    const grader = customGrader("odd", ({ id }) => {
      if (id === "a") throw new Error("no idea");
      return id === "b" ? 7 : 1;
    });
    await run(replying("4"), { prompts, grader });
    const caller = replying("4");
    const { failed } = await run(caller, { prompts, grader });
    expect(failed).toEqual([
      { id: "a", model: "m", code: "not_graded", message: "no idea" },
      { id: "b", model: "m", code: "not_graded", message: "the grade is 7, not a number from 0 to 1" },
    ]);
    expect(outcomes()).toEqual(["c m 1"]);
    expect(caller.asked).toEqual([]);
  });

  it("stops while it grades, also by a grader that never waits", async () => {
    const prompts = Array.from({ length: 600 }, (_, id) => ({ id: `${id}`, prompt: "2 + 2?" }));
    const stop = new AbortController();
    let graded = 0;
    const grader = customGrader("counting", () => {
      graded += 1;
      // What waits for the thread, as a signal does, comes first when grading lets others run.
      if (graded === 1) setImmediate(() => stop.abort());
      return 1;
    });
    const report = await run(replying("4"), { prompts, grader, signal: stop.signal });
    expect(report.ending).toBe("stopped");
    expect(graded).toBeLessThan(600);
  });

  it("refuses a folder with other files", async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, "prompts.jsonl"), "mine");
    await expect(run(replying("4"))).rejects.toThrow("holds other files and no journal.jsonl");
    expect(readFileSync(join(folder, "prompts.jsonl"), "utf8")).toBe("mine");
  });
});

describe("A collection that a judge grades", () => {
  const grader = judgeGrader({ model: "judge" });
  const answering = () =>
    new FakeCaller({ reply: ({ model }) => ({ text: model === "judge" ? "[[A]]" : "four" }) });

  it("asks the judge about both orders, counts its cost, and asks nothing twice", async () => {
    const caller = answering();
    const report = await run(caller, { grader });
    expect(caller.asked.filter(({ question }) => question.model === "judge")).toHaveLength(4);
    expect(outcomes()).toEqual(["a m 0.5", "b m 0.5"]);
    expect(report.spentUsd).toBeCloseTo(0.06, 10);
    expect(report.models.map(({ model }) => model)).toEqual(["m"]);
    const again = answering();
    expect((await run(again, { grader })).models[0]?.meanScore).toBe(0.5);
    expect(again.asked).toEqual([]);
  });

  it("keeps to the budget, and judges the rest later", async () => {
    const options = { grader, maxTokens: 10, concurrency: 1 };
    // Enough for both answers and one verdict, which is reserved with 1,024 tokens.
    const report = await run(answering(), { ...options, maxUsd: 1.05 });
    expect(report.ending).toBe("budget");
    expect(report.spentUsd).toBeCloseTo(0.03, 10);
    expect(report.failed.map(({ code, message }) => `${code}: ${message}`)).toContain(
      "not_graded: the judge has not replied",
    );
    expect((await run(answering(), options)).failed).toEqual([]);
  });

  it("gives no score by a reply without a verdict", async () => {
    const { failed } = await run(replying("4"), { grader });
    expect(failed[0]).toMatchObject({ code: "not_graded", message: expect.stringContaining("no verdict") });
  });
});

describe("Before anything is asked, a collection refuses", () => {
  const isPriced = (model: string) => model === "m";

  it.each<[string, Partial<CollectOptions>, string]>([
    ["a model twice", { models: ["m", "m"] }, "names m twice"],
    ["an id twice", { prompts: [...PROMPTS, { id: "a", prompt: "x" }] }, 'the prompt "a" has an id that'],
    ["no reference", { prompts: [{ id: "x", prompt: "y" }] }, 'the prompt "x" has no reference'],
    ["a budget without a price", { models: ["m", "n"], maxUsd: 1 }, "no price is known of n"],
    [
      "a budget without a price of the judge",
      { grader: judgeGrader({ model: "judge" }), maxUsd: 1 },
      "no price is known of judge",
    ],
  ])("%s", async (_, options, message) => {
    const caller = replying("4", { isPriced });
    await expect(run(caller, { grader: exactGrader(), ...options })).rejects.toThrow(message);
    expect(caller.asked).toEqual([]);
  });
});
