import { type Field, fieldsOf } from "./protobuf.js";

/** The rows of a static model as our export stores them: int8 codes and a scale a row; `value = f32(code × scale)`. */
export interface ExportedTable {
  readonly dimensions: number;
  /** `[tokens × dimensions]`, a view of the file. */
  readonly codes: Int8Array;
  /** `[tokens]` */
  readonly scales: Float32Array;
}

/** Fields of ONNX messages, and types of tensors (onnx.proto3). */
const MODEL = { graph: 7 };
const GRAPH = { initializer: 5 };
const TENSOR = { dimension: 1, type: 2, name: 8, raw: 9 };
const [FLOAT, INT8] = [1, 3];

/**
 * The table of an ONNX file that training/export.py wrote: its tensors `rows` and `scales`, read without the ONNX runtime, which
 * takes 40 MB and a tenth of a second to load. What the graph does with them, `config.json` says. Undefined for any other file.
 * Never throws.
 */
export function readExportedTable(model: Uint8Array): ExportedTable | undefined {
  try {
    const graph = only([...fieldsOf(model)], MODEL.graph).bytes;
    const initializers = [...fieldsOf(graph)].filter(({ number }) => number === GRAPH.initializer);
    const tensors = new Map(initializers.map(({ bytes }) => tensorOf(bytes)));
    return tableOf(tensors.get("rows"), tensors.get("scales"));
  } catch {
    return undefined;
  }
}

function only(fields: readonly Field[], number: number): Field {
  const found = fields.filter((field) => field.number === number);
  if (found.length !== 1) throw new RangeError(`${found.length} fields where one belongs`);
  return found[0] as Field;
}

interface Tensor {
  readonly shape: readonly number[];
  readonly type: number;
  readonly raw: Uint8Array;
}

function tensorOf(tensor: Uint8Array): readonly [name: string, Tensor] {
  const fields = [...fieldsOf(tensor)];
  const shape = fields.filter(({ number }) => number === TENSOR.dimension).map(({ value }) => value);
  const [name, raw] = [only(fields, TENSOR.name).bytes, only(fields, TENSOR.raw).bytes];
  return [Buffer.from(name).toString("utf8"), { shape, type: only(fields, TENSOR.type).value, raw }];
}

/** Numbers are little-endian in the file. */
function tableOf(rows: Tensor | undefined, scales: Tensor | undefined): ExportedTable | undefined {
  const [tokens, dimensions, ...more] = rows?.shape ?? [];
  if (rows === undefined || scales === undefined || tokens === undefined || dimensions === undefined)
    return undefined;
  if (more.length > 0 || rows.type !== INT8 || rows.raw.length !== tokens * dimensions) return undefined;
  if (scales.type !== FLOAT || scales.shape.join() !== String(tokens) || scales.raw.length !== 4 * tokens)
    return undefined;
  const view = new DataView(scales.raw.buffer, scales.raw.byteOffset, scales.raw.byteLength);
  return {
    dimensions,
    codes: new Int8Array(rows.raw.buffer, rows.raw.byteOffset, rows.raw.byteLength),
    scales: Float32Array.from({ length: tokens }, (_, token) => view.getFloat32(4 * token, true)),
  };
}
