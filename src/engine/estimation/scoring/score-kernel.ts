import { wasmEngine } from "../../search/vector-memory.js";
import type { NeighbourSums, ScoreSums, TopicBlend, WeightedTopics } from "../anchor-set.js";
import { NEIGHBOUR_CAPACITY, type ScoreMemory } from "./score-memory.js";
import { scoreModuleBytes } from "./score-wasm.js";

/** Opens the sums over a filled memory, by WebAssembly SIMD. */
export function openScoreKernel(scores: ScoreMemory): ScoreSums {
  const { blend, add } = stepsOf(scores);
  const { rows, shares, blended, list, sums } = scores.scratch;
  const weightsInList = new Float32Array(list.buffer, list.byteOffset, list.length);
  return {
    blendTopics({ topic, weight, count }: WeightedTopics, home: number): TopicBlend {
      for (let entry = 0; entry < count; entry++) {
        rows[entry] = topic[entry] as number;
        shares[entry] = weight[entry] as number;
      }
      blend("coverage", count);
      for (let entry = 0; entry < count; entry++) shares[entry] = home * (weight[entry] as number);
      rows[count] = scores.shape.topics;
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
  compiled ??= new engine.Module(scoreModuleBytes());
  return new engine.Instance(compiled, { scores: { memory } }).exports as unknown as ScoreExports;
}

/** 100 models: 5 µs for 128 neighbours, 1 µs for 40 rows. */
function stepsOf(scores: ScoreMemory) {
  const exports = instantiate(scores);
  const { shape, tables, cells, scratch } = scores;
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
    /** Blends the first `count` rows of a table. */
    blend(table: Table, count: number): void {
      const [from, into] = at[table];
      exports.blend(from, stride, rowsAt, sharesAt, count, into);
    },
    /** Adds the first `count` neighbours of the list to the sums. */
    add(count: number): void {
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
