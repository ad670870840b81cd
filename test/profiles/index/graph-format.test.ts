import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quantise } from "../../../src/profiles/anchor-vectors.js";
import { BitReader, BitWriter } from "../../../src/profiles/index/bits.js";
import { checksumOf, restoreGraph, serialiseGraph } from "../../../src/profiles/index/graph-format.js";
import { GRAPH_PARAMETERS, type NeighbourGraph } from "../../../src/profiles/index/neighbour-graph.js";

const vectors = quantise(Float32Array.of(1, 0, 0, 1, 0.6, 0.8, 0.8, 0.6, -1, 0), 2);

const graph: NeighbourGraph = {
  parameters: GRAPH_PARAMETERS,
  size: 5,
  dimensions: 2,
  vectorsChecksum: checksumOf(vectors),
  layers: [
    {
      members: undefined,
      starts: Uint32Array.of(0, 2, 3, 5, 6, 6),
      neighbours: Uint32Array.of(3, 2, 2, 1, 0, 0),
    },
    { members: Uint32Array.of(1, 3), starts: Uint32Array.of(0, 1, 2), neighbours: Uint32Array.of(3, 1) },
  ],
  entries: Uint32Array.of(3),
};

describe("a stored graph", () => {
  const bytes = serialiseGraph(graph);

  it("comes back as it was", () => {
    expect(restoreGraph(vectors, bytes)).toEqual({ status: "ready", graph });
  });

  it("comes back from bytes at an odd place of a larger buffer", () => {
    const shifted = new Uint8Array(bytes.length + 3);
    shifted.set(bytes, 3);
    expect(restoreGraph(vectors, shifted.subarray(3))).toEqual({ status: "ready", graph });
  });

  it("is absent when there are no bytes", () => {
    expect(restoreGraph(vectors, undefined)).toMatchObject({ status: "absent" });
  });

  it("is stale for other vectors, other counts, parameters or formats", () => {
    const rotated = quantise(Float32Array.of(0, 1, 1, 0, 0.6, 0.8, 0.8, 0.6, -1, 0), 2);
    expect(restoreGraph(rotated, bytes)).toMatchObject({ status: "stale", reason: /other vectors/ });
    const fewer = quantise(Float32Array.of(0, 1), 2);
    expect(restoreGraph(fewer, bytes)).toMatchObject({ status: "stale", reason: /5 × 2 .* 1 × 2/ });
    const other = serialiseGraph({ ...graph, parameters: { ...GRAPH_PARAMETERS, links: 7 } });
    expect(restoreGraph(vectors, other)).toMatchObject({ status: "stale", reason: /parameters/ });
    const newer = bytes.slice();
    newer[4] = 9;
    expect(restoreGraph(vectors, newer)).toMatchObject({ status: "stale", reason: /version 9/ });
  });

  it("is corrupt when cut anywhere", () => {
    for (let length = 0; length < bytes.length; length++) {
      expect(restoreGraph(vectors, bytes.subarray(0, length)).status).toBe("corrupt");
    }
  });

  it("is never taken for good with any byte changed", () => {
    for (let at = 0; at < bytes.length; at++) {
      const damaged = bytes.slice();
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      expect(restoreGraph(vectors, damaged).status).not.toBe("ready");
    }
  });
});

describe("packed numbers", () => {
  it("come back as they were written", () => {
    const number = fc
      .integer({ min: 1, max: 24 })
      .chain((width) =>
        fc.record({ width: fc.constant(width), value: fc.integer({ min: 0, max: 2 ** width - 1 }) }),
      );
    fc.assert(
      fc.property(fc.array(number, { maxLength: 3_000 }), (numbers) => {
        const writer = new BitWriter();
        for (const { value, width } of numbers) writer.write(value, width);
        const reader = new BitReader(writer.finish());
        for (const { value, width } of numbers) expect(reader.read(width)).toBe(value);
      }),
    );
  });

  it("end where the bytes do", () => {
    const reader = new BitReader(Uint8Array.of(255));
    expect(reader.read(7)).toBe(127);
    expect(() => reader.read(2)).toThrow("ends early");
  });
});
