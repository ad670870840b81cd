import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CollectOutcomesOptions,
  collectOutcomes,
  type OutcomeSource,
} from "../../../src/workbench/fitting/collect.js";
import { folderWith } from "../../engine/profiles/folder-for-test.js";
import { folderForTest } from "../../support/folders.js";

const FACTS = { licence: "Apache-2.0", commit: "abc", url: "https://example.org/set" };

interface Files {
  readonly prompts: readonly object[];
  readonly outcomes: readonly object[];
}

function source(name: string, files: Files, folder = folderForTest()): OutcomeSource {
  for (const kind of ["prompts", "outcomes"] as const) {
    const lines = files[kind].map((row) => JSON.stringify(row));
    writeFileSync(join(folder, `${kind}.jsonl`), lines.join("\n"));
  }
  return { name, ...FACTS, prompts: [folder], outcomes: [folder] };
}

const prompt = (id: string, benchmark?: string) => ({ id, prompt: `Prompt ${id}`, benchmark });

const collectOne = (files: Files, options?: CollectOutcomesOptions) =>
  collectOutcomes([source("set", files)], options);

const values = (column: Iterable<number> | undefined) => [...(column ?? [])];

describe("Collecting outcomes", () => {
  it("numbers prompts in reading order, names them by source and omits prompts without scores", async () => {
    const first = source("one", {
      prompts: [prompt("a", "sums"), prompt("unscored", "lost"), prompt("b")],
      outcomes: [
        { id: "b", model: "ann", score: 1 },
        { id: "a", model: "ann", score: 0 },
        { id: "unscored", model: "ann", score: null },
      ],
    });
    const second = source("two", {
      prompts: [prompt("a", "code")],
      outcomes: [{ id: "a", model: "bob", score: 0.5, tokens_in: 10, tokens_out: 20, cost_usd: 0.25 }],
    });
    const table = await collectOutcomes([first, second]);
    expect(table).toMatchObject({
      promptIds: ["one:a", "one:b", "two:a"],
      benchmarks: ["code", "one", "sums"],
      unlabelledTopics: ["one"],
    });
    expect([table.benchmarkOf, table.sourceOf, table.tokensIn].map(values)).toEqual([
      [2, 1, 0],
      [0, 0, 1],
      [2, 2, 10],
    ]);
    const counts = { anchors: 2, promptsWithoutScore: 1, rows: 3, rowsOfUnknownPrompts: 0 };
    expect(table.sources[0]).toEqual({ name: "one", ...FACTS, lengths: "total", ...counts });
    const [ann, bob] = table.models;
    expect([ann?.model, values(ann?.anchors), values(ann?.quality)]).toEqual(["ann", [0, 1], [0, 1]]);
    expect([bob?.model, values(bob?.tokensOut), values(bob?.costUsd)]).toEqual(["bob", [20], [0.25]]);
  });

  it("estimates the tokens of a prompt from its length where no row has a count", async () => {
    const prompts = [{ id: "long", prompt: "é".repeat(50) }, prompt("a")];
    const outcomes = [
      { id: "long", model: "ann", score: 1 },
      { id: "a", model: "ann", score: 1, tokens_in: 7 },
    ];
    expect(values((await collectOne({ prompts, outcomes })).tokensIn)).toEqual([25, 7]);
  });

  it("averages rows of the same prompt and model, weighted by their samples", async () => {
    const outcomes = [
      { id: "a", model: "ann", score: 1, n_samples: 3, tokens_out: 10, tokens_in: 4 },
      { id: "a", model: "ann", score: 0, n_samples: 1, cost_usd: 0.5, tokens_in: 6 },
    ];
    const { models, tokensIn } = await collectOne({ prompts: [prompt("a")], outcomes });
    const [ann] = models;
    expect([ann?.quality, ann?.samples, ann?.tokensOut, ann?.costUsd, tokensIn].map(values)).toEqual([
      ...[[0.75], [4], [10], [0.5], [5]],
    ]);
  });

  it("merges models that are renamed to the same id and keeps their original names", async () => {
    const outcomes = [
      { id: "a", model: "Ann-Large", score: 1 },
      { id: "a", model: "ann-large-0613", score: 0 },
      { id: "b", model: "bob", score: 1 },
    ];
    const rename = (original: string) => (original.toLowerCase().startsWith("ann") ? "ann-large" : original);
    const { models } = await collectOne({ prompts: [prompt("a"), prompt("b")], outcomes }, { rename });
    expect(models.map(({ model, originalNames }) => [model, originalNames])).toEqual([
      ["ann-large", ["Ann-Large", "ann-large-0613"]],
      ["bob", ["bob"]],
    ]);
    expect(values(models[0]?.quality)).toEqual([0.5]);
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

  it("refuses an id of two prompts, two sources of one name, and outcomes without a score", async () => {
    await expect(collectOne({ prompts: [prompt("a"), prompt("a")], outcomes: [] })).rejects.toThrow(
      'prompts.jsonl, line 2, field "id": "a" is the id of an earlier prompt; give every prompt of a source its own id',
    );
    const files = { prompts: [prompt("a")], outcomes: [{ id: "a", model: "ann", score: null }] };
    await expect(collectOne(files)).rejects.toThrow("not one observed score was found");
    const twice = source("same", files);
    await expect(collectOutcomes([twice, twice])).rejects.toThrow('two sources are named "same"');
  });

  it("reads the rows that `only` names, and refuses a value that no row has", async () => {
    const prompts = [prompt("a", "x"), prompt("b", "y")];
    const outcomes = ["a", "b"].map((id) => ({ id, model: "ann", score: 1 }));
    const all = source("set", { prompts, outcomes });
    const table = await collectOutcomes([{ ...all, only: { benchmark: ["x"] } }]);
    expect([table.promptIds, table.sources[0]?.rows]).toEqual([["set:a"], 1]);
    await expect(collectOutcomes([{ ...all, only: { benchmark: ["x", "z"] } }])).rejects.toThrow(
      'field "benchmark": no prompt or outcome of source "set" has the value "z" that its "only" names',
    );
  });

  it("refuses more hidden tokens than can be among those of the answer", async () => {
    const answer = { id: "a", model: "ann", score: 1, tokens_out: 100 };
    const withHidden = (hidden: number) =>
      source("set", { prompts: [prompt("a")], outcomes: [{ ...answer, tokens_reasoning: hidden }] });
    const table = await collectOutcomes([withHidden(120)]);
    expect(values(table.models[0]?.tokensReasoning)).toEqual([120]);
    await expect(collectOutcomes([withHidden(250)])).rejects.toThrow(
      'line 1, field "tokens_reasoning": is 250, more than 2 times tokens_out (100)',
    );
    const visible = { ...withHidden(250), lengths: "visible" as const };
    expect((await collectOutcomes([visible])).models).toHaveLength(1);
  });

  it("does not depend on the order of the outcome rows", async () => {
    const prompts = ["a", "b", "c", "d"].map((id) => prompt(id));
    const folder = folderForTest();
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
    const tableOf = (outcomes: readonly object[]) =>
      collectOutcomes([source("set", { prompts, outcomes }, folder)]);
    const property = fc.asyncProperty(shuffled, async ([rows, others]) => {
      const table = await tableOf(rows);
      expect(await tableOf(others)).toEqual(table);
    });
    await fc.assert(property, { numRuns: 20 });
  });

  it("reads several files per source as if they were one", async () => {
    const [first, second] = ["a", "b"].map((id) => JSON.stringify(prompt(id))) as [string, string];
    const head = "id,model,score\n";
    const tables = { "x.csv": `${head}a,ann,1\n`, "y.csv": `${head}b,ann,0\n` };
    const folder = await folderWith({ "prompts-1.jsonl": first, "prompts-2.jsonl": second, ...tables });
    const outcomes = [join(folder, "y.csv"), join(folder, "x.csv")];
    const table = await collectOutcomes([{ name: "set", ...FACTS, prompts: [folder], outcomes }]);
    expect(values(table.models[0]?.quality)).toEqual([1, 0]);
  });
});
