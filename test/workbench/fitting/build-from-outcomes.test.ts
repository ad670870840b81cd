import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { describeByName } from "../../../src/engine/catalog/model-description.js";
import type { Embedder } from "../../../src/engine/embedding/embedder.js";
import { gatherEvidence } from "../../../src/engine/estimation/evidence.js";
import { loadProfileSet } from "../../../src/engine/profiles/load.js";
import { createSnapshot } from "../../../src/engine/router/snapshot.js";
import { buildFromOutcomes } from "../../../src/workbench/fitting/build-from-outcomes.js";
import { DEFAULT_KERNEL } from "../../../src/workbench/fitting/tune.js";
import { placeNewModel } from "../../../src/workbench/placement/add-model.js";
import { noAnswers } from "../../../src/workbench/placement/given-evidence.js";
import { openPlaceableSet } from "../../../src/workbench/placement/placeable-set.js";
import { folderWith } from "../../engine/profiles/folder-for-test.js";

const SAMPLE = fileURLToPath(new URL("../../../datasets/sample", import.meta.url));
const SOURCE = {
  name: "sample",
  licence: null,
  commit: null,
  url: null,
  prompts: [SAMPLE],
  outcomes: [SAMPLE],
};

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

async function optionsFor(embedder: Embedder) {
  const folder = await folderWith({});
  return {
    name: "sample",
    folder: join(folder, "set"),
    embedder,
    gather: gatherEvidence,
    seed: 3,
    builtAt: "2026-01-01T00:00:00Z",
  };
}

async function filesOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = files.map(
    async (file) => [file.slice(folder.length), await readFile(file, "base64")] as const,
  );
  return Object.fromEntries((await Promise.all(contents)).sort());
}

it("buildFromOutcomes resumes after a late failure without embedding again, with the same bytes", async () => {
  const whole = await optionsFor(letterEmbedder().embedder);
  await buildFromOutcomes([SOURCE], whole);
  const options = await optionsFor(letterEmbedder().embedder);
  const broken = () => {
    throw new Error("the disk is full");
  };
  await expect(buildFromOutcomes([SOURCE], { ...options, gather: broken })).rejects.toThrow(
    "the disk is full",
  );
  expect(existsSync(options.folder)).toBe(false);
  const { embedder, embedded } = letterEmbedder();
  await buildFromOutcomes([SOURCE], { ...options, embedder });
  expect(embedded.texts).toBe(0);
  expect(await filesOf(options.folder)).toEqual(await filesOf(whole.folder));
  expect(existsSync(`${options.folder}.partial`)).toBe(false);
});

it("buildFromOutcomes stops between two steps when it is aborted, and leaves no set", async () => {
  const stop = new AbortController();
  const options = {
    ...(await optionsFor(letterEmbedder().embedder)),
    signal: stop.signal,
    onProgress: (step: string) => {
      if (step === "cluster") stop.abort(new Error("enough"));
    },
  };
  await expect(buildFromOutcomes([SOURCE], options)).rejects.toThrow("enough");
  expect(existsSync(options.folder)).toBe(false);
  expect(existsSync(`${options.folder}.partial`)).toBe(true);
});

it("buildFromOutcomes reports what was left out", async () => {
  const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");
  const folder = await folderWith({
    "prompts.jsonl": lines(["a", "b", "c", "unscored"].map((id) => ({ id, prompt: `Prompt ${id}` }))),
    "outcomes.jsonl": lines(
      ["a", "b", "c", "gone"].flatMap((id) => [
        { id, model: "ann", score: 1 },
        { id, model: "bob", score: 0 },
      ]),
    ),
  });
  const notes: string[] = [];
  const source = { ...SOURCE, prompts: [folder], outcomes: [folder] };
  const options = await optionsFor(letterEmbedder().embedder);
  await buildFromOutcomes([source], { ...options, onNote: (note) => notes.push(note) });
  expect(notes).toEqual([
    "sample: left out 2 of 8 outcome rows, whose prompts are not there.",
    "sample: left out 1 prompts that no model was scored on.",
  ]);
});

