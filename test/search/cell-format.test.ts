import { beforeAll, describe, expect, it } from "vitest";
import { encodeSections } from "../../src/foundation/section-file.js";
import { quantise } from "../../src/search/anchor-vectors.js";
import { buildCells } from "../../src/search/cell-build.js";
import { restoreCells, serialiseCells } from "../../src/search/cell-format.js";
import type { Cells } from "../../src/search/cells.js";
import { clusteredVectors } from "../contracts/clustered-vectors.js";

describe("stored cells", () => {
  const vectors = quantise(clusteredVectors({ count: 900, dimensions: 16, queries: 0, seed: 6 }).rows, 16);
  let cells: Cells;
  let bytes: Uint8Array;
  beforeAll(async () => {
    cells = await buildCells(vectors);
    bytes = serialiseCells(cells);
  });

  it("come back as they were", () => {
    expect(restoreCells(vectors, bytes)).toEqual({ status: "ready", cells });
  });

  it("are absent where nothing is stored", () => {
    expect(restoreCells(vectors, undefined)).toEqual({ status: "absent", reason: "no cells are stored" });
  });

  it("do not fit other vectors", () => {
    const others = quantise(clusteredVectors({ count: 900, dimensions: 16, queries: 0, seed: 7 }).rows, 16);
    expect(restoreCells(others, bytes)).toEqual({
      status: "stale",
      reason: "the stored cells do not fit: they were made of other vectors",
    });
  });

  it("do not fit another version", () => {
    const { cellOf, means, ...rest } = cells;
    const facts = { ...rest, vectors_sha256: cells.vectorsChecksum, version: 2 };
    const newer = encodeSections({ facts, sections: { cell_of: cellOf, ...means } });
    expect(restoreCells(vectors, newer)).toEqual({
      status: "stale",
      reason: "the stored cells do not fit: their format is version 2, this is version 1",
    });
  });

  it("are damaged when a byte is another or bytes are missing, and never throw", () => {
    for (let at = 0; at < bytes.length; at += 97) {
      const damaged = bytes.slice();
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      expect(["corrupt", "stale"]).toContain(restoreCells(vectors, damaged).status);
    }
    for (const length of [0, 7, 40, 300, bytes.length - 1])
      expect(restoreCells(vectors, bytes.subarray(0, length)).status).toBe("corrupt");
  });

  it("are damaged when they name a cell that is none, or parts are missing", () => {
    const outside = serialiseCells({ ...cells, cellOf: cells.cellOf.map(() => 60_000) });
    expect(restoreCells(vectors, outside)).toMatchObject({
      status: "corrupt",
      reason: "the stored cells are damaged: its parts do not fit each other",
    });
    const short = serialiseCells({ ...cells, cellOf: cells.cellOf.subarray(1) });
    expect(restoreCells(vectors, short).status).toBe("corrupt");
    const foreign = encodeSections({ facts: {}, sections: {} });
    expect(restoreCells(vectors, foreign)).toMatchObject({
      status: "corrupt",
      reason: "the stored cells are damaged: its header is not of cells",
    });
  });
});
