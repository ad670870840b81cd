import type { ReplayBody } from "../../gateway/api/traces/replay.js";
import { call } from "./call.js";

export type { ReplayBody as Replay };
export type ReplayReport = ReplayBody["reports"][number];
export type ProfileSet = ReplayBody["available_profiles"][number];

export interface ReplayQuestion {
  /** Milliseconds since the epoch. */
  readonly startMs: number;
  readonly costWeights: readonly number[];
  /** Most requests to read, as the API takes it; null: its default. */
  readonly sample: string | null;
  readonly profiles: ProfileSet;
}

/** What would have been chosen for the requests since then. */
export function replayTraffic(
  { startMs, costWeights, sample, profiles }: ReplayQuestion,
  signal: AbortSignal,
): Promise<ReplayBody> {
  const query = new URLSearchParams({
    start_date: new Date(startMs).toISOString(),
    cost_weight: costWeights.join(),
    ...(sample === null ? {} : { sample }),
    profiles,
  });
  return call(`/admin/traces/replay?${query}`, { signal });
}
