/**
 * The memory of a set of anchor vectors: one fixed WebAssembly memory with the codes, their scales and the scratch
 * space of a search, so that the SIMD kernel reads the loaded codes in place, without a second copy.
 */

/** The part of the engine's `WebAssembly` that is used. */
interface WasmEngine {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
}

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

/** Byte offsets of the regions, each a multiple of 16. */
export interface VectorMemory {
  readonly buffer: ArrayBuffer;
  readonly memory: WasmMemory;
  /** int8 `[count, dimensions]`. */
  readonly codesAt: number;
  /** f32 `[count]`. */
  readonly scalesAt: number;
  /** i16 `[queryLength]`, the query padded with zeros. */
  readonly queryAt: number;
  readonly queryLength: number;
  /** f32 `[count]`: similarities of a full scan. */
  readonly similaritiesAt: number;
  /** f32 `[4 × ⌈count / PEAK_BLOCK⌉]`: for every block of rows, the highest similarity of rows 0, 4, 8, 12; of 1, 5, 9, 13; … */
  readonly peaksAt: number;
}

/** Rows that share one vector of four peaks. */
export const PEAK_BLOCK = 16;

/** Rows are read in steps of 16 codes, so the kernel may read this far past the last one. */
const READ_AHEAD_BYTES = 64;
const PAGE_BYTES = 65_536;
/** 4 GiB, the most a 32-bit WebAssembly memory can hold. */
export const MAXIMUM_BYTES = PAGE_BYTES * PAGE_BYTES;

/** @throws Error under `--jitless`, where there is none */
export function wasmEngine(): WasmEngine {
  const { WebAssembly } = globalThis as { readonly WebAssembly?: WasmEngine };
  if (WebAssembly === undefined) throw new Error("Sextant needs WebAssembly, which --jitless switches off");
  return WebAssembly;
}

/** Zeroed, with room for so many bytes. */
export function allocateWasmMemory(bytes: number): WasmMemory {
  const pages = Math.ceil(bytes / PAGE_BYTES);
  return new (wasmEngine().Memory)({ initial: pages, maximum: pages });
}

/**
 * Room for `count` rows of `dimensions` codes. Zeroed by the operating system, so that untouched pages cost nothing.
 *
 * @throws RangeError when a count is not a positive integer or the set needs more than 4 GiB (16M rows × 256)
 */
export function allocateVectorMemory(count: number, dimensions: number): VectorMemory {
  for (const [name, value] of Object.entries({ count, dimensions })) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new RangeError(`${name} must be at least 1, not ${value}`);
  }
  let end = 0;
  const reserve = (bytes: number): number => {
    const at = end;
    end += Math.ceil(bytes / 16) * 16;
    return at;
  };
  const queryLength = Math.ceil(dimensions / 16) * 16;
  const regions = {
    codesAt: reserve(count * dimensions + (3 * dimensions + READ_AHEAD_BYTES)),
    scalesAt: reserve(count * 4),
    queryAt: reserve(queryLength * 2),
    queryLength,
    similaritiesAt: reserve(count * 4),
    peaksAt: reserve(Math.ceil(count / PEAK_BLOCK) * 16),
  };
  if (end > MAXIMUM_BYTES) {
    throw new RangeError(
      `${count} anchors × ${dimensions} dimensions need ${end} bytes, more than one set can hold`,
    );
  }
  const memory = allocateWasmMemory(end);
  return { ...regions, memory, buffer: memory.buffer };
}
