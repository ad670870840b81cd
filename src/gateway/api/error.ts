import { z } from "zod";
import { ERROR_CODES, type ErrorCode } from "../../foundation/errors.js";

const CODES = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];

/** The one error body, API §1. Some codes add members at the top level. */
export const errorSchema = z.looseObject({
  error: z.object({
    message: z.string().describe("What was wrong, with which value, and what to do."),
    type: z.string(),
    code: z.enum(CODES),
    param: z.string().nullable().describe("Path of the field at fault."),
  }),
  request_id: z.string(),
});

/** The error answers of a route, for its OpenAPI entry. */
export function errorResponses(...statuses: readonly number[]): Record<number, typeof errorSchema> {
  return Object.fromEntries(statuses.map((status) => [status, errorSchema]));
}

/** Those of the routes that run models. */
export const inferenceErrors = errorResponses(400, 401, 403, 404, 413, 415, 429, 500, 502, 503, 504);
