import { wasmEngine } from "../../search/vector-memory.js";
import type { NeighbourSums, RowBlend, ScoreSums, WeightedRows } from "../anchor-set.js";
import { NEIGHBOUR_CAPACITY, type ScoreMemory } from "./score-memory.js";
import { scoreModuleBytes } from "./score-wasm.js";

const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/**
 * Opens the sums over a filled memory, by SIMD or, where the engine lacks it, by plain loops. Both add in the same
 * order and round to f32 after every step, so their results are equal to the last bit.
 */
export function openScoreKernel(scores: ScoreMemory, prefer: "simd" | "plain" = "simd"): ScoreSums {
  const usable =
    prefer === "simd" && LITTLE_ENDIAN && scores.memory && wasmEngine()?.validate(scoreModuleBytes());
  const { kind, blend, add } = usable ? simdSteps(scores) : plainSteps(scores);
  const { rows: rowCount, firstTopic } = scores.shape;
  const { rows, shares, blended, list, sums } = scores.scratch;
  const weightsInList = new Float32Array(list.buffer, list.byteOffset, list.length);
  return {
    kind,
    blendRows({ row, weight, count }: WeightedRows, home: number): RowBlend {
      let topics = 0;
      for (let entry = 0; entry < count; entry++) {
        if ((row[entry] as number) < firstTopic) continue;
        rows[topics] = (row[entry] as number) - firstTopic;
        shares[topics++] = weight[entry] as number;
      }
      blend("coverage", topics);
      for (let entry = 0; entry < count; entry++) {
        rows[entry] = row[entry] as number;
        shares[entry] = home * (weight[entry] as number);
      }
      rows[count] = rowCount;
      shares[count] = 1 - home;
      blend("quality", count + 1);
      blend("length", count + 1);
      return blended;
    },
    sumNeighbours(anchors: Int32Array, weights: Float32Array): NeighbourSums {
      sums.quality.fill(0);
      sums.length.fill(0);
      for (let start = 0; start < anchors.length; start += NEIGHBOUR_CAPACITY) {
        const count = Math.min(anchors.length - start, NEIGHBOUR_CAPACITY);
        for (let entry = 0; entry < count; entry++) {
          list[2 * entry] = anchors[start + entry] as number;
          weightsInList[2 * entry + 1] = weights[start + entry] as number;
        }
        add(count);
      }
      return sums;
    },
  };
}

type Table = keyof ScoreMemory["tables"];

/** The operations of one implementation. They read from the scratch area and write to it. */
interface Steps {
  readonly kind: "simd" | "plain";
  /** Blends the first `count` rows of a table. */
  blend(table: Table, count: number): void;
  /** Adds the first `count` neighbours of the list to the sums. */
  add(count: number): void;
}

interface ScoreExports {
  blend(table: number, stride: number, rows: number, shares: number, count: number, out: number): void;
  add(
    list: number,
    listEnd: number,
    width: number,
    quality: number,
    qualitySums: number,
    length: number,
    lengthSums: number,
  ): void;
}

let compiled: object | undefined;

function instantiate({ memory }: ScoreMemory): ScoreExports {
  const engine = wasmEngine();
  if (!engine) throw new Error("WebAssembly is not available");
  compiled ??= new engine.Module(scoreModuleBytes());
  return new engine.Instance(compiled, { scores: { memory } }).exports as unknown as ScoreExports;
}

/** 100 models: 5 µs for 128 neighbours, 1 µs for 40 rows. */
function simdSteps({ shape, tables, cells, scratch, memory }: ScoreMemory): Steps {
  const exports = instantiate({ shape, tables, cells, scratch, memory });
  const { rows, shares, blended, list, sums } = scratch;
  const stride = 4 * shape.models;
  const [rowsAt, sharesAt, listAt] = [rows.byteOffset, shares.byteOffset, list.byteOffset];
  const at = {
    quality: [tables.quality.byteOffset, blended.quality.byteOffset],
    length: [tables.length.byteOffset, blended.length.byteOffset],
    coverage: [tables.coverage.byteOffset, blended.coverage.byteOffset],
  } as const;
  const sumsAt = { quality: sums.quality.byteOffset, length: sums.length.byteOffset };
  const cellsAt = { quality: cells.quality.byteOffset, length: cells.length.byteOffset };
  return {
    kind: "simd",
    blend(table, count) {
      const [from, into] = at[table];
      exports.blend(from, stride, rowsAt, sharesAt, count, into);
    },
    add(count) {
      exports.add(
        listAt,
        listAt + 8 * count,
        shape.models,
        cellsAt.quality,
        sumsAt.quality,
        cellsAt.length,
        sumsAt.length,
      );
    },
  };
}

/** Some 15 times slower than SIMD. */
function plainSteps({ tables, cells, scratch }: ScoreMemory): Steps {
  const { rows, shares, blended, list, sums } = scratch;
  const weights = new Float32Array(list.buffer, list.byteOffset, list.length);
  return {
    kind: "plain",
    blend(table, count) {
      blended[table].fill(0);
      for (let entry = 0; entry < count; entry++) {
        const [row, weight] = [rows[entry] as number, shares[entry] as number];
        addRow(blended[table], tables[table], { row, weight });
      }
    },
    add(count) {
      for (let entry = 0; entry < count; entry++) {
        const [row, weight] = [list[2 * entry] as number, weights[2 * entry + 1] as number];
        addRow(sums.quality, cells.quality, { row, weight });
        addRow(sums.length, cells.length, { row, weight });
      }
    },
  };
}

/** Adds `weight` × row number `row` of a table that has as many columns as `into`. */
function addRow(
  into: Float32Array,
  table: Float32Array | Uint8Array | Uint16Array,
  { row, weight }: { readonly row: number; readonly weight: number },
): void {
  const width = into.length;
  for (let column = 0; column < width; column++) {
    const product = Math.fround(weight * (table[row * width + column] as number));
    into[column] = (into[column] as number) + product;
  }
}
