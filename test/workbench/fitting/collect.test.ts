import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CollectOutcomesOptions,
  collectOutcomes,
  type OutcomeSource,
} from "../../../src/workbench/fitting/collect.js";
import { folderWith } from "../../engine/profiles/folder-for-test.js";

const FACTS = { licence: "Apache-2.0", commit: "abc", url: "https://example.org/set" };

async function source(
  name: string,
  files: { readonly prompts: readonly object[]; readonly outcomes: readonly object[] },
): Promise<OutcomeSource> {
  const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");
  const folder = await folderWith({
    "prompts.jsonl": lines(files.prompts),
    "outcomes.jsonl": lines(files.outcomes),
  });
  return { name, ...FACTS, prompts: [folder], outcomes: [folder] };
}

const prompt = (id: string, benchmark?: string) => ({ id, prompt: `Prompt ${id}`, benchmark });

async function collectOne(
  files: { readonly prompts: readonly object[]; readonly outcomes: readonly object[] },
  options?: CollectOutcomesOptions,
) {
  return collectOutcomes([await source("set", files)], options);
}

describe("Collecting outcomes", () => {
  it("numbers prompts in reading order, names them by source and omits prompts without scores", async () => {
    const first = await source("one", {
      prompts: [prompt("a", "sums"), prompt("unscored", "lost"), prompt("b")],
      outcomes: [
        { id: "b", model: "ann", score: 1 },
        { id: "a", model: "ann", score: 0 },
        { id: "unscored", model: "ann", score: null },
      ],
    });
    const second = await source("two", {
      prompts: [prompt("a", "code")],
      outcomes: [{ id: "a", model: "bob", score: 0.5, tokens_in: 10, tokens_out: 20, cost_usd: 0.25 }],
    });
    const table = await collectOutcomes([first, second]);
    expect(table.promptIds).toEqual(["one:a", "one:b", "two:a"]);
    expect(table.benchmarks).toEqual(["code", "one", "sums"]);
    expect([...table.benchmarkOf]).toEqual([2, 1, 0]);
    expect(table.unlabelledTopics).toEqual(["one"]);
    expect([...table.sourceOf]).toEqual([0, 0, 1]);
    expect([...table.tokensIn]).toEqual([2, 2, 10]);
    expect(table.sources[0]).toEqual({
      ...{ name: "one", ...FACTS, lengths: "total", anchors: 2, promptsWithoutScore: 1 },
      ...{ rows: 3, rowsOfUnknownPrompts: 0 },
    });
    expect(table.models.map((model) => model.model)).toEqual(["ann", "bob"]);
    expect([...(table.models[0]?.anchors ?? [])]).toEqual([0, 1]);
    expect([...(table.models[0]?.quality ?? [])]).toEqual([0, 1]);
    expect([...(table.models[1]?.tokensOut ?? [])]).toEqual([20]);
    expect([...(table.models[1]?.costUsd ?? [])]).toEqual([0.25]);
  });

  it("estimates the tokens of a prompt from its length where no row has a count", async () => {
    const long = { id: "long", prompt: "é".repeat(50) };
    const outcomes = [
      { id: "long", model: "ann", score: 1 },
      { id: "a", model: "ann", score: 1, tokens_in: 7 },
    ];
    expect([...(await collectOne({ prompts: [long, prompt("a")], outcomes })).tokensIn]).toEqual([25, 7]);
  });

  it("averages rows of the same prompt and model, weighted by their samples", async () => {
    const table = await collectOne({
      prompts: [prompt("a")],
      outcomes: [
        { id: "a", model: "ann", score: 1, n_samples: 3, tokens_out: 10, tokens_in: 4 },
        { id: "a", model: "ann", score: 0, n_samples: 1, cost_usd: 0.5, tokens_in: 6 },
      ],
    });
    const [ann] = table.models;
    expect([...(ann?.quality ?? [])]).toEqual([0.75]);
    expect([...(ann?.samples ?? [])]).toEqual([4]);
    expect([...(ann?.tokensOut ?? [])]).toEqual([10]);
    expect([...(ann?.costUsd ?? [])]).toEqual([0.5]);
    expect([...table.tokensIn]).toEqual([5]);
  });

  it("merges models that are renamed to the same id and keeps their original names", async () => {
    const outcomes = [
      { id: "a", model: "Ann-Large", score: 1 },
      { id: "a", model: "ann-large-0613", score: 0 },
      { id: "b", model: "bob", score: 1 },
    ];
    const rename = (original: string) => (original.toLowerCase().startsWith("ann") ? "ann-large" : original);
    const table = await collectOne({ prompts: [prompt("a"), prompt("b")], outcomes }, { rename });
    expect(table.models.map(({ model, originalNames }) => [model, originalNames])).toEqual([
      ["ann-large", ["Ann-Large", "ann-large-0613"]],
      ["bob", ["bob"]],
    ]);
    expect([...(table.models[0]?.quality ?? [])]).toEqual([0.5]);
  });

  it("counts rows of unknown prompts, and refuses outcomes that mostly belong to other prompts", async () => {
    const prompts = [prompt("a"), prompt("b")];
    const known = { id: "a", model: "ann", score: 1 };
    const unknown = { id: "z", model: "ann", score: 1 };
    const table = await collectOne({ prompts, outcomes: [known, unknown] });
    expect(table.sources[0]).toMatchObject({ rows: 2, rowsOfUnknownPrompts: 1 });
    await expect(collectOne({ prompts, outcomes: [known, unknown, unknown] })).rejects.toThrow(
      'outcomes.jsonl, line 2, field "id": "z" is not among the prompts of source "set", nor are the ids of 2 of 3 rows',
    );
  });

  it("refuses a prompt id that occurs twice in a source", async () => {
    const files = { prompts: [prompt("a"), prompt("a")], outcomes: [] };
    await expect(collectOne(files)).rejects.toThrow(
      'prompts.jsonl, line 2, field "id": "a" is the id of an earlier prompt; give every prompt of a source its own id',
    );
  });

  it("refuses two sources of one name and outcomes without a score", async () => {
    const files = { prompts: [prompt("a")], outcomes: [{ id: "a", model: "ann", score: null }] };
    await expect(collectOne(files)).rejects.toThrow("not one observed score was found");
    const twice = await source("same", files);
    await expect(collectOutcomes([twice, twice])).rejects.toThrow('two sources are named "same"');
  });

  it("reads the rows that `only` names, and refuses a value that no row has", async () => {
    const files = {
      prompts: [
        { ...prompt("a"), kind: "checked" },
        { ...prompt("b"), kind: "judged" },
        { ...prompt("c"), kind: "judged" },
      ],
      outcomes: [
        { id: "a", model: "ann", score: 1, capped: 0 },
        { id: "a", model: "bob", score: 0, capped: 1 },
        { id: "b", model: "ann", score: 0, capped: 0 },
        { id: "c", model: "ann", score: 0, capped: 0 },
      ],
    };
    const all = await source("set", files);
    const table = await collectOutcomes([{ ...all, only: { kind: ["checked"], capped: [0] } }]);
    expect(table.promptIds).toEqual(["set:a"]);
    expect(table.models.map(({ model }) => model)).toEqual(["ann"]);
    expect(table.sources[0]).toMatchObject({ rows: 1, rowsOfUnknownPrompts: 0 });
    await expect(collectOutcomes([{ ...all, only: { kind: ["checked", "tool"] } }])).rejects.toThrow(
      'field "kind": no prompt or outcome of source "set" has the value "tool" that its "only" names',
    );
  });

  it("refuses more hidden tokens than can be among those of the answer", async () => {
    const answer = { id: "a", model: "ann", score: 1, tokens_out: 100 };
    const files = (hidden: number) => ({
      prompts: [prompt("a")],
      outcomes: [{ ...answer, tokens_reasoning: hidden }],
    });
    const table = await collectOne(files(120));
    expect([...(table.models[0]?.tokensReasoning ?? [])]).toEqual([120]);
    await expect(collectOne(files(250))).rejects.toThrow(
      'line 1, field "tokens_reasoning": is 250, more than 2 times tokens_out (100)',
    );
    const visible = { ...(await source("set", files(250))), lengths: "visible" as const };
    expect((await collectOutcomes([visible])).models).toHaveLength(1);
  });

  it("does not depend on the order of the outcome rows", async () => {
    const prompts = ["a", "b", "c", "d"].map((id) => prompt(id));
    const cell = fc.record({
      id: fc.constantFrom("a", "b", "c", "d"),
      model: fc.constantFrom("ann", "bob", "cat"),
      score: fc.constantFrom(0, 0.25, 0.5, 1),
      n_samples: fc.integer({ min: 1, max: 4 }),
    });
    const cells = fc.array(cell, { minLength: 1, maxLength: 20 });
    const shuffled = cells.chain((rows) =>
      fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
    );
    const property = fc.asyncProperty(shuffled, async ([rows, others]) => {
      expect(await collectOne({ prompts, outcomes: others })).toEqual(
        await collectOne({ prompts, outcomes: rows }),
      );
    });
    await fc.assert(property, { numRuns: 30 });
  });

  it("reads several files per source as if they were one", async () => {
    const folder = await folderWith({
      "prompts-1.jsonl": JSON.stringify(prompt("a")),
      "prompts-2.jsonl": JSON.stringify(prompt("b")),
      "x.csv": "id,model,score\na,ann,1\n",
      "y.csv": "id,model,score\nb,ann,0\n",
    });
    const outcomes = [join(folder, "y.csv"), join(folder, "x.csv")];
    const table = await collectOutcomes([{ name: "set", ...FACTS, prompts: [folder], outcomes }]);
    expect([...(table.models[0]?.quality ?? [])]).toEqual([1, 0]);
  });
});
