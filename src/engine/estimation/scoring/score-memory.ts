import { allocateWasmMemory, MAXIMUM_BYTES, type WasmMemory } from "../../search/vector-memory.js";

/** Dimensions of the tables of a set. */
export interface ScoreShape {
  readonly anchors: number;
  readonly models: number;
  readonly topics: number;
}

/**
 * The scores of a set in one fixed WebAssembly memory, written once by the loader and read in place by the kernel. 3
 * bytes for each anchor and model, 8 for each cell of the tables. Initially zero. Every view starts at a multiple of 16
 * bytes.
 */
export interface ScoreMemory {
  readonly shape: ScoreShape;
  readonly memory: WasmMemory;
  readonly tables: {
    /** `[(topics + 1) × models]`; the last row is the expectation over all topics. */
    readonly quality: Float32Array;
    readonly length: Float32Array;
    /** `[topics × models]` */
    readonly coverage: Float32Array;
  };
  readonly cells: {
    /** `[anchors × models]` */
    readonly quality: Uint8Array;
    readonly length: Uint16Array;
  };
  readonly scratch: Scratch;
}

interface Scratch {
  /** Rows to blend and their shares, `[topics + 1]`. */
  readonly rows: Uint32Array;
  readonly shares: Float32Array;
  /** The result of the blend, `[models]`, with room for a multiple of `BLEND_LANES`. */
  readonly blended: {
    readonly quality: Float32Array;
    readonly length: Float32Array;
    readonly coverage: Float32Array;
  };
  /** Pairs of an anchor and its weight (an f32), `[NEIGHBOUR_CAPACITY × 2]`. */
  readonly list: Uint32Array;
  /** Σ w·cell, `[models]`, with room for a multiple of `SUM_LANES`. */
  readonly sums: { readonly quality: Float32Array; readonly length: Float32Array };
}

/** Neighbours passed to the kernel at once. */
export const NEIGHBOUR_CAPACITY = 128;
/** Columns that the kernel adds at once to the sums, and when it blends rows. */
const SUM_LANES = 8;
const BLEND_LANES = 16;
/** The kernel may read this far past the last row. */
const READ_AHEAD_BYTES = 64;

/** @throws RangeError when the tables need more than 4 GiB */
export function allocateScoreMemory(shape: ScoreShape): ScoreMemory {
  const plan = planOf(shape);
  const bytes = plan.end + READ_AHEAD_BYTES;
  if (bytes > MAXIMUM_BYTES) {
    throw new RangeError(
      `${shape.models} models on ${shape.anchors} anchors need ${bytes} bytes, more than one set can hold`,
    );
  }
  const memory = allocateWasmMemory(bytes);
  return { shape, memory, ...viewsOf(plan, memory.buffer) };
}

/** Position of an array: byte offset and number of elements. */
interface Slot {
  readonly at: number;
  readonly length: number;
}

function planOf({ anchors, models, topics }: ScoreShape) {
  let end = 0;
  const slot = (length: number, bytesEach: number, capacity = length): Slot => {
    const at = end;
    end += Math.ceil((capacity * bytesEach) / 16) * 16;
    return { at, length };
  };
  const perModel = (lanes: number): Slot => slot(models, 4, Math.ceil(models / lanes) * lanes);
  const parts = {
    cells: { quality: slot(anchors * models, 1), length: slot(anchors * models, 2) },
    tables: {
      quality: slot((topics + 1) * models, 4),
      length: slot((topics + 1) * models, 4),
      coverage: slot(topics * models, 4),
    },
    rows: slot(topics + 1, 4),
    shares: slot(topics + 1, 4),
    blended: {
      quality: perModel(BLEND_LANES),
      length: perModel(BLEND_LANES),
      coverage: perModel(BLEND_LANES),
    },
    list: slot(NEIGHBOUR_CAPACITY * 2, 4),
    sums: { quality: perModel(SUM_LANES), length: perModel(SUM_LANES) },
  };
  return { ...parts, end };
}

function viewsOf(
  { cells, tables, blended, sums, ...plan }: ReturnType<typeof planOf>,
  buffer: ArrayBuffer,
): Omit<ScoreMemory, "shape" | "memory"> {
  const f32 = ({ at, length }: Slot) => new Float32Array(buffer, at, length);
  const u32 = ({ at, length }: Slot) => new Uint32Array(buffer, at, length);
  return {
    tables: { quality: f32(tables.quality), length: f32(tables.length), coverage: f32(tables.coverage) },
    cells: {
      quality: new Uint8Array(buffer, cells.quality.at, cells.quality.length),
      length: new Uint16Array(buffer, cells.length.at, cells.length.length),
    },
    scratch: {
      rows: u32(plan.rows),
      shares: f32(plan.shares),
      blended: {
        quality: f32(blended.quality),
        length: f32(blended.length),
        coverage: f32(blended.coverage),
      },
      list: u32(plan.list),
      sums: { quality: f32(sums.quality), length: f32(sums.length) },
    },
  };
}
