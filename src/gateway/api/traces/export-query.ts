import { z } from "zod";
import type { TraceFilter } from "../../traces/store.js";
import { FILTER_PARAMETERS, nameIn, parseTraceFilter, type RawQuery } from "./trace-query.js";

/** Names of the forms in which traces leave; each is also the usual extension of such files. */
export const EXPORT_FORMAT_NAMES = ["jsonl", "csv", "parquet"] as const;

export type ExportFormatName = (typeof EXPORT_FORMAT_NAMES)[number];

/** Parameters for the OpenAPI document alone: `parseExportQuery` checks them. */
export const exportQuerySchema = z.object({
  format: z
    .string()
    .optional()
    .describe(`Form of the file: ${EXPORT_FORMAT_NAMES.join(", ")}. Default: jsonl.`),
  ...FILTER_PARAMETERS,
});

/** What `GET /admin/traces/export` asks for. */
export interface ExportQuery {
  readonly format: ExportFormatName;
  readonly filter: TraceFilter;
}

/**
 * Reads and checks the query string of `GET /admin/traces/export`: the filters of `GET /v1/traces`, and `format`.
 *
 * @throws SextantError `invalid_request` that names the parameter, its value and the remedy
 */
export function parseExportQuery({ format = "jsonl", ...filters }: RawQuery): ExportQuery {
  const filter = parseTraceFilter(filters);
  const fault = (value: string) => `is ${value}, which is none.`;
  return {
    filter,
    format: nameIn(EXPORT_FORMAT_NAMES, [format].flat().join(","), { param: "format", fault }),
  };
}
