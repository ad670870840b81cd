import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { waitingTimers } from "../../src/foundation/timers.js";
import type { Question } from "../../src/workbench/asking/question.js";
import { collect } from "../../src/workbench/collect.js";
import type { CollectEstimate, CollectOptions } from "../../src/workbench/collect-options.js";
import { exactGrader } from "../../src/workbench/graders/exact.js";
import { judgeGrader } from "../../src/workbench/graders/judge.js";
import { numberGrader } from "../../src/workbench/graders/number.js";
import { regexGrader } from "../../src/workbench/graders/regex.js";
import { customGrader } from "../../src/workbench.js";
import { folderForTest } from "../support/folders.js";
import { FakeCaller, type FakeCallerOptions } from "./fake-caller.js";

const PROMPTS = [
  { id: "a", prompt: "2 + 2?", reference: "4", benchmark: "sums" },
  { id: "b", prompt: "3 + 3?", reference: "6" },
];

let folder: string;
beforeEach(() => {
  folder = join(folderForTest(), "out");
});

function run(caller: FakeCaller, options: Partial<CollectOptions> = {}) {
  const wish = { prompts: PROMPTS, models: ["m", "n"], folder, grader: numberGrader(), ...options };
  return collect(wish, {
    caller,
    clock: () => performance.now(),
    timers: waitingTimers,
    now: () => Date.UTC(2026, 0, 2),
    random: () => 0,
  });
}

const replying = (text: string, more: Partial<FakeCallerOptions> = {}) =>
  new FakeCaller({ reply: () => ({ text }), ...more });

