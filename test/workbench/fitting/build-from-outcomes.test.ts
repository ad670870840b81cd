import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { describeByName } from "../../../src/engine/catalog/model-description.js";
import type { Embedder } from "../../../src/engine/embedding/embedder.js";
import { gatherEvidence } from "../../../src/engine/estimation/evidence.js";
import { loadProfileSet } from "../../../src/engine/profiles/load.js";
import { buildFromOutcomes } from "../../../src/workbench/fitting/build-from-outcomes.js";
import { DEFAULT_KERNEL } from "../../../src/workbench/fitting/tune.js";
import { placeNewModel } from "../../../src/workbench/placement/add-model.js";
import { noAnswers } from "../../../src/workbench/placement/given-evidence.js";
import { openPlaceableSet } from "../../../src/workbench/placement/placeable-set.js";
import { folderForTest, folderForTests } from "../../support/folders.js";
import { filesOf } from "../files-of.js";

const SAMPLE = fileURLToPath(new URL("../../../datasets/sample", import.meta.url));
const sourceIn = (folder: string) => ({
  name: "sample",
  licence: null,
  commit: null,
  url: null,
  prompts: [join(folder, "prompts.jsonl")],
  outcomes: [join(folder, "outcomes.jsonl")],
});

/** A source with these rows, and the path of what is beside them. */
function sourceOf(files: Readonly<Record<string, readonly object[]>>) {
  const folder = folderForTest();
  for (const [name, rows] of Object.entries(files))
    writeFileSync(join(folder, name), rows.map((row) => JSON.stringify(row)).join("\n"));
  return { source: sourceIn(folder), pathOf: (name: string) => join(folder, name) };
}

/** Letters counted into 8 numbers. */
function letterEmbedder() {
  const embedded = { texts: 0 };
  const embedder: Embedder = {
    id: "letters",
    fingerprint: "0".repeat(64),
    dimensions: 8,
    async embed(texts) {
      embedded.texts += texts.length;
      return texts.map((text) => {
        const counts = new Float32Array(8).fill(1);
        for (const letter of text) {
          const index = (letter.codePointAt(0) ?? 0) % 8;
          counts[index] = (counts[index] ?? 0) + 1;
        }
        const norm = Math.hypot(...counts);
        return counts.map((count) => count / norm);
      });
    },
    async close() {},
  };
  return { embedder, embedded };
}

const optionsIn = (folder: string) => ({
  name: "sample",
  folder: join(folder, "set"),
  gather: gatherEvidence,
  seed: 3,
  builtAt: "2026-01-01T00:00:00Z",
  embedder: letterEmbedder().embedder,
});

const numbered = (count: number) => Array.from({ length: count }, (_, at) => at);

/** The sample, without tuning, and three models that nobody scored. */
const SAMPLE_SOURCE = sourceIn(SAMPLE);
const WISH = {
  describe: (model: string) => ({
    ...describeByName(model),
    family: "sample",
    predecessor: ["sample-next", "sample-small"].includes(model) ? "sample-large" : null,
  }),
  alsoPlace: ["newcomer", "sample-large:high", "sample-next"],
  tuning: "defaults",
} as const;
const whole = { ...optionsIn(folderForTests()), ...WISH };
beforeAll(async () => {
  await buildFromOutcomes([SAMPLE_SOURCE], whole);
});

