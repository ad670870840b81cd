import { type Failures, listFailures } from "../api/failures.js";
import { type Key, listKeys } from "../api/keys.js";
import { listRefusals, type Refusal } from "../api/refusals.js";
import { fetchSeries, type Point } from "../api/series.js";
import { startOf } from "../overview/ranges.js";

const HOUR_MS = 3_600_000;
/** What the charts of a key show; steps are whole ones of the epoch, as those of refusals are. */
export const KEY_RANGE = { lengthMs: 24 * HOUR_MS, stepMs: HOUR_MS / 3 };

export interface KeyDetail {
  /** Undefined when there is no such key. */
  readonly key: Key | undefined;
  readonly startMs: number;
  readonly refusals: readonly Refusal[];
  /** Undefined while traces cannot be asked. */
  readonly points: readonly Point[] | undefined;
  readonly failures: readonly Failures[] | undefined;
}

export async function loadKey(id: string, signal: AbortSignal): Promise<KeyDetail> {
  const { stepMs } = KEY_RANGE;
  const startMs = startOf(KEY_RANGE, Date.now());
  const filters = new URLSearchParams({ key: id, start_date: new Date(startMs).toISOString() });
  const [keys, refusals, points, failures] = await Promise.all([
    listKeys(signal),
    listRefusals({ key: id, stepMs }, signal),
    fetchSeries({ startMs, stepMs, key: id }, signal).catch(() => undefined),
    listFailures(filters, signal).catch(() => undefined),
  ]);
  return { key: keys.find((key) => key.id === id), startMs, refusals, points, failures };
}
