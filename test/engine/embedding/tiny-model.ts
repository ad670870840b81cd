/** Model folders small enough to be made by a test: a few hundred pieces of every script, vectors of 8 numbers. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FLOAT, type Graph, type GraphNode, INT64, onnxFile, type Port } from "./onnx-file.js";

/** The folder of the model that ships with the package. */
export const SHIPPED_MODEL = fileURLToPath(new URL("../../../models/sextant-static-v1", import.meta.url));

export const TINY_DIMENSIONS = 8;

const SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
const WORDS =
  "the quick brown fox jump over lazy dog write python function return list merge sort café naive strasse привет мир " +
  "καλημερα κοσμε שלום مرحبا नमसत สวสด こんにちは カタカナ tokyo def self http www com 123 42 000 ß œ æ ø";
const ENDINGS = "s ed ing er est ly tion able 0 1 00 та μα ו ا न ด は ー";

/** Letters, digits, punctuation and signs of many scripts, as they look after NFD and without accents. */
const CHARACTERS =
  "abcdefghijklmnopqrstuvwxyz0123456789!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~" +
  "абвгдежзийклмнопрстуфхцчшщъыьэюяαβγδεζηθικλμνξοπρσςτυφχψωאבגדהוזחטיכלמנסעפצקרשתםן" +
  "ابتثجحخدذرزسشصضطظعغفقكلمنهويกขคงจชซดตทธนบปผพฟมยรลวสหอะาเแโไअआइईउएओकखगचजटडतदनपबमयरलवशसह" +
  "ᄀᄂᄃᄅᄆᄇᄉᄋᄌ하ᅢᅥᅦᅩᅮᅳᅵᆨᆫᆯᆷᆸᆼ中国人日本語東京大学我你好世界、。！？«»“”…–—€£¥©°±×÷あいうえおかきくけこアイウエオカキクケコー" +
  "😀🚀👍❤☀👩💻🇫🇷𝒜𐍈𠀀";

/** `tokenizer.json` of the tiny models; `overrides` replace whole top-level members. */
export function tinyTokenizer(overrides: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const characters = Array.from(CHARACTERS);
  const continuing = [...characters, ...ENDINGS.split(" ")].map((piece) => `##${piece}`);
  const pieces = new Set([...SPECIAL, ...characters, ...WORDS.normalize("NFD").split(" "), ...continuing]);
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: SPECIAL.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: null,
    decoder: null,
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 20,
      vocab: Object.fromEntries([...pieces].map((piece, id) => [piece, id])),
    },
    ...overrides,
  };
}

const PIECES = Object.keys((tinyTokenizer().model as { vocab: object }).vocab).length;

/** Of the values of the table, so that int8 codes hold them exactly. */
const TINY_STEP = 2 ** -7;

/** One row per piece, f32 [pieces, dimensions]; row 0 is zero. The same on every call. */
export function tinyTable(pieces = PIECES): Float32Array {
  const table = new Float32Array(pieces * TINY_DIMENSIONS);
  let state = 1;
  for (let at = TINY_DIMENSIONS; at < table.length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    table[at] = Math.floor((state / 2 ** 32) * 255 - 127) * TINY_STEP;
  }
  return table;
}

const LAST_HIDDEN_STATE: Port = {
  name: "last_hidden_state",
  type: FLOAT,
  shape: ["batch", "tokens", TINY_DIMENSIONS],
};
const INPUT_IDS: Port = { name: "input_ids", type: INT64, shape: ["batch", "tokens"] };

/** Rows of the table, and their sum at unit length. @param table of steps of `TINY_STEP` */
export const staticGraph = (table: Float32Array): Graph =>
  exportedGraph(
    Int8Array.from(table, (value) => Math.round(value / TINY_STEP)),
    new Float32Array(table.length / TINY_DIMENSIONS).fill(TINY_STEP),
  );

