import type { TraceBody } from "../../../api/traces/trace.js";
import { type ColumnValue, ParquetFile } from "./parquet-file.js";
import { TRACE_COLUMNS } from "./trace-columns.js";

/** Most rows of a row group, and UTF-16 units of text after which one is closed: what an export holds in memory. */
const GROUP_ROWS = 20_000;
const GROUP_UNITS = 8 * 1024 * 1024;

/** Traces as a Parquet file, which is handed out piece by piece. */
export class TraceTable {
  readonly #file = new ParquetFile(TRACE_COLUMNS);
  #values: readonly ColumnValue[][] = emptyColumns();
  #rows = 0;
  #units = 0;

  begin(): Uint8Array<ArrayBuffer> {
    return this.#file.begin();
  }

  /** @returns what is complete now: mostly nothing, a row group now and then */
  add(traces: readonly TraceBody[]): Uint8Array<ArrayBuffer>[] {
    const complete: Uint8Array<ArrayBuffer>[] = [];
    for (const trace of traces) {
      for (const [at, { valueIn }] of TRACE_COLUMNS.entries()) {
        const value = valueIn(trace);
        this.#values[at]?.push(value);
        if (typeof value === "string") this.#units += value.length;
      }
      this.#rows += 1;
      if (this.#rows >= GROUP_ROWS || this.#units >= GROUP_UNITS) complete.push(this.#group());
    }
    return complete;
  }

  /** @returns the rest, without which the file is none */
  end(): Uint8Array<ArrayBuffer>[] {
    return this.#rows > 0 ? [this.#group(), this.#file.end()] : [this.#file.end()];
  }

  #group(): Uint8Array<ArrayBuffer> {
    const group = this.#file.group(this.#values);
    this.#values = emptyColumns();
    this.#rows = 0;
    this.#units = 0;
    return group;
  }
}

const emptyColumns = (): ColumnValue[][] => TRACE_COLUMNS.map(() => []);

/** The next bytes of the file, if any are complete. */
type NextBytes = readonly Uint8Array<ArrayBuffer>[];

export type ParquetApi = {
  begin(): NextBytes;
  add(traces: readonly TraceBody[]): NextBytes;
  /** The rest of the file. */
  end(): NextBytes;
};
