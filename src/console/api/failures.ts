import type { FailuresBody } from "../../gateway/api/traces/failures.js";
import { callList } from "./call.js";

export type { FailuresBody as Failures };

/** @param query filters, as the API takes them */
export const listFailures = (query: URLSearchParams, signal: AbortSignal): Promise<readonly FailuresBody[]> =>
  callList(`/admin/traces/failures?${query}`, signal);
