import type { ExportFormatName } from "../../../api/traces/export-query.js";
import type { TraceBody } from "../../../api/traces/trace.js";
import { csv } from "./csv.js";
import { jsonLines } from "./json-lines.js";
import { parquetExport } from "./parquet-export.js";

export interface ExportFormat {
  readonly contentType: string;
  /** The bytes of a file of these traces, as fast as they are taken. */
  readonly write: (batches: AsyncIterable<readonly TraceBody[]>) => AsyncIterable<Uint8Array>;
}

/** The forms in which traces leave. */
export const EXPORT_FORMATS: Readonly<Record<ExportFormatName, ExportFormat>> = {
  jsonl: { contentType: "application/x-ndjson", write: jsonLines },
  csv: { contentType: "text/csv; charset=utf-8", write: csv },
  parquet: { contentType: "application/vnd.apache.parquet", write: (batches) => parquetExport(batches) },
};
