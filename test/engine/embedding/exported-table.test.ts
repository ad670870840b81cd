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
    ["one node less", { ...graph, nodes: graph.nodes.slice(1) }],
    ["another operator", changed({ operator: "Add" }, 4)],
    ["another value", changed({ inputs: ["row_values", "row_values"] }, 4)],
    ["another attribute", changed({ attributes: { axes: [0], keepdims: 1 } }, 8)],
    ["no attribute", changed({ attributes: {} }, 8)],
    ["another axis", withConstant("axis_1", BigInt64Array.of(2n))],
    ["another smallest norm", withConstant("smallest_norm", Float32Array.of(1))],
    ["rows of another type", withConstant("rows", Float32Array.from(codes))],
    ["scales for fewer rows", withConstant("scales", scales.subarray(1))],
  ])("is undefined in %s", (_name, other) => {
    expect(readExportedTable(onnxFile(other))).toBeUndefined();
  });

  it("is undefined where the operators have another meaning", () => {
    const file = onnxFile(graph);
    // The last byte is the version of the operator set.
    file[file.length - 1] = 18;
    expect(readExportedTable(file)).toBeUndefined();
  });

  it("is undefined in a truncated file, without an error", () => {
    const file = onnxFile(graph);
    for (let length = 0; length < file.length; length++)
      expect(readExportedTable(file.subarray(0, length))).toBeUndefined();
  });
});

function changed(change: Partial<Graph["nodes"][number]>, index: number): Graph {
  return { ...graph, nodes: graph.nodes.map((node, at) => (at === index ? { ...node, ...change } : node)) };
}

function withConstant(name: string, data: Float32Array | BigInt64Array): Graph {
  const initializers = graph.initializers.map((initializer) =>
    initializer.name === name ? { ...initializer, data } : initializer,
  );
  return { ...graph, initializers };
}
