import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Embedder } from "../../../src/engine/embedding/embedder.js";
import type { OutcomeSource } from "../../../src/workbench/fitting/collect.js";
import { type EmbedPromptsOptions, embedPrompts } from "../../../src/workbench/fitting/embed-prompts.js";
import { removeEmbeddingCheckpoint } from "../../../src/workbench/fitting/embedding-checkpoint.js";
import { folderWith } from "../../engine/profiles/folder-for-test.js";

const TOTAL = 40_000;
const PROMPTS_PER_CHECKPOINT = 16_384;

/** Four numbers from the text; fails at the text that holds `failAt`. */
function fakeEmbedder(
  options: {
    readonly fingerprint?: string;
    readonly failAt?: string;
    readonly difficulty?: Embedder["difficulty"];
  } = {},
) {
  const embedded = { texts: 0 };
  const embedder: Embedder = {
    id: "fake",
    fingerprint: options.fingerprint ?? "f1",
    dimensions: 4,
    difficulty: options.difficulty,
    async embed(texts) {
      if (texts.some((text) => text === options.failAt)) throw new Error("the power went out");
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

async function manyPrompts(total = TOTAL): Promise<{ sources: OutcomeSource[]; promptIds: string[] }> {
  const lines = Array.from({ length: total }, (_, index) =>
    JSON.stringify({ id: `p${index}`, prompt: `Prompt ${index}` }),
  );
  const folder = await folderWith({ "prompts.jsonl": lines.join("\n") });
  const facts = { licence: null, commit: null, url: null };
  // Every tenth prompt is no anchor.
  const promptIds = lines.map((_, index) => `set:p${index}`).filter((_, index) => index % 10 !== 3);
  return { sources: [{ name: "set", ...facts, prompts: [folder], outcomes: [] }], promptIds };
}

async function optionsIn(): Promise<EmbedPromptsOptions & { readonly notes: string[] }> {
  const notes: string[] = [];
  return {
    checkpointFolder: join(await folderWith({}), "set.partial"),
    notes,
    onNote: (note) => notes.push(note),
  };
}

describe("Embedding the prompts of a profile set", () => {
  it("gives every anchor the vector of its text and reports progress up to the end", async () => {
    const { sources, promptIds } = await manyPrompts(1000);
    const progress: [number, number][] = [];
    const { vectors, tiers } = await embedPrompts(
      { sources, promptIds, embedder: fakeEmbedder().embedder },
      { ...(await optionsIn()), onProgress: (done, total) => progress.push([done, total]) },
    );
    expect(vectors.count).toBe(900);
    expect(tiers).toBeUndefined();
    const angle = Number(promptIds[500]?.replaceAll(/\D/g, ""));
    const row = [...vectors.codes.subarray(2000, 2004)].map((code) => code * (vectors.scales[500] ?? 0));
    expect(row[0]).toBeCloseTo(Math.sin(angle), 2);
    expect(row[1]).toBeCloseTo(Math.cos(angle), 2);
    expect(progress[0]).toEqual([0, 900]);
    expect(progress.at(-1)).toEqual([900, 900]);
  });

  it("resumes after an interruption with the same bytes", async () => {
    const input = await manyPrompts();
    const whole = await embedPrompts({ ...input, embedder: fakeEmbedder().embedder }, await optionsIn());
    const options = await optionsIn();
    const failing = fakeEmbedder({ failAt: "Prompt 39000" });
    await expect(embedPrompts({ ...input, embedder: failing.embedder }, options)).rejects.toThrow(
      "power went out",
    );
    const second = fakeEmbedder();
    const resumed = await embedPrompts({ ...input, embedder: second.embedder }, options);
    expect(Buffer.from(resumed.vectors.codes).equals(Buffer.from(whole.vectors.codes))).toBe(true);
    expect(resumed.vectors.scales).toEqual(whole.vectors.scales);
    expect(second.embedded.texts).toBe(input.promptIds.length - 2 * PROMPTS_PER_CHECKPOINT);
    expect(options.notes).toEqual(["Going on after 32768 of 36000 prompts that were embedded before."]);
  });

  it("stores the difficulty of every prompt beside its vector, also when resumed", async () => {
    const input = await manyPrompts(20_000);
    const difficulty = { fingerprint: "d1", estimate: (text: string) => text.length / 4 };
    const options = await optionsIn();
    const failing = fakeEmbedder({ difficulty, failAt: "Prompt 19000" });
    await expect(embedPrompts({ ...input, embedder: failing.embedder }, options)).rejects.toThrow();
    const { tiers } = await embedPrompts(
      { ...input, embedder: fakeEmbedder({ difficulty }).embedder },
      options,
    );
    const expected = input.promptIds.map((id) => id.replace("set:p", "Prompt ").length / 4);
    expect([...(tiers ?? [])]).toEqual(expected);
  });

  it("embeds nothing twice when only later steps of the build failed", async () => {
    const input = await manyPrompts(300);
    const options = await optionsIn();
    await embedPrompts({ ...input, embedder: fakeEmbedder().embedder }, options);
    const second = fakeEmbedder();
    await embedPrompts({ ...input, embedder: second.embedder }, options);
    expect(second.embedded.texts).toBe(0);
  });

  it("starts anew, and says so, when embedder or prompts differ", async () => {
    const input = await manyPrompts(300);
    const options = await optionsIn();
    await embedPrompts({ ...input, embedder: fakeEmbedder().embedder }, options);
    const other = fakeEmbedder({ fingerprint: "f2" });
    await embedPrompts({ ...input, embedder: other.embedder }, options);
    expect(other.embedded.texts).toBe(270);
    const [source] = input.sources;
    const file = join(source?.prompts[0] ?? "", "prompts.jsonl");
    await writeFile(file, (await readFile(file, "utf8")).replace("Prompt 7", "Prompt 7777"));
    const changed = fakeEmbedder({ fingerprint: "f2" });
    await embedPrompts({ ...input, embedder: changed.embedder }, options);
    expect(changed.embedded.texts).toBe(270);
    expect(options.notes).toHaveLength(2);
    expect(options.notes[0]).toContain("other prompts or another embedder");
  });

  it.each(["state.json", "codes.bin", "scales.bin"])(
    "starts anew when %s of the checkpoint is damaged",
    async (name) => {
      const input = await manyPrompts(300);
      const options = await optionsIn();
      const whole = await embedPrompts({ ...input, embedder: fakeEmbedder().embedder }, options);
      await writeFile(join(options.checkpointFolder, name), "{");
      const again = await embedPrompts({ ...input, embedder: fakeEmbedder().embedder }, options);
      expect([...again.vectors.codes]).toEqual([...whole.vectors.codes]);
    },
  );

  it("refuses prompts that changed since the outcomes were collected", async () => {
    const input = await manyPrompts(30);
    const promptIds = [...input.promptIds, "set:gone"];
    await expect(
      embedPrompts({ ...input, promptIds, embedder: fakeEmbedder().embedder }, await optionsIn()),
    ).rejects.toThrow('the prompts changed since they were first read: "set:gone" is gone');
  });

  it("stops when it is aborted", async () => {
    const input = await manyPrompts(30);
    const options = { ...(await optionsIn()), signal: AbortSignal.abort() };
    await expect(embedPrompts({ ...input, embedder: fakeEmbedder().embedder }, options)).rejects.toThrow(
      "abort",
    );
  });

  it("leaves no checkpoint once it is removed", async () => {
    const options = await optionsIn();
    const input = await manyPrompts(30);
    await embedPrompts({ ...input, embedder: fakeEmbedder().embedder }, options);
    await removeEmbeddingCheckpoint(options.checkpointFolder);
    expect(existsSync(options.checkpointFolder)).toBe(false);
  });
});
