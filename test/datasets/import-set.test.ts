import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { loadOutcomeRows } from "../../bench/quality/outcomes/outcome-rows.js";
import type { Fetch } from "../../datasets/fetch-file.js";
import { type ImportSetOptions, importSet } from "../../datasets/import-set.js";
import { importLlmRouterUlab } from "../../datasets/importers/llmrouter-ulab.js";
import { IMPORTERS } from "../../datasets/importers.js";
import { KnownChecksums } from "../../datasets/known-checksums.js";
import { type RegisteredSet, readRegistry } from "../../datasets/registry.js";
import { folderWith } from "../engine/profiles/folder-for-test.js";
import { zipOf } from "./archives.js";

const rows = [0, 1, 2].flatMap((number) =>
  ["qwen", "yi"].map((model) => ({
    task_name: "mmlu",
    query: `Question ${number}?`,
    metric: "em",
    model_name: model,
    performance: model === "yi" ? 1 : 0,
    embedding_id: number,
  })),
);
const data = rows.map((row) => JSON.stringify(row)).join("\n");
const archive = zipOf([{ name: "R-1/data/default_routing_train_data.jsonl", content: Buffer.from(data) }]);
const set: RegisteredSet = {
  name: "little",
  title: "Little",
  url: "https://example.org/little",
  commit: "abc",
  licence: "MIT",
  benchmarks: "one",
  score: "0 or 1",
  cost: null,
  figures_may_ship: true,
  files: [{ name: "little.zip", url: "https://example.org/little.zip", sha256: null }],
};

async function optionsIn(folder: string, changes: Partial<ImportSetOptions> = {}): Promise<ImportSetOptions> {
  const offline: Fetch = async () => {
    throw new TypeError("fetch failed");
  };
  return {
    out: join(folder, "out"),
    cache: join(folder, "cache"),
    mirror: null,
    fetch: offline,
    importer: importLlmRouterUlab,
    checksums: await KnownChecksums.open(join(folder, "checksums.json")),
    ...changes,
  };
}

describe("Importing a set", () => {
  it("downloads, verifies, converts, and leaves files that the benchmarks can read", async () => {
    const folder = await folderWith({});
    const asked: string[] = [];
    const fetch: Fetch = async (url) => {
      asked.push(url);
      return new Response(new Uint8Array(archive));
    };
    const notes: string[] = [];
    const options = await optionsIn(folder, { fetch, onNote: (note) => notes.push(note) });
    const written = await importSet(set, options);
    expect(written).toEqual({ prompts: 3, models: 2, outcomes: 6, leftOut: 0 });
    expect(notes).toEqual([expect.stringContaining("trusted from now on")]);
    const read = await loadOutcomeRows(options.out, 0.9);
    expect(read.models).toEqual(["qwen", "yi"]);
    expect(read.prompts.map(({ text }) => text)).toEqual(["Question 0?", "Question 1?", "Question 2?"]);
    expect([...read.quality]).toEqual([0, 1, 0, 1, 0, 1]);
    const source: unknown = JSON.parse(await readFile(join(options.out, "source.json"), "utf8"));
    expect(source).toMatchObject({ name: "little", licence: "MIT", commit: "abc", prompts: 3 });
    await importSet(set, options);
    expect(asked, "the second time it lies in the cache").toEqual(["https://example.org/little.zip"]);
  });

  it("says what to do when the source is unreachable, and writes nothing", async () => {
    const folder = await folderWith({});
    await expect(importSet(set, await optionsIn(folder))).rejects.toThrow(
      /https:\/\/example\.org\/little\.zip cannot be reached.*--mirror DIR/,
    );
    expect(await readdir(folder)).toEqual(["cache"]);
    expect(await readdir(join(folder, "cache", "little"))).toEqual([]);
  });

  it("reads published files from a mirror, in a folder of the set's name or not", async () => {
    const folder = await folderWith({ "little.zip": archive });
    expect(await importSet(set, await optionsIn(folder, { mirror: folder }))).toMatchObject({ prompts: 3 });
    const own = await folderWith({});
    await mkdir(join(own, "little"));
    await writeFile(join(own, "little", "little.zip"), archive);
    expect(await importSet(set, await optionsIn(own, { mirror: own }))).toMatchObject({ prompts: 3 });
  });

  it("refuses a file that changed since its first download, naming both checksums", async () => {
    const folder = await folderWith({ "little.zip": archive });
    await importSet(set, await optionsIn(folder, { mirror: folder }));
    await writeFile(join(folder, "little.zip"), zipOf([{ name: "x", content: Buffer.from("y") }]));
    await expect(importSet(set, await optionsIn(folder, { mirror: folder }))).rejects.toThrow(
      /little\/little\.zip has SHA-256 [0-9a-f]{64}, but was first seen with [0-9a-f]{64}/,
    );
  });

  it("refuses a file other than the registered one, and keeps the existing set", async () => {
    const folder = await folderWith({ "little.zip": archive });
    const options = await optionsIn(folder, { mirror: folder });
    await importSet(set, options);
    const before = await readFile(join(options.out, "outcomes.jsonl.gz"));
    const registered = {
      ...set,
      files: [{ ...(set.files?.[0] ?? { name: "", url: "" }), sha256: "0".repeat(64) }],
    };
    await expect(importSet(registered, options)).rejects.toThrow("the registry says");
    expect(await readFile(join(options.out, "outcomes.jsonl.gz"))).toEqual(before);
  });

  it("omits rows without a text and counts them", async () => {
    const blank = JSON.stringify({ ...rows[0], query: " ", embedding_id: 9 });
    const folder = await folderWith({ "default_routing_train_data.jsonl": `${data}\n${blank}` });
    const options = await optionsIn(folder, { mirror: folder });
    expect(await importSet(set, options)).toMatchObject({ prompts: 3, outcomes: 6, leftOut: 1 });
    const prompts = gunzipSync(await readFile(join(options.out, "prompts.jsonl.gz"))).toString();
    expect(prompts.trim().split("\n")).toHaveLength(3);
  });
});

describe("The registry of sets", () => {
  it("has an importer for every set that lists files, and no other importer", async () => {
    const sets = await readRegistry("datasets/registry.json");
    const named = sets.filter(({ files }) => files !== undefined).map(({ name }) => name);
    expect(named.sort()).toEqual(Object.keys(IMPORTERS).sort());
  });
});
