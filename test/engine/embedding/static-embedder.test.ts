import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Embedder } from "../../../src/engine/embedding/embedder.js";
import { EmbedderLoadError } from "../../../src/engine/embedding/load-error.js";
import { openStaticEmbedder } from "../../../src/engine/embedding/static/static-embedder.js";
import { embedderContract } from "../../contracts/embedder.contract.js";
import { folderForTest, folderForTests } from "../../support/folders.js";
import {
  hiddenStateGraph,
  SHIPPED_MODEL,
  staticGraph,
  TINY_CONFIG,
  TINY_DIMENSIONS,
  type TinyModelParts,
  tinyTable,
  tinyTokenizer,
  writeTinyModel,
} from "./tiny-model.js";

const withBlock = (changes: object): TinyModelParts => ({
  config: { ...TINY_CONFIG, sextant: { ...TINY_CONFIG.sextant, ...changes } },
});

const shared = await writeTinyModel(folderForTests());
embedderContract("the static embedder with a tiny model", () => openStaticEmbedder(shared));
embedderContract("the static embedder with the shipped model", () => openStaticEmbedder(SHIPPED_MODEL));

describe("The static embedder", () => {
  let embedder: Embedder;
  beforeAll(async () => {
    embedder = await openStaticEmbedder(shared);
  });
  afterAll(() => embedder.close());

  it("does not read the signal for a text that it embeds at once: making one may cost more than the vector", async () => {
    const options = {
      get signal(): AbortSignal {
        throw new Error("read");
      },
    };
    expect((await embedder.embed(["fox"], options)).length).toBe(1);
  });

  it("sums the rows of a text's tokens, and scales the sum to unit length", async () => {
    const { vocab } = tinyTokenizer().model as { vocab: Record<string, number> };
    const table = tinyTable();
    const rows = ["quick", "fox", "##ed"].map((piece) => (vocab[piece] ?? 0) * TINY_DIMENSIONS);
    const sum = Array.from({ length: TINY_DIMENSIONS }, (_, at) =>
      rows.reduce((all, row) => all + (table[row + at] ?? 0), 0),
    );
    const [vector] = await embedder.embed(["quick foxed"]);
    for (const [at, value] of sum.entries()) expect(vector?.[at]).toBeCloseTo(value / Math.hypot(...sum), 5);
  });

  it("takes mistyped words for frequent ones where the model says which are frequent", async () => {
    const folder = await writeTinyModel(folderForTest(), withBlock({ frequent_words: 10_000 }));
    const forgiving = await openStaticEmbedder(folder);
    const [typed, meant] = await forgiving.embed(["qiuck fox", "quick fox"]);
    expect(typed).toEqual(meant);
    expect((await embedder.embed(["qiuck fox"]))[0]).not.toEqual(meant);
    expect(forgiving.fingerprint).not.toBe(embedder.fingerprint);
    await forgiving.close();
  });

  it("reads the first max_tokens tokens, and 8 × as many characters, without splitting a surrogate pair", async () => {
    const words = "a ".repeat(TINY_CONFIG.sextant.max_tokens);
    const [few, more] = await embedder.embed([words, `${words}dog dog dog`]);
    expect(more).toEqual(few);
    const kept = "fox ".repeat(10).padEnd(8 * TINY_CONFIG.sextant.max_tokens - 1);
    const [alone, whole, parted] = await embedder.embed([kept, `${kept}fdog`, `${kept}👍dog`]);
    expect(parted).toEqual(alone);
    expect(whole).not.toEqual(alone);
  });

  it("has as fingerprint SHA-256 over model, tokenizer and the sorted sextant block, each after its name and length", () => {
    const model = readFileSync(join(shared, "onnx/model.onnx"));
    const tokenizer = readFileSync(join(shared, "tokenizer.json"));
    const block = '{"max_tokens":64,"normalize":true,"pooling":"sum","version":1}';
    const expected = createHash("sha256");
    expected.update(`model.onnx ${model.length}\n`).update(model);
    expected.update(`tokenizer.json ${tokenizer.length}\n`).update(tokenizer);
    expected.update(`sextant ${block.length}\n${block}`);
    expect(embedder.fingerprint).toBe(expected.digest("hex"));
  });
});

it("The vector of a text from the shipped model is nearer to a text of the same meaning", async () => {
  const embedder = await openStaticEmbedder(SHIPPED_MODEL);
  const [question, near, far] = await embedder.embed([
    "Write a Python function that sorts a list of numbers",
    "Implement a sorting algorithm in Python",
    "Who was the first emperor of the Roman Empire?",
  ]);
  await embedder.close();
  const similarity = (other: Float32Array | undefined) =>
    question?.reduce((sum, value, at) => sum + value * (other?.[at] ?? 0), 0) ?? 0;
  expect(similarity(near)).toBeGreaterThan(similarity(far) + 0.1);
});

describe("A static embedder's folder is refused with the file, the fault and what is expected:", () => {
  it.each<[string, TinyModelParts, RegExp]>([
    ["no sextant block", { config: { hidden_size: 8 } }, /json does not describe.*expected "hidden_size"/],
    ["another pooling", withBlock({ pooling: "mean" }), /sextant\.pooling/],
    ["other dimensions", { config: { ...TINY_CONFIG, hidden_size: 9 } }, /vectors of 8 numbers.* is 9/],
    ["a transformer", { graph: hiddenStateGraph(tinyTable()) }, /is not a static.*"sextant" block/],
    ["too few rows", { graph: staticGraph(tinyTable(50)) }, /no row for token \d+, which tokenizer\.json/],
    ["padding that counts", { graph: staticGraph(tinyTable().fill(0.5)) }, /token 0 is padding and must/],
    ["another tokenizer", { tokenizer: tinyTokenizer({ pre_tokenizer: {} }) }, /pre_tokenizer\.type/],
  ])("%s", async (_name, parts, message) => {
    const opened = openStaticEmbedder(await writeTinyModel(folderForTest(), parts));
    await expect(opened).rejects.toThrow(message);
    await expect(opened).rejects.toBeInstanceOf(EmbedderLoadError);
  });

  it("a missing folder", async () => {
    await expect(openStaticEmbedder("/no/such/folder")).rejects.toThrow(
      /cannot read \/no\/such\/folder\/config\.json: ENOENT.* holds config\.json, tokenizer\.json and onnx\/model\.onnx/,
    );
  });

  it("several missing files, of which the first of config.json, tokenizer.json and onnx/model.onnx is named", async () => {
    const folder = await writeTinyModel(folderForTest());
    for (const file of ["onnx/model.onnx", "tokenizer.json", "config.json"]) {
      await rm(join(folder, file));
      await expect(openStaticEmbedder(folder)).rejects.toThrow(`cannot read ${join(folder, file)}: ENOENT`);
    }
  });

  it.each([
    ["config.json", /config\.json is not JSON/],
    ["onnx/model.onnx", /model\.onnx is not a static model as training\/export\.py writes it/],
  ])("a %s of another format", async (file, message) => {
    const folder = await writeTinyModel(folderForTest());
    await writeFile(join(folder, file), "version https://git-lfs.github.com/spec/v1");
    await expect(openStaticEmbedder(folder)).rejects.toThrow(message);
  });
});
