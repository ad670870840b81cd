/** What an export and the thread that writes Parquet for it say to each other. */
import type { TraceBody } from "../../../api/traces/trace.js";

export type ToParquetWorker =
  | { readonly kind: "rows"; readonly traces: readonly TraceBody[] }
  /** Asks for what is complete. */
  | { readonly kind: "take" }
  /** Asks for the rest of the file. */
  | { readonly kind: "end" };

/** Answer to `take` and `end`: the next bytes of the file. */
export interface FromParquetWorker {
  readonly bytes: readonly Uint8Array[];
}