describe("buildFromOutcomes", () => {
  it("resumes after a late failure without embedding again, with the same bytes", async () => {
    const options = { ...optionsIn(folderForTest()), ...WISH };
    const broken = () => {
      throw new Error("the disk is full");
    };
    await expect(buildFromOutcomes([SAMPLE_SOURCE], { ...options, gather: broken })).rejects.toThrow(
      "the disk is full",
    );
    expect(existsSync(options.folder)).toBe(false);
    const { embedder, embedded } = letterEmbedder();
    await buildFromOutcomes([SAMPLE_SOURCE], { ...options, embedder });
    expect(embedded.texts).toBe(0);
    expect(filesOf(options.folder)).toEqual(filesOf(whole.folder));
    expect(existsSync(`${options.folder}.partial`)).toBe(false);
  });

  it("reports what was left out, and scores of several scales", async () => {
    const { source } = sourceOf({
      "prompts.jsonl": ["a", "b", "c", "unscored"].map((id) => ({ id, prompt: `Prompt ${id}` })),
      "outcomes.jsonl": ["a", "b", "c", "gone"].flatMap((id) => [
        { id, model: "ann", score: 1, scale: "right" },
        { id, model: "bob", score: 0, scale: id === "a" ? "rating" : "right" },
      ]),
    });
    const notes: string[] = [];
    const onNote = (note: string) => notes.push(note);
    await buildFromOutcomes([source], { ...optionsIn(folderForTest()), onNote });
    expect(notes).toEqual([
      expect.stringContaining(
        "(right: 1 is a right answer; rating: a tenth of a rating), so that a lost answer",
      ),
      "sample: left out 2 of 8 outcome rows, whose prompts are not there.",
      "sample: left out 1 prompts that no model was scored on.",
    ]);
  });

  it("adds models with published scores only, and records the evidence of each model", async () => {
    const benchmarks = ["b1", "b2", "b3"];
    const published = { source: "https://example.com/scores", date: "2026-01-01" };
    const scores = Object.entries({ ann: 0.2, bob: 0.4, cid: 0.6, high: 0.9, "like-bob": 0.4, low: 0.1 });
    const { source, pathOf } = sourceOf({
      "prompts.jsonl": numbered(40).map((id) => ({ id, prompt: `Prompt ${id}` })),
      "outcomes.jsonl": numbered(40).flatMap((id) =>
        ["ann", "bob", "cid", "dan"].map((model, index) => ({ id, model, score: id % 5 <= index ? 1 : 0 })),
      ),
      "scores.jsonl": [
        ...scores.flatMap(([model, score]) =>
          benchmarks.map((benchmark) => ({ model, benchmark, score, ...published })),
        ),
        { model: "barely", benchmark: "b1", score: 0.5, ...published },
      ],
    });
    const options = optionsIn(folderForTest());
    await buildFromOutcomes([source], { ...options, scores: [pathOf("scores.jsonl")] });
    const { set } = await loadProfileSet(options.folder, {});
    const summaryOf = (name: string) => set.summaries.find(({ model }) => model === name);
    expect(set.summaries.map(({ model, basis }) => `${model}: ${basis}`)).toEqual([
      ...["ann: both", "bob: both", "cid: both", "dan: measured"],
      ...["high: placed", "like-bob: placed", "low: placed"],
    ]);
    const scored = { published: benchmarks.map((benchmark) => ({ benchmark, ...published })) };
    expect(summaryOf("high")).toMatchObject({ samples: 0, mean_quality: 0, benchmarks: {}, ...scored });
    const expectedOf = (name: string) => summaryOf(name)?.expected_quality as number;
    expect(expectedOf("high")).toBeGreaterThan(expectedOf("bob"));
    expect(expectedOf("low")).toBeLessThan(expectedOf("bob"));
    expect(Math.abs(expectedOf("like-bob") - expectedOf("bob"))).toBeLessThan(0.15);
    expect(summaryOf("like-bob")?.quality_stderr).toBeGreaterThan(
      1.2 * (summaryOf("bob")?.quality_stderr as number),
    );
  });

  it("keeps the default parameters without tuning, and still measures the in-distribution similarity", async () => {
    const { manifest } = await loadProfileSet(whole.folder, {});
    // Prompts that name their topics are not clustered.
    expect(manifest.topics).toEqual(["chat", "code", "sums", "translation"]);
    expect(manifest.clustered_topics).toBeUndefined();
    expect(manifest.parameters).toMatchObject({
      neighbours: DEFAULT_KERNEL.neighbours,
      kernel_width: DEFAULT_KERNEL.kernelWidth,
      prior_weight: DEFAULT_KERNEL.priorWeight,
    });
    expect(manifest.parameters.in_distribution_similarity).toBeGreaterThan(0);
  });

  it("places a requested model without scores with larger errors than models with answers, and names its relative", async () => {
    const { profiles } = await loadProfileSet(whole.folder, {});
    const factsOf = (name: string) => profiles.find(({ facts }) => facts.model === name)?.facts;
    const others = profiles.map(({ facts }) => facts).filter(({ scored }) => scored > 0);
    const errors = others.map((facts) => facts.overall_error);
    const qualities = others.map((facts) => facts.overall_quality);
    const newcomer = factsOf("newcomer");
    expect(newcomer).toMatchObject({ scored: 0, published: [] });
    expect(newcomer).not.toHaveProperty("relative");
    expect(factsOf("sample-large:high")?.relative).toMatchObject({ model: "sample-large", generations: 0 });
    expect(newcomer?.overall_error).toBeGreaterThan(Math.max(...errors));
    expect(newcomer?.overall_quality).toBeGreaterThan(Math.min(...qualities));
    expect(newcomer?.overall_quality).toBeLessThan(Math.max(...qualities));
  });

  it("believes a successor no worse than its predecessor unless its own answers show it", async () => {
    const { profiles, set } = await loadProfileSet(whole.folder, {});
    const factsOf = (name: string) => profiles.find(({ facts }) => facts.model === name)?.facts;
    const level = factsOf("sample-large")?.overall_quality;
    expect(factsOf("sample-next")?.overall_quality).toBeGreaterThanOrEqual(level ?? 1);
    expect(factsOf("sample-next")?.overall_quality).toBeLessThan((level ?? 0) + 0.05);
    expect(factsOf("sample-small")?.overall_quality).toBeLessThan((level ?? 0) - 0.2);
    const predecessors = set.summaries.flatMap(({ model, predecessor }) =>
      predecessor ? [[model, predecessor]] : [],
    );
    expect(predecessors).toEqual([["sample-next", "sample-large"]]);
  });

  it("clusters prompts without categories, so that answers of a new model say what it is good at", async () => {
    // Of two kinds, in turn: the models of the set are alike on one, and differ on the other.
    const prompts = numbered(200).map((at) => ({
      id: at,
      prompt: `${(at % 2 === 0 ? "a" : "d").repeat(30)}${"e".repeat(at % 5)}`,
    }));
    const scoreOf = (kind: number, at: number) => (kind === 0 ? Math.floor(at / 2) % 2 : at % 10 < 2 ? 0 : 1);
    const { source } = sourceOf({
      "prompts.jsonl": prompts,
      "outcomes.jsonl": prompts.flatMap(({ id }) => [
        { id, model: "ann", score: scoreOf(id % 2, id) },
        { id, model: "bob", score: scoreOf(id % 2, id + 2) },
        { id, model: "cyd", score: scoreOf((id + 1) % 2, id) },
      ]),
    });
    const options = optionsIn(folderForTest());
    const { manifest } = await buildFromOutcomes([source], options);
    expect(manifest.clustered_topics).toEqual(manifest.topics);
    expect(manifest.topics.slice(0, 2)).toEqual(["Cluster 1", "Cluster 2"]);
    const set = await openPlaceableSet(options.folder);
    const kindOf = (topic: number) => set.facts.topic.indexOf(topic) % 2;
    expect(Array.from(set.facts.topic, kindOf)).toEqual(numbered(200).map((anchor) => anchor % 2));
    const vectors = await options.embedder.embed(prompts.slice(0, 60).map(({ prompt }) => prompt));
    const own = vectors.map((vector, at) => ({ vector, score: at % 2 }));
    const { outcomes } = noAnswers("new");
    const { profile } = placeNewModel(set, { model: "new", scores: [], facts: {}, outcomes, own });
    const expected = [...profile.table.quality.subarray(-manifest.topics.length)];
    for (const [topic, quality] of expected.entries())
      expect(Math.abs(quality - kindOf(topic))).toBeLessThan(0.25);
  });
});
