import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Embedder } from "../../../src/engine/embedding/embedder.js";
import type { OutcomeSource } from "../../../src/workbench/fitting/collect.js";
import { type EmbedPromptsOptions, embedPrompts } from "../../../src/workbench/fitting/embed-prompts.js";
import { folderWith } from "../../engine/profiles/folder-for-test.js";
import { folderForTest } from "../../support/folders.js";

const CHECKPOINT = 512;

interface FakeOptions {
  readonly fingerprint?: string;
  /** Fails at this text. */
  readonly failAt?: string;
  readonly difficulty?: Embedder["difficulty"];
}

/** Four numbers from the text. */
function fakeEmbedder({ fingerprint = "f1", failAt, difficulty }: FakeOptions = {}) {
  const embedded = { texts: 0 };
  const embedder: Embedder = {
    id: "fake",
    fingerprint,
    dimensions: 4,
    difficulty,
    async embed(texts) {
      if (texts.some((text) => text === failAt)) throw new Error("the power went out");
      embedded.texts += texts.length;
      return texts.map((text) => {
        const angle = Number(text.replaceAll(/\D/g, ""));
        return Float32Array.of(Math.sin(angle), Math.cos(angle), 0, 0);
      });
    },
    async close() {},
  };
  return { embedder, embedded };
}

async function manyPrompts(total: number): Promise<{ sources: OutcomeSource[]; promptIds: string[] }> {
  const numbers = Array.from({ length: total }, (_, index) => index);
  const lines = numbers.map((index) => JSON.stringify({ id: `p${index}`, prompt: `Prompt ${index}` }));
  const folder = await folderWith({ "prompts.jsonl": lines.join("\n") });
  const facts = { licence: null, commit: null, url: null };
  // Every tenth prompt is no anchor.
  const promptIds = numbers.filter((index) => index % 10 !== 3).map((index) => `set:p${index}`);
  return { sources: [{ name: "set", ...facts, prompts: [folder], outcomes: [] }], promptIds };
}

/** A checkpoint of its own, and the notes of what is embedded with it. */
function freshOptions() {
  const notes: string[] = [];
  const options: EmbedPromptsOptions = {
    checkpointFile: join(folderForTest(), "set.partial"),
    promptsPerCheckpoint: CHECKPOINT,
    onNote: (note) => notes.push(note),
  };
  return { options, notes };
}

describe("Embedding the prompts of a profile set", () => {
  it("gives every anchor the vector of its text and reports progress up to the end", async () => {
    const { sources, promptIds } = await manyPrompts(400);
    const progress: string[] = [];
    const onProgress = (done: number, total: number) => progress.push(`${done} of ${total}`);
    const input = { sources, promptIds, embedder: fakeEmbedder().embedder };
    const { vectors, tiers } = await embedPrompts(input, { ...freshOptions().options, onProgress });
    expect([vectors.count, tiers]).toEqual([360, undefined]);
    const angle = Number(promptIds[300]?.replaceAll(/\D/g, ""));
    const row = [...vectors.codes.subarray(1200, 1204)].map((code) => code * (vectors.scales[300] ?? 0));
    expect(row[0]).toBeCloseTo(Math.sin(angle), 2);
    expect(row[1]).toBeCloseTo(Math.cos(angle), 2);
    expect([progress[0], progress.at(-1)]).toEqual(["0 of 360", "360 of 360"]);
  });

  it("resumes after an interruption with the same vectors and difficulties", async () => {
    const input = await manyPrompts(1500);
    const difficulty = { fingerprint: "d1", estimate: (text: string) => text.length / 4 };
    const embedder = (failAt?: string) => fakeEmbedder({ difficulty, ...(failAt && { failAt }) });
    const whole = await embedPrompts({ ...input, ...embedder() }, freshOptions().options);
    const { options, notes } = freshOptions();
    const failing = embedPrompts({ ...input, ...embedder("Prompt 1400") }, options);
    await expect(failing).rejects.toThrow("power went out");
    const second = embedder();
    expect(await embedPrompts({ ...input, ...second }, options)).toEqual(whole);
    expect(second.embedded.texts).toBe(input.promptIds.length - 2 * CHECKPOINT);
    expect(notes).toEqual(["Going on after 1024 of 1350 prompts that were embedded before."]);
    expect([...(whole.tiers ?? [])]).toEqual(
      input.promptIds.map((id) => id.replace("set:p", "Prompt ").length / 4),
    );
  });

  it("starts anew, and says so, when embedder or prompts differ, and otherwise embeds nothing twice", async () => {
    const input = await manyPrompts(300);
    const { options, notes } = freshOptions();
    const embeddedBy = async (fingerprint: string) => {
      const { embedder, embedded } = fakeEmbedder({ fingerprint });
      await embedPrompts({ ...input, embedder }, options);
      return embedded.texts;
    };
    expect([await embeddedBy("f1"), await embeddedBy("f1"), await embeddedBy("f2")]).toEqual([270, 0, 270]);
    const file = join(input.sources[0]?.prompts[0] ?? "", "prompts.jsonl");
    await writeFile(file, (await readFile(file, "utf8")).replace("Prompt 7", "Prompt 7777"));
    expect(await embeddedBy("f2")).toBe(270);
    expect(notes).toEqual([
      "All 270 prompts were embedded before.",
      ...Array(2).fill(expect.stringContaining("other prompts or another embedder")),
    ]);
  });

  it("starts anew when the checkpoint is damaged", async () => {
    const input = { ...(await manyPrompts(300)), embedder: fakeEmbedder().embedder };
    const { options } = freshOptions();
    const whole = await embedPrompts(input, options);
    await writeFile(options.checkpointFile, "{");
    expect(await embedPrompts(input, options)).toEqual(whole);
  });

  it("refuses prompts that changed since the outcomes were collected", async () => {
    const { sources, promptIds } = await manyPrompts(30);
    const input = { sources, promptIds: [...promptIds, "set:gone"], embedder: fakeEmbedder().embedder };
    await expect(embedPrompts(input, freshOptions().options)).rejects.toThrow(
      'the prompts changed since they were first read: "set:gone" is gone',
    );
  });

  it("stops when it is aborted", async () => {
    const input = { ...(await manyPrompts(30)), embedder: fakeEmbedder().embedder };
    const stopped = embedPrompts(input, { ...freshOptions().options, signal: AbortSignal.abort() });
    await expect(stopped).rejects.toThrow("abort");
  });
});