/** What training/export.py writes: rows as int8 codes with a scale each, and their sum at unit length. */
export function exportedGraph(codes: Int8Array, scales: Float32Array): Graph {
  const node = (operator: string, inputs: string, output: string, attributes = {}): GraphNode => ({
    operator,
    inputs: inputs.split(" "),
    outputs: [output],
    attributes,
  });
  return {
    nodes: [
      node("Gather", "rows input_ids", "row_codes"),
      node("Cast", "row_codes", "row_values", { to: FLOAT }),
      node("Gather", "scales input_ids", "token_scales"),
      node("Unsqueeze", "token_scales axis_2", "column_scales"),
      node("Mul", "row_values column_scales", "last_hidden_state"),
      node("Unsqueeze", "token_scales axis_1", "line_scales"),
      node("MatMul", "line_scales row_values", "line_sum"),
      node("Squeeze", "line_sum axis_1", "sum"),
      node("ReduceL2", "sum", "norm", { axes: [-1], keepdims: 1 }),
      node("Max", "norm smallest_norm", "safe_norm"),
      node("Div", "sum safe_norm", "sentence_embedding"),
    ],
    initializers: [
      { name: "rows", dimensions: [scales.length, codes.length / scales.length], data: codes },
      { name: "scales", dimensions: [scales.length], data: scales },
      { name: "smallest_norm", dimensions: [], data: Float32Array.of(1e-12) },
      { name: "axis_1", dimensions: [1], data: BigInt64Array.of(1n) },
      { name: "axis_2", dimensions: [1], data: BigInt64Array.of(2n) },
    ],
    inputs: [INPUT_IDS],
    outputs: [
      LAST_HIDDEN_STATE,
      { name: "sentence_embedding", type: FLOAT, shape: ["batch", codes.length / scales.length] },
    ],
  };
}

/** What a transformer export looks like from outside: ids and mask in, one row per token out. */
export function hiddenStateGraph(table: Float32Array): Graph {
  return {
    nodes: [{ operator: "Gather", inputs: ["table", "input_ids"], outputs: ["last_hidden_state"] }],
    initializers: [
      { name: "table", dimensions: [table.length / TINY_DIMENSIONS, TINY_DIMENSIONS], data: table },
    ],
    inputs: [INPUT_IDS, { name: "attention_mask", type: INT64, shape: ["batch", "tokens"] }],
    outputs: [LAST_HIDDEN_STATE],
  };
}

/** `config.json` of a static tiny model. */
export const TINY_CONFIG = {
  model_type: "bert",
  hidden_size: TINY_DIMENSIONS,
  sextant: { pooling: "sum", normalize: true, max_tokens: 64, version: 1 },
};

export interface TinyModelParts {
  readonly config?: unknown;
  readonly tokenizer?: unknown;
  readonly graph?: Graph;
}

/** Writes a static model in the Hugging Face layout into the folder, and returns its path. */
export async function writeTinyModel(folder: string, parts: TinyModelParts = {}): Promise<string> {
  await mkdir(join(folder, "onnx"));
  await writeFile(join(folder, "config.json"), JSON.stringify(parts.config ?? TINY_CONFIG));
  await writeFile(join(folder, "tokenizer.json"), JSON.stringify(parts.tokenizer ?? tinyTokenizer()));
  const settings = {
    tokenizer_class: "BertTokenizer",
    model_max_length: 64,
    pad_token: "[PAD]",
    unk_token: "[UNK]",
  };
  await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify(settings));
  await writeFile(join(folder, "onnx", "model.onnx"), onnxFile(parts.graph ?? staticGraph(tinyTable())));
  return folder;
}

/** The same without a `sextant` block and with the outputs of a transformer. */
export function writeTinyTransformer(folder: string, table = tinyTable()): Promise<string> {
  return writeTinyModel(folder, {
    config: { model_type: "bert", hidden_size: TINY_DIMENSIONS, max_position_embeddings: 64 },
    graph: hiddenStateGraph(table),
  });
}
