import { SextantError } from "../../../foundation/errors.js";
import { nearestName } from "../../../foundation/nearest-name.js";
import type { TraceFilter } from "../../../traces/store.js";
import { parseTraceQuery, type RawQuery } from "../../../traces/trace-query.js";
import { EXPORT_FORMAT_NAMES, type ExportFormatName } from "../../schemas/export-formats.js";
import { refusePaging } from "../../schemas/stats-query.js";

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
  refusePaging(filters);
  return { format: formatOf([format].flat().join(",")), filter: parseTraceQuery(filters).filter };
}

function formatOf(given: string): ExportFormatName {
  const format = EXPORT_FORMAT_NAMES.find((name) => name === given);
  if (format !== undefined) return format;
  const typed = given.slice(0, 40);
  const nearest = nearestName(typed, EXPORT_FORMAT_NAMES);
  const remedy =
    nearest === undefined ? `Known are ${EXPORT_FORMAT_NAMES.join(", ")}.` : `Did you mean "${nearest}"?`;
  throw new SextantError(
    "invalid_request",
    `\`format\` is ${JSON.stringify(typed)}, which is none. ${remedy}`,
    {
      param: "format",
    },
  );
}
