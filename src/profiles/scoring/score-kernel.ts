import type { ClusterBlend, NeighbourSums, ScoreSums } from "../anchor-set.js";
import type { Memberships } from "../memberships.js";
import { wasmEngine } from "../vector-memory.js";
import { NEIGHBOUR_CAPACITY, type ScoreMemory } from "./score-memory.js";
import { scoreModuleBytes } from "./score-wasm.js";

/** A panel's list of rows and weights, and its four sums. */
const LIST_BYTES = 8 * NEIGHBOUR_CAPACITY;
const LEVELS_BYTES = 16;
const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/**
 * The sums over a filled memory: by SIMD, or by plain loops where the engine lacks it. Both add in the same order and
 * round to f32 after every step, so their results are equal to the last bit.
 */
export function openScoreKernel(scores: ScoreMemory, prefer: "simd" | "plain" = "simd"): ScoreSums {
  const usable =
    prefer === "simd" && LITTLE_ENDIAN && scores.memory && wasmEngine()?.validate(scoreModuleBytes());
  const { kind, blend, add } = usable ? simdSteps(scores) : plainSteps(scores);
  const { clusters, coarseClusters } = scores.shape;
  const { rows, shares, blended, anchors: anchorSlots, weights: weightSlots } = scores.scratch;
  const { levels, sums } = scores.scratch;
  const found: NeighbourSums = { levels, panels: scores.panels.map((panel) => panel.sums) };
  return {
    kind,
    blendClusters({ cluster, weight }: Memberships, home: number): ClusterBlend {
      let coarse = 0;
      for (let entry = 0; entry < cluster.length; entry++) {
        const row = cluster[entry] as number;
        if (row < coarseClusters) coarse = entry + 1;
        rows[entry] = row;
        shares[entry] = home * (weight[entry] as number);
      }
      rows[cluster.length] = clusters;
      shares[cluster.length] = 1 - home;
      blend(cluster.length + 1, coarse);
      return blended;
    },
    sumNeighbours(anchors: Int32Array, weights: Float32Array): NeighbourSums {
      levels.fill(0);
      sums.fill(0);
      for (let start = 0; start < anchors.length; start += NEIGHBOUR_CAPACITY) {
        const count = Math.min(anchors.length - start, NEIGHBOUR_CAPACITY);
        for (let entry = 0; entry < count; entry++) {
          anchorSlots[entry] = anchors[start + entry] as number;
          weightSlots[entry] = weights[start + entry] as number;
        }
        add(count);
      }
      return found;
    },
  };
}

/** What the two implementations differ in. Their input lies in the scratch, and their results go there. */
interface Steps {
  readonly kind: "simd" | "plain";
  /** Blends the first `count` rows; the first `coarse` of them are of the first resolution. */
  blend(count: number, coarse: number): void;
  /** Adds the first `count` neighbours to the sums. */
  add(count: number): void;
}

