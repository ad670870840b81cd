import { errorSchema } from "./error.js";

/** The error answers of a route, for its OpenAPI entry. */
export function errorResponses(...statuses: readonly number[]): Record<number, typeof errorSchema> {
  return Object.fromEntries(statuses.map((status) => [status, errorSchema]));
}
