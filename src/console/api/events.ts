import type { EventBody } from "../../gateway/features/events/schema.js";
import { type ApiCallOptions, callList } from "./call.js";

export type { EventBody as AdminEvent };

/** What operators did, the newest first. @param query as the API takes it */
export const listEvents = (
  query: Exclude<ApiCallOptions["query"], undefined>,
  signal: AbortSignal,
): Promise<readonly EventBody[]> => callList("/admin/events", { query, signal });
