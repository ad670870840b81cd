import type { AttentionBody } from "../../gateway/features/alerts/attention-schema.js";
import { call } from "./call.js";

export type { AttentionBody as Attention };

/** What needs an operator now. */
export const fetchAttention = (signal: AbortSignal): Promise<AttentionBody> =>
  call("/admin/attention", { signal });
