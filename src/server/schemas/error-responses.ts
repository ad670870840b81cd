import { errorSchema } from "./error.js";

/** The error answers of a route, for its OpenAPI entry. */
export function errorResponses(...statuses: readonly number[]): Record<number, typeof errorSchema> {
  return Object.fromEntries(statuses.map((status) => [status, errorSchema]));
}

/** Those of the routes that run models. */
export const inferenceErrors = errorResponses(400, 401, 403, 404, 413, 415, 429, 500, 502, 503, 504);
