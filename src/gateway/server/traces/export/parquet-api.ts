/** What the thread that writes Parquet does, for one export. */
import type { TraceBody } from "../../../api/traces/trace.js";

/** The next bytes of the file, if any are complete. */
type NextBytes = readonly Uint8Array<ArrayBuffer>[];

export type ParquetApi = {
  begin(): NextBytes;
  add(traces: readonly TraceBody[]): NextBytes;
  /** The rest of the file. */
  end(): NextBytes;
};