interface ScoreExports {
  blend(table: number, stride: number, rows: number, shares: number, count: number, out: number): void;
  list(
    anchors: number,
    weights: number,
    count: number,
    levels: number,
    starts: number,
    panels: number,
    rows: number,
    lists: number,
    listBytes: number,
    ends: number,
    panelSums: number,
    total: number,
  ): void;
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

/** 100 models in one panel: 5 µs for 128 neighbours, 1 µs for 40 clusters. */
function simdSteps(scores: ScoreMemory): Steps {
  const exports = instantiate(scores);
  const { blended } = scores.scratch;
  const list = lister(exports, scores);
  const addPanel = panelAdder(exports, scores);
  const { ends } = scores.scratch;
  return {
    kind: "simd",
    blend(count, coarse) {
      blendTable(exports, scores, { table: scores.tables.quality, into: blended.quality, count });
      blendTable(exports, scores, { table: scores.tables.length, into: blended.length, count });
      blendTable(exports, scores, { table: scores.tables.coverage, into: blended.coverage, count: coarse });
    },
    add(count) {
      ends.fill(0);
      list(count);
      for (let panel = 0; panel < ends.length; panel++) addPanel(panel, ends[panel] as number);
    },
  };
}

function blendTable(
  { blend }: ScoreExports,
  { shape, scratch }: ScoreMemory,
  {
    table,
    into,
    count,
  }: { readonly table: Float32Array; readonly into: Float32Array; readonly count: number },
): void {
  const { rows, shares } = scratch;
  blend(table.byteOffset, 4 * shape.models, rows.byteOffset, shares.byteOffset, count, into.byteOffset);
}

/** Lists the first `count` neighbours' rows by panel. */
function lister({ list }: ScoreExports, scores: ScoreMemory): (count: number) => void {
  const { scratch } = scores;
  const offsets = [
    scratch.anchors,
    scratch.weights,
    scores.levels,
    scores.start,
    scores.panelOf,
    scores.rowOf,
  ];
  const [anchors, weights, levels, start, panelOf, rowOf] = offsets.map((view) => view.byteOffset) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [lists, ends, panelLevels] = [
    scratch.lists.byteOffset,
    scratch.ends.byteOffset,
    scratch.levels.byteOffset,
  ];
  const total = panelLevels + LEVELS_BYTES * scores.panels.length;
  return (count) =>
    list(anchors, weights, count, levels, start, panelOf, rowOf, lists, LIST_BYTES, ends, panelLevels, total);
}

/** Adds what is listed for a panel, `listed` bytes. */
function panelAdder(
  { add }: ScoreExports,
  { shape, panels, scratch }: ScoreMemory,
): (panel: number, listed: number) => void {
  const offsets = panels.map(({ quality, length, sums }, panel) => ({
    list: scratch.lists.byteOffset + LIST_BYTES * panel,
    width: shape.panels[panel]?.width ?? 0,
    quality: quality.byteOffset,
    qualitySums: sums.quality.byteOffset,
    length: length.byteOffset,
    lengthSums: sums.length.byteOffset,
  }));
  return (panel, listed) => {
    const at = offsets[panel];
    if (at === undefined || listed === 0) return;
    add(at.list, at.list + listed, at.width, at.quality, at.qualitySums, at.length, at.lengthSums);
  };
}

/** Some 15 times slower than SIMD. */
function plainSteps({ panels, tables, scratch, ...scores }: ScoreMemory): Steps {
  const { blended } = scratch;
  return {
    kind: "plain",
    blend(count, coarse) {
      blendRows(tables.quality, blended.quality, { ...scratch, count });
      blendRows(tables.length, blended.length, { ...scratch, count });
      blendRows(tables.coverage, blended.coverage, { ...scratch, count: coarse });
    },
    add(count) {
      for (let entry = 0; entry < count; entry++) {
        const anchor = scratch.anchors[entry] as number;
        const weight = scratch.weights[entry] as number;
        const ease = scores.levels[2 * anchor] as number;
        const facts = [
          weight,
          weight * weight,
          weight * ease,
          weight * (scores.levels[2 * anchor + 1] as number),
        ];
        addAll(scratch.levels, 4 * panels.length, facts);
        const end = scores.start[anchor + 1] as number;
        for (let seen = scores.start[anchor] as number; seen < end; seen++) {
          const number = scores.panelOf[seen] as number;
          const panel = panels[number] as ScoreMemory["panels"][number];
          addAll(scratch.levels, 4 * number, facts);
          addCells(panel.sums.quality, panel.quality, { row: scores.rowOf[seen] as number, weight });
          addCells(panel.sums.length, panel.length, { row: scores.rowOf[seen] as number, weight });
        }
      }
    },
  };
}

interface BlendInput {
  readonly rows: Uint32Array;
  readonly shares: Float32Array;
  readonly count: number;
}

function blendRows(table: Float32Array, into: Float32Array, { rows, shares, count }: BlendInput): void {
  into.fill(0);
  for (let entry = 0; entry < count; entry++)
    addCells(into, table, { row: rows[entry] as number, weight: shares[entry] as number });
}

/** Adds `weight` × row number `row` of a table that has as many columns as `into`. */
function addCells(
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

function addAll(into: Float32Array, start: number, terms: readonly number[]): void {
  for (let each = 0; each < terms.length; each++)
    into[start + each] = (into[start + each] as number) + Math.fround(terms[each] as number);
}