it("buildFromOutcomes adds models with published scores only, and records the evidence of each model", async () => {
  const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");
  const ids = Array.from({ length: 40 }, (_, prompt) => `p${prompt}`);
  const measured = ["ann", "bob", "cid", "dan"];
  const benchmarks = ["b1", "b2", "b3"];
  const score = (model: string, benchmark: string, value: number) => ({
    ...{ model, benchmark, score: value, source: "https://example.com/scores", date: "2026-01-01" },
  });
  const folder = await folderWith({
    "prompts.jsonl": lines(ids.map((id) => ({ id, prompt: `Prompt ${id}` }))),
    "outcomes.jsonl": lines(
      ids.flatMap((id, prompt) =>
        measured.map((model, index) => ({ id, model, score: prompt % 5 <= index ? 1 : 0 })),
      ),
    ),
    "scores.jsonl": lines([
      ...["ann", "bob", "cid"].flatMap((model, index) =>
        benchmarks.map((benchmark) => score(model, benchmark, 0.2 + 0.2 * index)),
      ),
      ...["high", "like-bob", "low"].flatMap((model, index) =>
        benchmarks.map((benchmark) => score(model, benchmark, [0.9, 0.4, 0.1][index] as number)),
      ),
      score("barely", "b1", 0.5),
    ]),
  });
  const source = {
    ...SOURCE,
    prompts: [join(folder, "prompts.jsonl")],
    outcomes: [join(folder, "outcomes.jsonl")],
  };
  const options = await optionsFor(letterEmbedder().embedder);
  await buildFromOutcomes([source], { ...options, scores: [join(folder, "scores.jsonl")] });
  const { set } = await loadProfileSet(options.folder, {});
  const summaryOf = (name: string) => set.summaries.find(({ model }) => model === name);
  expect(set.summaries.map(({ model, basis }) => [model, basis])).toEqual([
    ["ann", "both"],
    ["bob", "both"],
    ["cid", "both"],
    ["dan", "measured"],
    ["high", "placed"],
    ["like-bob", "placed"],
    ["low", "placed"],
  ]);
  expect(summaryOf("high")).toMatchObject({ samples: 0, mean_quality: 0, benchmarks: {} });
  expect(summaryOf("high")?.published).toEqual(
    benchmarks.map((benchmark) => ({
      benchmark,
      source: "https://example.com/scores",
      date: "2026-01-01",
    })),
  );
  const expectedOf = (name: string) => summaryOf(name)?.expected_quality as number;
  expect(expectedOf("high")).toBeGreaterThan(expectedOf("bob"));
  expect(expectedOf("low")).toBeLessThan(expectedOf("bob"));
  expect(Math.abs(expectedOf("like-bob") - expectedOf("bob"))).toBeLessThan(0.15);
  expect(summaryOf("like-bob")?.quality_stderr).toBeGreaterThan(
    1.2 * (summaryOf("bob")?.quality_stderr as number),
  );
});

it("buildFromOutcomes keeps the default parameters without tuning, and still measures the in-distribution similarity", async () => {
  const { embedder } = letterEmbedder();
  const options = await optionsFor(embedder);
  const { manifest } = await buildFromOutcomes([SOURCE], { ...options, tuning: "defaults" });
  expect(manifest.parameters).toMatchObject({
    neighbours: DEFAULT_KERNEL.neighbours,
    kernel_width: DEFAULT_KERNEL.kernelWidth,
    prior_weight: DEFAULT_KERNEL.priorWeight,
    topic_weight: DEFAULT_KERNEL.topicWeight,
  });
  expect(manifest.parameters.in_distribution_similarity).toBeGreaterThan(0);
});

it("buildFromOutcomes places a requested model without scores with larger errors than models with answers", async () => {
  const { embedder } = letterEmbedder();
  const options = await optionsFor(embedder);
  const describe = (model: string) => ({ ...describeByName(model), family: "sample" });
  await buildFromOutcomes([SOURCE], { ...options, describe, alsoPlace: ["newcomer"] });
  const { profiles } = await loadProfileSet(options.folder, {});
  const newcomer = profiles.find(({ facts }) => facts.model === "newcomer");
  const others = profiles.filter((profile) => profile !== newcomer);
  expect(newcomer?.facts).toMatchObject({ scored: 0, published: [] });
  const surest = Math.max(...others.map(({ facts }) => facts.overall_error));
  expect(newcomer?.facts.overall_error).toBeGreaterThan(surest);
  const qualities = others.map(({ facts }) => facts.overall_quality);
  expect(newcomer?.facts.overall_quality).toBeGreaterThan(Math.min(...qualities));
  expect(newcomer?.facts.overall_quality).toBeLessThan(Math.max(...qualities));
});

