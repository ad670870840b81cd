import { z } from "zod";
import { SORT_DIRECTIONS, TRACE_SORTS, type TraceSort } from "../../traces/store.js";
import { nameIn, parseTraceQuery, type RawQuery, type TraceQuery, traceQuerySchema } from "./trace-query.js";

export type { TraceSort };

/** Parameters for the OpenAPI document alone: `parseOperatorQuery` checks them. */
export const operatorQuerySchema = traceQuerySchema.extend({
  sort: z
    .string()
    .optional()
    .describe(`What to order by: ${TRACE_SORTS.join(", ")}. Default: created_at. Unknown figures come last.`),
  order: z
    .string()
    .optional()
    .describe(`${SORT_DIRECTIONS.join(" or ")}; default desc.`),
});

/**
 * Reads and checks the query string of `GET /admin/traces`: that of `GET /v1/traces`, `sort` and `order`.
 *
 * @throws SextantError `invalid_request` that names the parameter, its value and the remedy
 */
export function parseOperatorQuery({ sort, order, ...rest }: RawQuery): TraceQuery {
  const { filter, page } = parseTraceQuery(rest);
  if (sort === undefined && order === undefined) return { filter, page };
  const fault = (value: string) => `is ${value}.`;
  const remedy = "It must be one of";
  const by = nameIn(TRACE_SORTS, [sort ?? "created_at"].flat().join(","), { param: "sort", fault, remedy });
  const direction = nameIn(SORT_DIRECTIONS, [order ?? "desc"].flat().join(","), {
    param: "order",
    fault,
    remedy,
  });
  return { filter, page: { ...page, order: { by, direction } } };
}
