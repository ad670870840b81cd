import { describe, expect, it } from "vitest";
import { quantise } from "../../src/search/anchor-vectors.js";
import { buildCells } from "../../src/search/cell-build.js";
import { serialiseCells } from "../../src/search/cell-format.js";
import { CELLS_FROM_ANCHORS } from "../../src/search/cells.js";
import { openAnchorIndex } from "../../src/search/open-index.js";
import { clusteredVectors } from "../contracts/clustered-vectors.js";

describe("opening an anchor index", () => {
  const few = quantise(clusteredVectors({ count: 1_000, dimensions: 16, queries: 0, seed: 4 }).rows, 16);
  const many = quantise(new Float32Array(CELLS_FROM_ANCHORS).fill(1), 1);

  it("searches few anchors exactly", async () => {
    const { index, note } = await openAnchorIndex({ vectors: few });
    expect(index).toMatchObject({ kind: "exact", size: 1_000, dimensions: 16 });
    expect(note).toBe("exact search of 1,000 anchors, quick enough for so few");
  });

  it("makes cells when some are wanted and none are stored, and reads those that are", async () => {
    const made = await openAnchorIndex({ vectors: few, prefer: "cells" });
    expect(made.index.kind).toBe("cells");
    expect(made.note).toBe("cells of 1,000 anchors, made because no cells are stored");
    const cells = serialiseCells(await buildCells(few));
    const stored = await openAnchorIndex({ vectors: few, prefer: "cells", cells });
    expect(stored.index.kind).toBe("cells");
    expect(stored.note).toBe("stored cells of 1,000 anchors");
  });

  it("says why stored cells were not used", async () => {
    const { index, note } = await openAnchorIndex({
      vectors: few,
      prefer: "cells",
      cells: new Uint8Array(10),
    });
    expect(index.kind).toBe("cells");
    expect(note).toMatch(/made because the stored cells are damaged: /);
  });

  it("uses cells for many anchors, unless they are to be searched exactly", async () => {
    const { index } = await openAnchorIndex({ vectors: many });
    expect(index.kind).toBe("cells");
    expect([...index.search(Float32Array.of(1), 3).anchors]).toEqual([0, 1, 2]);
    expect((await openAnchorIndex({ vectors: many, prefer: "exact" })).index.kind).toBe("exact");
  });

  it("stops when it is told to", async () => {
    await expect(openAnchorIndex({ vectors: many, signal: AbortSignal.abort() })).rejects.toThrow("abort");
  });
});
