import type { FailuresBody } from "../../gateway/api/traces/failures.js";
import { call } from "./call.js";

export type { FailuresBody as Failures };

/** @param query filters, as the API takes them */
export async function listFailures(
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<readonly FailuresBody[]> {
  const { data } = await call<{ readonly data: readonly FailuresBody[] }>(`/admin/traces/failures?${query}`, {
    signal,
  });
  return data;
}