it("buildFromOutcomes keeps what decisions read of prompts of traffic, and calibrates the cost weight on them", async () => {
  const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");
  const ids = Array.from({ length: 40 }, (_, prompt) => `p${prompt}`);
  const folder = await folderWith({
    "prompts.jsonl": lines(ids.map((id) => ({ id, prompt: `Prompt ${id}` }))),
    "outcomes.jsonl": lines(
      ids.flatMap((id) =>
        ["cheap", "dear"].map((model, index) => ({
          id,
          model,
          score: index,
          cost_usd: index === 0 ? 0.001 : 0.1,
        })),
      ),
    ),
    "prompts-traffic.jsonl": lines(
      Array.from({ length: 1500 }, (_, id) => ({ id: `${id}`, prompt: "a".repeat(4 * (1 + (id % 2))) })),
    ),
  });
  const source = {
    ...SOURCE,
    prompts: [join(folder, "prompts.jsonl")],
    outcomes: [join(folder, "outcomes.jsonl")],
  };
  const options = await optionsFor(letterEmbedder().embedder);
  await buildFromOutcomes([source], { ...options, traffic: [join(folder, "prompts-traffic.jsonl")] });
  const { set } = await loadProfileSet(options.folder, {});
  expect(set.traffic).toHaveLength(1024);
  expect(new Set(set.traffic.map(({ tokens }) => tokens))).toEqual(new Set([1, 2]));
  expect(set.traffic[0]?.vector()).toHaveLength(set.index.dimensions);
  const { costWeight } = createSnapshot([set], () => NO_FACTS);
  const [best, cheapest] = [0, 1].map((weight) => costWeight.meaningOf(weight)?.meanCostUsd as number);
  expect((best as number) / (cheapest as number)).toBeGreaterThan(10);
  // An anchor has some four tokens: a sample of anchors would make answers of the same price cost more.
  const { costWeight: byAnchors } = createSnapshot([{ ...set, traffic: [] }], () => NO_FACTS);
  expect(byAnchors.meaningOf(0)?.meanCostUsd).not.toBe(best);
});

const NO_FACTS = {
  provider: null,
  price: null,
  contextTokens: null,
  capabilities: { images: null, tools: null },
};

it("Prompts of one benchmark have the topic that they name", async () => {
  const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");
  const prompts = Array.from({ length: 80 }, (_, at) => ({
    ...{ id: String(at), benchmark: "sums", prompt: "ad"[at % 2]?.repeat(20 + at) },
  }));
  const rows = prompts.flatMap(({ id }, at) => [
    { id, model: "ann", score: at % 2 },
    { id, model: "bob", score: (at + 1) % 2 },
  ]);
  const folder = await folderWith({ "prompts.jsonl": lines(prompts), "outcomes.jsonl": lines(rows) });
  const source = { ...SOURCE, prompts: [folder], outcomes: [folder] };
  const { manifest } = await buildFromOutcomes([source], await optionsFor(letterEmbedder().embedder));
  expect(manifest).toMatchObject({ topics: ["sums"] });
  expect(manifest.clustered_topics).toBeUndefined();
});

it("Prompts without categories are clustered, so that answers of a new model say what it is good at", async () => {
  const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");
  // Of two kinds, in turn: the models of the set are alike on one, and differ on the other.
  const prompts = Array.from({ length: 200 }, (_, at) => ({
    ...{ id: String(at), prompt: `${(at % 2 === 0 ? "a" : "d").repeat(30)}${"e".repeat(at % 5)}` },
  }));
  const scoreOf = (kind: number, at: number) => (kind === 0 ? Math.floor(at / 2) % 2 : at % 10 < 2 ? 0 : 1);
  const rows = prompts.flatMap(({ id }, at) => [
    { id, model: "ann", score: scoreOf(at % 2, at) },
    { id, model: "bob", score: scoreOf(at % 2, at + 2) },
    { id, model: "cyd", score: scoreOf((at + 1) % 2, at) },
  ]);
  const folder = await folderWith({ "prompts.jsonl": lines(prompts), "outcomes.jsonl": lines(rows) });
  const { embedder } = letterEmbedder();
  const options = await optionsFor(embedder);
  const source = { ...SOURCE, prompts: [folder], outcomes: [folder] };
  const { manifest } = await buildFromOutcomes([source], options);
  expect(manifest.clustered_topics).toEqual(manifest.topics);
  expect(manifest.topics.slice(0, 2)).toEqual(["Cluster 1", "Cluster 2"]);
  const set = await openPlaceableSet(options.folder);
  const kindOf = (topic: number) => set.facts.topic.indexOf(topic) % 2;
  set.facts.topic.forEach((topic, anchor) => {
    expect(kindOf(topic)).toBe(anchor % 2);
  });
  const vectors = await embedder.embed(prompts.slice(0, 60).map(({ prompt }) => prompt));
  const own = vectors.map((vector, at) => ({ vector, score: at % 2 }));
  const { outcomes } = noAnswers("new");
  const { profile } = placeNewModel(set, { ...{ model: "new", scores: [], facts: {} }, outcomes, own });
  const expected = [...profile.table.quality.subarray(-manifest.topics.length)];
  expected.forEach((quality, topic) => {
    if (kindOf(topic) === 0) expect(quality).toBeLessThan(0.25);
    else expect(quality).toBeGreaterThan(0.75);
  });
});
