import { type WasmMemory, wasmEngine } from "../vector-memory.js";

/** How large the tables of a set are. */
export interface ScoreShape {
  readonly anchors: number;
  readonly models: number;
  /** Clusters of all resolutions, and of the first alone. */
  readonly clusters: number;
  readonly coarseClusters: number;
  /** Columns of each panel, and the anchors it saw. The columns of all panels together are the models. */
  readonly panels: readonly { readonly width: number; readonly rows: number }[];
}

/**
 * The scores of a set in one fixed WebAssembly memory, written once by the loader: the kernel reads them where they lie.
 * 3 bytes a scored cell, 6 for each anchor of each panel, 12 an anchor, 8 a cell of the cluster tables. Zeroed at first.
 * Every view starts at a multiple of 16 bytes.
 */
export interface ScoreMemory {
  readonly shape: ScoreShape;
  /** Undefined where the engine has no WebAssembly: the views are then over an ordinary buffer. */
  readonly memory: WasmMemory | undefined;
  readonly tables: {
    /** `[(clusters + 1) × models]`; the last row is the expectation over all anchors. */
    readonly quality: Float32Array;
    readonly length: Float32Array;
    /** `[coarseClusters × models]` */
    readonly coverage: Float32Array;
  };
  /** Ease and length level, `[anchors × 2]`. */
  readonly levels: Float32Array;
  /** As in `PanelsOfAnchors`. */
  readonly start: Uint32Array;
  readonly panelOf: Uint16Array;
  readonly rowOf: Uint32Array;
  readonly panels: readonly PanelMemory[];
  readonly scratch: Scratch;
}

interface PanelMemory {
  /** `[rows × width]` */
  readonly quality: Uint8Array;
  readonly length: Uint16Array;
  /** Σ w·cell, `[width]`, with room for a multiple of `SUM_LANES` behind it. */
  readonly sums: { readonly quality: Float32Array; readonly length: Float32Array };
}

interface Scratch {
  /** Rows to blend and their shares, `[clusters + 1]`. */
  readonly rows: Uint32Array;
  readonly shares: Float32Array;
  /** What they blend to, `[models]`, with room for a multiple of `BLEND_LANES`. */
  readonly blended: {
    readonly quality: Float32Array;
    readonly length: Float32Array;
    readonly coverage: Float32Array;
  };
  /** Neighbours and their weights, `[NEIGHBOUR_CAPACITY]`. */
  readonly anchors: Uint32Array;
  readonly weights: Float32Array;
  /** Row and weight (an f32) of each panel's neighbours, `[panels × NEIGHBOUR_CAPACITY × 2]`, and how many bytes of them. */
  readonly lists: Uint32Array;
  readonly ends: Uint32Array;
  /** Four sums a panel, and last those of all neighbours, `[(panels + 1) × 4]`. */
  readonly levels: Float32Array;
  /** The sums of all panels: first of qualities, then of lengths. */
  readonly sums: Float32Array;
}

/** Neighbours handed to the kernel at once. */
export const NEIGHBOUR_CAPACITY = 128;
/** Columns that the kernel adds at once to the sums of a panel, and when it blends rows. */
const SUM_LANES = 8;
const BLEND_LANES = 16;
/** The kernel may read so far past the last row. */
const READ_AHEAD_BYTES = 64;
const PAGE_BYTES = 65_536;
/** 4 GiB, the most a 32-bit WebAssembly memory can hold. */
const MAXIMUM_BYTES = PAGE_BYTES * PAGE_BYTES;

/** @throws RangeError when the tables need more than 4 GiB */
export function allocateScoreMemory(shape: ScoreShape): ScoreMemory {
  const plan = planOf(shape);
  const bytes = plan.end + READ_AHEAD_BYTES;
  if (bytes > MAXIMUM_BYTES) {
    throw new RangeError(
      `${shape.models} models on ${shape.anchors} anchors need ${bytes} bytes, more than one set can hold`,
    );
  }
  const pages = Math.ceil(bytes / PAGE_BYTES);
  const engine = wasmEngine();
  const memory = engine && new engine.Memory({ initial: pages, maximum: pages });
  return { shape, memory, ...viewsOf(plan, memory?.buffer ?? new ArrayBuffer(bytes)) };
}