const lines = (name: string) =>
  readFileSync(join(folder, name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("A collection", () => {
  it("writes prompts and outcomes as a build reads them, and the answers beside them", async () => {
    const report = await run(replying("It is 4"));
    expect(lines("prompts.jsonl")).toEqual([
      { id: "a", benchmark: "sums", prompt: "2 + 2?" },
      { id: "b", prompt: "3 + 3?" },
    ]);
    const figures = { tokens_in: 10, tokens_out: 20, cost_usd: 0.01, latency_ms: 5, failures: 0 };
    expect(lines("outcomes.jsonl")).toEqual([
      { id: "a", model: "m", score: 1, ...figures },
      { id: "a", model: "n", score: 1, ...figures },
      { id: "b", model: "m", score: 0, ...figures },
      { id: "b", model: "n", score: 0, ...figures },
    ]);
    expect(lines("answers.jsonl")[0]).toEqual({
      id: "a",
      model: "m",
      provider: "here",
      score: 1,
      answer: "It is 4",
      finish_reason: "stop",
    });
    expect(report).toMatchObject({ ending: "finished", prompts: 2, failed: [], gaveUp: [] });
    expect(report.models[0]).toEqual({
      model: "m",
      graded: 2,
      meanScore: 0.5,
      cutOff: 0,
      tokensIn: 20,
      tokensOut: 40,
      costUsd: 0.02,
      medianLatencyMs: 5,
    });
    expect(report.spentUsd).toBeCloseTo(0.04, 10);
  });

  it.each([
    { answer: "The answer is 4.", reference: "4", found: { zeros: 2, containing: 2, suggestion: "number" } },
    {
      answer: "It is (B), as B follows A.",
      reference: "B",
      found: { zeros: 2, containing: 2, suggestion: "choice" },
    },
    {
      answer: "That would be Paris, France.",
      reference: "paris",
      found: { zeros: 2, containing: 2, suggestion: "regex" },
    },
    { answer: "I do not know", reference: "no", found: null },
    { answer: "Paris", reference: "Paris", found: null },
    { answer: "Rome", reference: "Paris", found: null },
  ])(
    "counts answers that the exact grader gave 0 although they contain their reference: $answer",
    async (given) => {
      const { answer, reference, found } = given;
      const prompts = [{ id: "a", prompt: "?", reference }];
      const report = await run(replying(answer), { prompts, grader: exactGrader() });
      expect(report.containedReferences).toEqual(found);
      const other = await run(replying(answer), { prompts, grader: customGrader("own", () => 0) });
      expect(other.containedReferences).toBeNull();
    },
  );

  it.each([
    { answer: "The answer is 4.", reference: "4", other: "Riga" },
    { answer: "It is (B), as B follows A.", reference: "B", other: "42" },
  ])(
    "does not suggest a grader that would refuse another prompt's reference: $reference and $other",
    async ({ answer, reference, other }) => {
      const prompts = [
        { id: "a", prompt: "?", reference },
        { id: "b", prompt: "??", reference: other },
      ];
      const report = await run(replying(answer), { prompts, grader: exactGrader() });
      expect(report.containedReferences).toMatchObject({ containing: 2, suggestion: "regex" });
    },
  );

  it("asks nothing again, and keeps the answers of models that were asked before", async () => {
    await run(replying("4"), { models: ["m"] });
    const caller = replying("6");
    const report = await run(caller, { models: ["n"] });
    expect(caller.askedTexts).toEqual(["n: 2 + 2?", "n: 3 + 3?"]);
    expect(lines("outcomes.jsonl").map(({ id, model, score }) => [id, model, score])).toEqual([
      ["a", "n", 0],
      ["b", "n", 1],
      ["a", "m", 1],
      ["b", "m", 0],
    ]);
    expect(report.models.map(({ model }) => model)).toEqual(["n", "m"]);
  });

  it("asks a prompt that changed again, and leaves the old answer out", async () => {
    await run(replying("4"), { models: ["m"] });
    const caller = replying("5");
    const prompts = [{ id: "a", prompt: "2 + 3?", reference: "5" }];
    await run(caller, { models: ["m"], prompts });
    expect(caller.askedTexts).toEqual(["m: 2 + 3?"]);
    expect(lines("outcomes.jsonl")).toHaveLength(1);
  });

  it("asks two prompts with the same text once, and grades each by its own reference", async () => {
    const caller = replying("4");
    const prompts = [...PROMPTS.slice(0, 1), { id: "c", prompt: "2 + 2?", reference: "5" }];
    await run(caller, { models: ["m"], prompts });
    expect(caller.asked).toHaveLength(1);
    expect(lines("outcomes.jsonl").map(({ id, score }) => [id, score])).toEqual([
      ["a", 1],
      ["c", 0],
    ]);
  });

  it("sends instructions, the limit of tokens, and temperature 0", async () => {
    const caller = replying("4");
    await run(caller, { models: ["m"], prompts: PROMPTS.slice(0, 1), system: "Be brief.", maxTokens: 9 });
    expect(caller.asked[0]?.question).toEqual({
      model: "m",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "2 + 2?" },
      ],
      parameters: { temperature: 0, max_tokens: 9 },
    });
  });

  it("guesses the hidden reasoning of models that think, where no profile knows their lengths", async () => {
    let estimate: CollectEstimate | undefined;
    const confirm = (given: CollectEstimate) => {
      estimate = given;
      return false;
    };
    await run(replying("4"), { models: ["m", "thinking"], confirm });
    const [plain, thinking] = estimate?.models ?? [];
    expect([plain?.answerTokens, plain?.lengthBasis]).toEqual([2 * 512, "guess"]);
    expect([thinking?.answerTokens, thinking?.lengthBasis]).toEqual([2 * (512 + 1600), "guess"]);
  });

  it("estimates what is left to ask, and asks nothing when that is declined", async () => {
    const caller = replying("4");
    caller.expected = new Map([["m", 100]]);
    const estimates: CollectEstimate[] = [];
    const confirm = (estimate: CollectEstimate) => {
      estimates.push(estimate);
      return false;
    };
    const report = await run(caller, { confirm });
    expect(report.ending).toBe("declined");
    expect(caller.asked).toEqual([]);
    expect(estimates[0]).toEqual({
      models: [
        {
          model: "m",
          provider: "here",
          questions: 2,
          promptTokens: 20,
          answerTokens: 200,
          lengthBasis: "profile",
          costUsd: 0.2,
        },
        {
          model: "n",
          provider: "here",
          questions: 2,
          promptTokens: 20,
          answerTokens: 1024,
          lengthBasis: "guess",
          costUsd: 1.024,
        },
      ],
      costUsd: 1.224,
      answered: 0,
      spentUsd: 0,
      lostCalls: 0,
    });
    await run(caller, { models: ["m"] });
    await run(caller, { confirm });
    expect(estimates[1]).toMatchObject({ answered: 2, spentUsd: 0.02, models: [{ model: "n" }] });
  });

  it("reports its progress with what it has cost", async () => {
    const seen: (readonly [string, number, number, number])[] = [];
    await run(replying("4"), {
      concurrency: 1,
      onProgress: ({ step, done, total, spentUsd }) => seen.push([step, done, total, spentUsd]),
    });
    expect(seen).toContainEqual(["ask", 2, 4, 0.02]);
    expect(seen.at(-1)).toEqual(["grade", 4, 4, 0.04]);
  });

  it("lists what has no grade with the reason, and tries it again when it is run again", async () => {
    const caller = new FakeCaller();
    const ended = run(caller, { models: ["m"] });
    await expect.poll(() => caller.waiting.length).toBe(2);
    caller.waiting[0]?.fail("question", { code: "context_length_exceeded", status: 400 });
    caller.waiting[0]?.answer({ finishReason: "content_filter" });
    const report = await ended;
    const failed = [
      { id: "a", model: "m", code: "context_length_exceeded", message: "the call failed: question" },
      {
        id: "b",
        model: "m",
        code: "content_filter",
        message: "the provider's content filter cut the answer off",
      },
    ];
    expect(report.failed).toEqual(failed);
    expect(lines("failed.jsonl")).toEqual(failed);
    expect(readdirSync(folder)).not.toContain("outcomes.jsonl");
    const second = replying("4");
    await run(second, { models: ["m"] });
    // What the filter cut off was paid.
    expect(second.askedTexts).toEqual(["m: 2 + 2?"]);
    expect(lines("outcomes.jsonl")).toHaveLength(1);
  });

  it("gives an answer without a grade no score", async () => {
    const grader = customGrader("odd", ({ id }) => {
      if (id === "a") throw new Error("no idea");
      return 7;
    });
    const report = await run(replying("4"), { models: ["m"], grader });
    expect(report.failed).toEqual([
      { id: "a", model: "m", code: "not_graded", message: "no idea" },
      { id: "b", model: "m", code: "not_graded", message: "the grade is 7, not a number from 0 to 1" },
    ]);
  });

  it("gives no verdict where matching takes too long, grades the others, and goes on in the next run", async () => {
    const grader = regexGrader({ pattern: "/^(?:a+)+$/", timeoutMs: 300 });
    const reply = ({ model }: Question) => ({ text: model === "m" ? `${"a".repeat(40)}!` : "aaaa" });
    const caller = new FakeCaller({ reply });
    for (const _run of ["first", "second"]) {
      const report = await run(caller, { grader });
      expect(report.failed.map(({ id, model, message }) => [id, model, message])).toEqual(
        ["a", "b"].map((id) => [
          id,
          "m",
          "no verdict: matching the answer took longer than the time limit of 0.3 s",
        ]),
      );
      expect(lines("outcomes.jsonl").map(({ model, score }) => [model, score])).toEqual([
        ["n", 1],
        ["n", 1],
      ]);
    }
    expect(caller.askedTexts).toHaveLength(4);
  });

  it("stops while it grades, also by a grader that never waits", async () => {
    const prompts = Array.from({ length: 1000 }, (_, id) => ({
      id: `${id}`,
      prompt: `${id}?`,
      reference: "4",
    }));
    const stop = new AbortController();
    let graded = 0;
    const grader = customGrader("counting", () => {
      graded += 1;
      if (graded === 1) setImmediate(() => stop.abort());
      return 1;
    });
    const report = await run(replying("4"), { prompts, models: ["m"], grader, signal: stop.signal });
    expect(report.ending).toBe("stopped");
    expect(graded).toBeLessThan(1000);
  });

  it("counts answers that were cut off at the limit of tokens", async () => {
    const caller = new FakeCaller({ reply: () => ({ text: "4", finishReason: "length" }) });
    expect((await run(caller, { models: ["m"] })).models[0]?.cutOff).toBe(2);
  });

  it("refuses a folder with other files", async () => {
    const { writeFileSync, mkdirSync } = await import("node:fs");
    mkdirSync(folder);
    writeFileSync(join(folder, "prompts.jsonl"), "mine");
    await expect(run(replying("4"))).rejects.toThrow("holds other files and no journal.jsonl");
    expect(readFileSync(join(folder, "prompts.jsonl"), "utf8")).toBe("mine");
  });
});

