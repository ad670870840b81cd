import type { RefusalBody } from "../../gateway/api/refusals.js";
import { callList } from "./call.js";

export type { RefusalBody as Refusal };

interface RefusalQuestion {
  /** Id of a key; all of them when left out. */
  readonly key?: string;
  /** A multiple of a minute. */
  readonly stepMs: number;
}

/** Requests that limits refused in the last 24 hours. */
export function listRefusals(
  { key, stepMs }: RefusalQuestion,
  signal: AbortSignal,
): Promise<readonly RefusalBody[]> {
  const query = new URLSearchParams({ step: String(stepMs / 1000), ...(key === undefined ? {} : { key }) });
  return callList(`/admin/refusals?${query}`, signal);
}
