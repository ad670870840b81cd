import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quantise } from "../../../src/profiles/anchor-vectors.js";
import { HNSW_FROM_ANCHORS } from "../../../src/profiles/index/hnsw.js";
import { openAnchorIndex } from "../../../src/profiles/index/open-index.js";
import { clusteredVectors } from "../../contracts/clustered-vectors.js";

describe("opening an anchor index", () => {
  const few = quantise(clusteredVectors({ count: 1_000, dimensions: 16, queries: 0, seed: 4 }).rows, 16);
  const many = quantise(new Float32Array(HNSW_FROM_ANCHORS).fill(1), 1);
  const missing = () => Promise.reject(new Error("Cannot find package"));
  let scratchDir: string;
  beforeAll(async () => {
    scratchDir = await mkdtemp(join(tmpdir(), "sextant-open-index-"));
  });
  afterAll(() => rm(scratchDir, { recursive: true, force: true }));

  it("searches few anchors exactly", async () => {
    const { index, note, builtGraph } = await openAnchorIndex({ vectors: few, scratchDir });
    expect(index).toMatchObject({ kind: "exact", size: 1_000, dimensions: 16 });
    expect(note).toBe("exact search of 1,000 anchors, the quickest for so few");
    expect(builtGraph).toBeUndefined();
  });

  it("builds a graph when one is wanted and none is stored, and reads it the next time", async () => {
    const built = await openAnchorIndex({ vectors: few, scratchDir, prefer: "hnsw" });
    expect(built.index.kind).toBe("hnsw");
    expect(built.note).toBe("HNSW graph of 1,000 anchors, built because no graph is stored");
    const stored = await openAnchorIndex({
      vectors: few,
      scratchDir,
      prefer: "hnsw",
      graph: built.builtGraph,
      loadAddon: missing,
    });
    expect(stored.index.kind).toBe("hnsw");
    expect(stored.note).toBe("stored HNSW graph of 1,000 anchors");
    expect(stored.builtGraph).toBeUndefined();
  });

  it("says why a stored graph was not used", async () => {
    const { index, note } = await openAnchorIndex({
      vectors: few,
      scratchDir,
      prefer: "hnsw",
      graph: new Uint8Array(10),
    });
    expect(index.kind).toBe("hnsw");
    expect(note).toMatch(/built because the stored graph is damaged: it has only 10 bytes$/);
  });

  it("searches many anchors exactly when the package that builds graphs is missing", async () => {
    const { index, note } = await openAnchorIndex({ vectors: many, scratchDir, loadAddon: missing });
    expect(index.kind).toBe("exact");
    expect(note).toBe(
      "exact search of 9,600 anchors, because no graph is stored and the optional package hnswlib-node is not installed",
    );
    expect([...index.search(Float32Array.of(1), 3).anchors]).toEqual([0, 1, 2]);
  });

  it("does not build when it is told to scan instead", async () => {
    const { index, note } = await openAnchorIndex({ vectors: many, scratchDir, withoutGraph: "scan" });
    expect(index.kind).toBe("exact");
    expect(note).toBe("exact search of 9,600 anchors, because no graph is stored");
  });

  it("searches exactly when that is asked for", async () => {
    const { index } = await openAnchorIndex({ vectors: many, scratchDir, prefer: "exact" });
    expect(index.kind).toBe("exact");
  });
});
