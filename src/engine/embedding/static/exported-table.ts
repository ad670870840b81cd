import { type Field, fieldsOf } from "./protobuf.js";

/** The rows of a static model as our export stores them: int8 codes and a scale a row; `value = f32(code × scale)`. */
export interface ExportedTable {
  readonly dimensions: number;
  /** `[tokens × dimensions]`, a view of the file. */
  readonly codes: Int8Array;
  /** `[tokens]` */
  readonly scales: Float32Array;
}

/**
 * What training/export.py writes, node by node: rows of the tokens, their sum, at unit length. A graph that says anything
 * else, were it in the name of a value, is none of ours.
 */
const PROGRAM = [
  "Gather(rows,input_ids) row_codes",
  "Cast(row_codes) row_values to=1",
  "Gather(scales,input_ids) token_scales",
  "Unsqueeze(token_scales,axis_2) column_scales",
  "Mul(row_values,column_scales) last_hidden_state",
  "Unsqueeze(token_scales,axis_1) line_scales",
  "MatMul(line_scales,row_values) line_sum",
  "Squeeze(line_sum,axis_1) sum",
  "ReduceL2(sum) norm axes=-1 keepdims=1",
  "Max(norm,smallest_norm) safe_norm",
  "Div(sum,safe_norm) sentence_embedding",
].join("\n");
const OPERATOR_SET = " 17";

/** Fields of ONNX messages, and types of tensors (onnx.proto3). */
const MODEL = { graph: 7, operatorSets: 8 };
const OPERATORS = { domain: 1, version: 2 };
const GRAPH = { node: 1, initializer: 5 };
const NODE = { input: 1, output: 2, operator: 4, attribute: 5, domain: 7 };
const ATTRIBUTE = { name: 1, integer: 3, integers: 8 };
const TENSOR = { dimension: 1, type: 2, name: 8, raw: 9 };
const [FLOAT, INT8, INT64] = [1, 3, 7];

/**
 * The table of an ONNX file that our export wrote, read without the ONNX runtime, which takes 40 MB and a tenth of a second to
 * load. Undefined for any other file. Never throws.
 */
export function readExportedTable(model: Uint8Array): ExportedTable | undefined {
  try {
    const parts = [...fieldsOf(model)];
    const graph = [...fieldsOf(only(parts, MODEL.graph).bytes)];
    const operators = parts.filter(({ number }) => number === MODEL.operatorSets).map(operatorSetOf);
    const program = graph.filter(({ number }) => number === GRAPH.node).map(({ bytes }) => nodeOf(bytes));
    if (operators.join("\n") !== OPERATOR_SET || program.join("\n") !== PROGRAM) return undefined;
    const tensors = graph
      .filter(({ number }) => number === GRAPH.initializer)
      .map(({ bytes }) => tensorOf(bytes));
    return tableOf(new Map(tensors.map((tensor) => [tensor.name, tensor])));
  } catch {
    return undefined;
  }
}

function only(fields: readonly Field[], number: number): Field {
  const found = fields.filter((field) => field.number === number);
  if (found.length !== 1) throw new RangeError(`${found.length} fields where one belongs`);
  return found[0] as Field;
}

const utf8Of = ({ bytes }: Field): string => Buffer.from(bytes).toString("utf8");

const textsOf = (fields: readonly Field[], number: number): string =>
  fields
    .filter((field) => field.number === number)
    .map(utf8Of)
    .join(",");

/** ` 17`: domain and version. */
function operatorSetOf({ bytes }: Field): string {
  const fields = [...fieldsOf(bytes)];
  return `${textsOf(fields, OPERATORS.domain)} ${only(fields, OPERATORS.version).value}`;
}

/** A node as `PROGRAM` writes it. */
function nodeOf(node: Uint8Array): string {
  const fields = [...fieldsOf(node)];
  const attributes = fields
    .filter(({ number }) => number === NODE.attribute)
    .map(({ bytes }) => ` ${attributeOf(bytes)}`)
    .sort();
  const operator = textsOf(fields, NODE.domain) + textsOf(fields, NODE.operator);
  return `${operator}(${textsOf(fields, NODE.input)}) ${textsOf(fields, NODE.output)}${attributes.join("")}`;
}

function attributeOf(attribute: Uint8Array): string {
  const fields = [...fieldsOf(attribute)];
  const integers = fields
    .filter(({ number }) => number === ATTRIBUTE.integer || number === ATTRIBUTE.integers)
    .map(({ value }) => value);
  return `${textsOf(fields, ATTRIBUTE.name)}=${integers.join(",")}`;
}

interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: number;
  readonly raw: Uint8Array;
}

function tensorOf(tensor: Uint8Array): Tensor {
  const fields = [...fieldsOf(tensor)];
  return {
    name: textsOf(fields, TENSOR.name),
    shape: fields.filter(({ number }) => number === TENSOR.dimension).map(({ value }) => value),
    type: only(fields, TENSOR.type).value,
    raw: only(fields, TENSOR.raw).bytes,
  };
}

/** Numbers are little-endian in the file. */
function tableOf(tensors: ReadonlyMap<string, Tensor>): ExportedTable | undefined {
  const rows = tensors.get("rows");
  const scales = tensors.get("scales");
  if (rows === undefined || scales === undefined || !hasOurConstants(tensors)) return undefined;
  const [tokens, dimensions, ...more] = rows.shape;
  if (tokens === undefined || dimensions === undefined || more.length > 0) return undefined;
  if (rows.type !== INT8 || rows.raw.length !== tokens * dimensions) return undefined;
  if (scales.type !== FLOAT || scales.shape.join() !== String(tokens) || scales.raw.length !== 4 * tokens)
    return undefined;
  const view = new DataView(scales.raw.buffer, scales.raw.byteOffset, scales.raw.byteLength);
  return {
    dimensions,
    codes: new Int8Array(rows.raw.buffer, rows.raw.byteOffset, rows.raw.byteLength),
    scales: Float32Array.from({ length: tokens }, (_, token) => view.getFloat32(4 * token, true)),
  };
}

function hasOurConstants(tensors: ReadonlyMap<string, Tensor>): boolean {
  const is = (name: string, type: number, value: Buffer): boolean => {
    const tensor = tensors.get(name);
    return tensor?.type === type && value.equals(tensor.raw);
  };
  const smallest = Buffer.alloc(4);
  smallest.writeFloatLE(1e-12);
  const axis = (value: number): Buffer => Buffer.from([value, 0, 0, 0, 0, 0, 0, 0]);
  return is("smallest_norm", FLOAT, smallest) && is("axis_1", INT64, axis(1)) && is("axis_2", INT64, axis(2));
}
