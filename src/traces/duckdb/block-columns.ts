import type { Column } from "./database.js";
import { METADATA_SLOTS } from "./metadata-slots.js";
import { isLong, pieceColumnsOf } from "./text-pieces.js";
import { FIGURES, NAMES, NO_TEXT, TEXTS, type TraceBlock } from "./trace-block.js";

export interface FileNumbers {
  /** Number in the file of each name of the block. */
  readonly names: readonly number[];
  /** Slot of each metadata key of the block; undefined when it has none. */
  readonly slots: readonly (number | undefined)[];
}

/** What a block adds to each table: columns in the order of the table, 2,048 values at a time. */
export interface BlockColumns {
  readonly traces: Column[];
  readonly pieces: Column[][];
}

export function columnsOf(block: TraceBlock, numbers: FileNumbers): BlockColumns {
  const texts = textsOf(block);
  return { traces: traceColumnsOf(block, texts, numbers), pieces: pieceColumnsOf(block, texts) };
}

function traceColumnsOf(block: TraceBlock, texts: Texts, numbers: FileNumbers): Column[] {
  const figure = (of: keyof typeof FIGURES): Float64Array => part(block.figures, FIGURES, of);
  const name = (of: keyof typeof NAMES): Column => ({
    type: "UINTEGER",
    values: Array.from(part(block.named, NAMES, of), (at) => (at === 0 ? 0 : (numbers.names[at - 1] ?? 0))),
  });
  return [
    { type: "VARCHAR", values: texts.request_id },
    wholeNumbers(figure("id_ms")),
    wholeNumbers(figure("created_ms")),
    { type: "UTINYINT", values: Array.from(block.kinds) },
    { type: "UTINYINT", values: Array.from(block.statuses) },
    name("model"),
    name("provider"),
    name("source"),
    wholeNumbers(figure("tokens_in")),
    wholeNumbers(figure("tokens_out")),
    figures(figure("cost_usd")),
    figures(figure("latency_ms")),
    figures(figure("ttft_ms")),
    ...metadataColumns(block, numbers.slots),
    { type: "VARCHAR", values: texts.detail },
    { type: "VARCHAR", values: texts.input.map(unlessLong) },
    { type: "VARCHAR", values: texts.output.map(unlessLong) },
    {
      type: "UTINYINT",
      values: texts.input.map((input, at) => Number(isLong(input) || isLong(texts.output[at] ?? null))),
    },
  ];
}

type Texts = Readonly<Record<keyof typeof TEXTS, (Uint8Array | null)[]>>;

/** Each text as a part of the block's. */
function textsOf({ traces, texts, lengths }: TraceBlock): Texts {
  const byName: Texts = { request_id: [], detail: [], input: [], output: [] };
  const columns = Object.keys(TEXTS).map((name) => byName[name as keyof Texts]);
  let from = 0;
  for (let at = 0; at < traces; at++) {
    for (let column = 0; column < columns.length; column++) {
      const length = lengths[column * traces + at] ?? NO_TEXT;
      columns[column]?.push(length === NO_TEXT ? null : texts.subarray(from, from + length));
      if (length !== NO_TEXT) from += length;
    }
  }
  return byName;
}

/** What of each trace goes into the slots of its keys, and the list of all others. */
function metadataColumns(block: TraceBlock, slots: FileNumbers["slots"]): Column[] {
  const { traces, pairsOf, pairKeys, pairHashes } = block;
  const inSlots = Array.from({ length: METADATA_SLOTS }, () => new Array<bigint | null>(traces).fill(null));
  const others: bigint[][] = [];
  let pair = 0;
  for (let at = 0; at < traces; at++) {
    const rest: bigint[] = [];
    for (const end = pair + (pairsOf[at] ?? 0); pair < end; pair++) {
      const hash = pairHashes[pair] ?? 0n;
      const column = inSlots[slots[pairKeys[pair] ?? 0] ?? METADATA_SLOTS];
      if (column === undefined) rest.push(hash);
      else column[at] = hash;
    }
    others.push(rest);
  }
  return [
    ...inSlots.map((values): Column => ({ type: "BIGINT", values })),
    { type: "BIGINT[]", values: others },
  ];
}

/** The values of one column among those of several. */
function part<List extends Float64Array | Uint32Array>(list: List, columns: object, name: string): List {
  const names = Object.keys(columns);
  const length = list.length / names.length;
  const from = names.indexOf(name) * length;
  return list.subarray(from, from + length) as List;
}

const figures = (values: Float64Array): Column => ({
  type: "DOUBLE",
  values: Array.from(values, (value) => (Number.isNaN(value) ? null : value)),
});

const wholeNumbers = (values: Float64Array): Column => ({
  type: "BIGINT",
  values: Array.from(values, (value) => (Number.isNaN(value) ? null : BigInt(value))),
});

const unlessLong = (text: Uint8Array | null): Uint8Array | null => (isLong(text) ? null : text);
