import type { ComparisonBody } from "../../gateway/features/comparisons/schema.js";
import { callList } from "./call.js";

export type { ComparisonBody as Comparison };

/** What answers compared blind say so far; empty where the settings have none. */
export const listComparisons = (signal: AbortSignal): Promise<readonly ComparisonBody[]> =>
  callList<ComparisonBody>("/admin/comparisons", { signal });
