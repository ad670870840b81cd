/** Writes small ONNX files by hand: just enough of the protobuf format for a graph of a few nodes. */

export const FLOAT = 1;
const INT8 = 3;
export const INT64 = 7;

interface Initializer {
  readonly name: string;
  readonly dimensions: readonly number[];
  readonly data: Float32Array | BigInt64Array | Int8Array;
}

export interface Port {
  readonly name: string;
  readonly type: typeof FLOAT | typeof INT64;
  /** A string is a dimension that varies. */
  readonly shape: readonly (string | number)[];
}

export interface GraphNode {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Integers and lists of integers. */
  readonly attributes?: Readonly<Record<string, number | readonly number[]>>;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly initializers: readonly Initializer[];
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
}

/** The bytes of an ONNX file of opset 17. */
export function onnxFile(graph: Graph): Buffer {
  const opset = Buffer.concat([text(1, ""), integer(2, 17)]);
  return Buffer.concat([integer(1, 9), bytes(7, graphProto(graph)), bytes(8, opset)]);
}

function graphProto(graph: Graph): Buffer {
  return Buffer.concat([
    ...graph.nodes.map((node) => bytes(1, nodeProto(node))),
    text(2, "graph"),
    ...graph.initializers.map((initializer) => bytes(5, tensorProto(initializer))),
    ...graph.inputs.map((port) => bytes(11, valueInfo(port))),
    ...graph.outputs.map((port) => bytes(12, valueInfo(port))),
  ]);
}

function nodeProto({ operator, inputs, outputs, attributes = {} }: GraphNode): Buffer {
  return Buffer.concat([
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, operator),
    ...Object.entries(attributes).map(([name, value]) => bytes(5, attributeProto(name, value))),
  ]);
}

function attributeProto(name: string, value: number | readonly number[]): Buffer {
  if (typeof value === "number") return Buffer.concat([text(1, name), integer(3, value), integer(20, 2)]);
  return Buffer.concat([text(1, name), ...value.map((item) => integer(8, item)), integer(20, 7)]);
}

function tensorProto({ name, dimensions, data }: Initializer): Buffer {
  const raw = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const type = data instanceof Float32Array ? FLOAT : data instanceof Int8Array ? INT8 : INT64;
  const shape = dimensions.map((dimension) => integer(1, dimension));
  return Buffer.concat([...shape, integer(2, type), text(8, name), bytes(9, raw)]);
}

function valueInfo({ name, type, shape }: Port): Buffer {
  const dimensions = shape.map((dimension) =>
    bytes(1, typeof dimension === "number" ? integer(1, dimension) : text(2, dimension)),
  );
  const tensorType = Buffer.concat([integer(1, type), bytes(2, Buffer.concat(dimensions))]);
  return Buffer.concat([text(1, name), bytes(2, bytes(1, tensorType))]);
}

function integer(field: number, value: number): Buffer {
  return Buffer.concat([varint(BigInt(field << 3)), varint(BigInt.asUintN(64, BigInt(value)))]);
}

function bytes(field: number, content: Buffer): Buffer {
  return Buffer.concat([varint(BigInt((field << 3) | 2)), varint(BigInt(content.length)), content]);
}

function text(field: number, content: string): Buffer {
  return bytes(field, Buffer.from(content));
}

function varint(value: bigint): Buffer {
  const groups: number[] = [];
  let rest = value;
  do {
    groups.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(groups);
}