/** Where an array lies: byte offset and number of elements. */
interface Slot {
  readonly at: number;
  readonly length: number;
}

type Plan = ReturnType<typeof planOf>;

function planOf({ anchors, models, clusters, coarseClusters, panels }: ScoreShape) {
  let end = 0;
  const slot = (length: number, bytesEach: number, capacity = length): Slot => {
    const at = end;
    end += Math.ceil((capacity * bytesEach) / 16) * 16;
    return { at, length };
  };
  const entries = panels.reduce((sum, { rows }) => sum + rows, 0);
  const blendCapacity = Math.ceil(models / BLEND_LANES) * BLEND_LANES;
  const parts = {
    cells: panels.map(({ width, rows }) => ({
      quality: slot(rows * width, 1),
      length: slot(rows * width, 2),
    })),
    tables: {
      quality: slot((clusters + 1) * models, 4),
      length: slot((clusters + 1) * models, 4),
      coverage: slot(coarseClusters * models, 4),
    },
    levels: slot(anchors * 2, 4),
    start: slot(anchors + 1, 4),
    panelOf: slot(entries, 2),
    rowOf: slot(entries, 4),
    rows: slot(clusters + 1, 4),
    shares: slot(clusters + 1, 4),
    blended: {
      quality: slot(models, 4, blendCapacity),
      length: slot(models, 4, blendCapacity),
      coverage: slot(models, 4, blendCapacity),
    },
    anchors: slot(NEIGHBOUR_CAPACITY, 4),
    weights: slot(NEIGHBOUR_CAPACITY, 4),
    lists: slot(panels.length * NEIGHBOUR_CAPACITY * 2, 4),
    ends: slot(panels.length, 4),
    panelLevels: slot((panels.length + 1) * 4, 4),
  };
  const sumsAt = end;
  const sumsOf = () => panels.map(({ width }) => slot(width, 4, Math.ceil(width / SUM_LANES) * SUM_LANES));
  const sums = { quality: sumsOf(), length: sumsOf() };
  return { ...parts, sums, allSums: { at: sumsAt, length: (end - sumsAt) / 4 }, end };
}

function viewsOf(plan: Plan, buffer: ArrayBuffer): Omit<ScoreMemory, "shape" | "memory"> {
  const f32 = ({ at, length }: Slot) => new Float32Array(buffer, at, length);
  const u32 = ({ at, length }: Slot) => new Uint32Array(buffer, at, length);
  const u16 = ({ at, length }: Slot) => new Uint16Array(buffer, at, length);
  const { tables, blended, sums } = plan;
  return {
    tables: { quality: f32(tables.quality), length: f32(tables.length), coverage: f32(tables.coverage) },
    levels: f32(plan.levels),
    start: u32(plan.start),
    panelOf: u16(plan.panelOf),
    rowOf: u32(plan.rowOf),
    panels: plan.cells.map(({ quality, length }, panel) => ({
      quality: new Uint8Array(buffer, quality.at, quality.length),
      length: u16(length),
      sums: { quality: f32(sums.quality[panel] as Slot), length: f32(sums.length[panel] as Slot) },
    })),
    scratch: {
      rows: u32(plan.rows),
      shares: f32(plan.shares),
      blended: {
        quality: f32(blended.quality),
        length: f32(blended.length),
        coverage: f32(blended.coverage),
      },
      anchors: u32(plan.anchors),
      weights: f32(plan.weights),
      lists: u32(plan.lists),
      ends: u32(plan.ends),
      levels: f32(plan.panelLevels),
      sums: f32(plan.allSums),
    },
  };
}
