import { type AdminEvent, listEvents } from "../api/events.js";
import { type Key, listKeys, spendByKey } from "../api/keys.js";
import {
  type Cause,
  dateFilters,
  fetchCauses,
  fetchSeries,
  listRefusals,
  type Point,
  type Refusal,
} from "../api/statistics.js";
import { type Range, rangeNamed, startOf } from "../charts/ranges.js";
import type { KeySummary } from "./key-facts.js";

const DAY_MS = 86_400_000;
/** How far back the last error of a key is looked for: as far as the page of failures goes. */
export const ERRORS_RANGE = "30d";

/** All keys, newest first. Without traces there is neither spend nor a last error, but all the rest. */
export async function loadKeys(signal: AbortSignal): Promise<readonly KeySummary[]> {
  const [keys, refusals, spend] = await Promise.all([
    listKeys(signal, { errorsSinceMs: Date.now() - rangeNamed(ERRORS_RANGE).lengthMs }),
    listRefusals({ stepMs: DAY_MS }, signal),
    spendByKey(Date.now(), signal).catch(() => undefined),
  ]);
  return keys.map((key) => ({
    key,
    spendUsd: spend === undefined ? null : (spend.get(key.id) ?? 0),
    refused: refusals
      .filter((refusal) => refusal.key === key.id)
      .reduce((sum, { requests }) => sum + requests, 0),
  }));
}

/** Of a key's usage, unless the address names another. */
export const KEY_RANGE = "24h";

const HOUR_MS = 3_600_000;
/** What is kept of refusals; steps are whole ones of the epoch, as theirs are. */
export const REFUSALS_RANGE = { lengthMs: 24 * HOUR_MS, stepMs: HOUR_MS / 3 };

export interface KeyDetail {
  /** Undefined when there is no such key. */
  readonly key: Key | undefined;
  /** Of the last 24 hours. */
  readonly refusals: readonly Refusal[];
  readonly range: Range;
  readonly startMs: number;
  /** Of the range, step by step; undefined while traces cannot be asked. */
  readonly points: readonly Point[] | undefined;
  /** The whole range by model. */
  readonly models: readonly Point[] | undefined;
  readonly causes: readonly Cause[] | undefined;
  /** What operators did to it, the newest first. */
  readonly events: readonly AdminEvent[];
}

export async function loadKey(id: string, range: Range, signal: AbortSignal): Promise<KeyDetail> {
  const { stepMs, lengthMs } = range;
  const startMs = startOf(range, Date.now());
  const of = { startMs, key: id };
  const [keys, refusals, points, models, causes, events] = await Promise.all([
    listKeys(signal),
    listRefusals({ key: id, stepMs: REFUSALS_RANGE.stepMs }, signal),
    fetchSeries({ ...of, stepMs }, signal).catch(() => undefined),
    // Longer than the range may be, where the clock changes.
    fetchSeries({ ...of, stepMs: 2 * lengthMs, by: "model" }, signal).catch(() => undefined),
    fetchCauses({ key: id, ...dateFilters(startMs) }, signal).catch(() => undefined),
    listEvents({ target: id }, signal).catch(() => []),
  ]);
  const key = keys.find((one) => one.id === id);
  return { key, refusals, range, startMs, points, models, causes: causes?.data, events };
}
