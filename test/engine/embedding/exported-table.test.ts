import { describe, expect, it } from "vitest";
import { readExportedTable } from "../../../src/engine/embedding/static/exported-table.js";
import { type Graph, onnxFile } from "./onnx-file.js";
import { exportedGraph, hiddenStateGraph, TINY_DIMENSIONS, tinyTable } from "./tiny-model.js";

const TOKENS = tinyTable().length / TINY_DIMENSIONS;
const codes = Int8Array.from({ length: TOKENS * TINY_DIMENSIONS }, (_, at) =>
  at < TINY_DIMENSIONS ? 0 : ((at * 37) % 255) - 127,
);
const scales = Float32Array.from({ length: TOKENS }, (_, token) => (1 + (token % 7)) / 999);
const graph = exportedGraph(codes, scales);

describe("The embedding table read from an exported ONNX file", () => {
  it("keeps codes and scales as they were written", () => {
    expect(readExportedTable(onnxFile(graph))).toEqual({ dimensions: TINY_DIMENSIONS, codes, scales });
  });

  it.each<[string, Graph]>([
    ["a graph of other nodes", hiddenStateGraph(tinyTable())],
    ["rows of another type", withConstant("rows", Float32Array.from(codes))],
    ["scales for fewer rows", withConstant("scales", scales.subarray(1))],
  ])("is undefined in %s", (_name, other) => {
    expect(readExportedTable(onnxFile(other))).toBeUndefined();
  });

  it("is undefined in a truncated file, without an error", () => {
    const file = onnxFile(graph);
    // The last six bytes name the version of the operators, which is not read.
    for (let length = 0; length < file.length - 6; length++)
      expect(readExportedTable(file.subarray(0, length))).toBeUndefined();
  });
});

function withConstant(name: string, data: Float32Array): Graph {
  const initializers = graph.initializers.map((initializer) =>
    initializer.name === name ? { ...initializer, data } : initializer,
  );
  return { ...graph, initializers };
}