describe("A collection that a judge grades", () => {
  const judge = judgeGrader({ model: "judge" });
  const reply: FakeCallerOptions["reply"] = ({ model }) => ({ text: model === "judge" ? "[[A]]" : "four" });

  it("asks the judge about both orders, counts its cost, and asks nothing twice", async () => {
    const caller = new FakeCaller({ reply });
    const report = await run(caller, { models: ["m"], grader: judge });
    expect(caller.asked.filter(({ question }) => question.model === "judge")).toHaveLength(4);
    expect(lines("outcomes.jsonl").map(({ score }) => score)).toEqual([0.5, 0.5]);
    expect(report.spentUsd).toBeCloseTo(0.06, 10);
    expect(report.models.map(({ model }) => model)).toEqual(["m"]);
    const again = new FakeCaller({ reply });
    expect((await run(again, { models: ["m"], grader: judge })).models[0]?.meanScore).toBe(0.5);
    expect(again.asked).toEqual([]);
  });

  it("keeps to the budget, and judges the rest later", async () => {
    const options = { models: ["m"], grader: judge, maxTokens: 10, concurrency: 1 };
    // Enough for both answers and one verdict, which is reserved with 1,024 tokens.
    const report = await run(new FakeCaller({ reply }), { ...options, maxUsd: 1.05 });
    expect(report.ending).toBe("budget");
    expect(report.spentUsd).toBeCloseTo(0.03, 10);
    expect(report.failed.map(({ code, message }) => `${code}: ${message}`)).toContain(
      "not_graded: the judge has not replied",
    );
    expect((await run(new FakeCaller({ reply }), options)).failed).toEqual([]);
  });

  it("gives no score by a reply without a verdict", async () => {
    const caller = replying("4");
    const { failed } = await run(caller, { models: ["m"], grader: judge });
    expect(failed[0]).toMatchObject({ code: "not_graded", message: expect.stringContaining("no verdict") });
  });
});

describe("Before anything is asked, a collection refuses", () => {
  it.each<[string, Partial<CollectOptions>, string]>([
    ["a model twice", { models: ["m", "m"] }, "names m twice"],
    ["an id twice", { prompts: [...PROMPTS, { id: "a", prompt: "x" }] }, 'the prompt "a" has an id that'],
    [
      "a prompt without a reference",
      { prompts: [{ id: "x", prompt: "y" }] },
      'the prompt "x" has no reference',
    ],
  ])("%s", async (_, options, message) => {
    const caller = replying("4");
    await expect(run(caller, { grader: exactGrader(), ...options })).rejects.toThrow(message);
    expect(caller.asked).toEqual([]);
  });

  it("a budget when a price is not known, that of the judge included", async () => {
    const isPriced = (model: string) => model === "m";
    const asking = run(replying("4", { isPriced }), { maxUsd: 1 });
    await expect(asking).rejects.toThrow("no price is known of n");
    const judged = run(replying("4", { isPriced }), {
      models: ["m"],
      grader: judgeGrader({ model: "judge" }),
      maxUsd: 1,
    });
    await expect(judged).rejects.toThrow("no price is known of judge");
  });
});
