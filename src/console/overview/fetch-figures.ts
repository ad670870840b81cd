import type { Dimension } from "../api/dimensions.js";
import { fetchSeries, type Point } from "../api/statistics.js";
import { type Figures, withNewer } from "../charts/figures.js";
import { MOST_GROUPS } from "../charts/groups.js";
import { countableFrom, type Range, shifted, startOf } from "../charts/ranges.js";

/** What arrived before may still change a little: traces are written after the request. */
const UNSETTLED_STEPS = 2;

/** More than are shown: of equal ones, sums that are added in another order may put another one first. */
const MOST_SPLIT = 2 * MOST_GROUPS;

/** The whole range, by steps and in one, of all requests and by the dimension: without the period before. */
export async function fetchFigures(
  range: Range,
  by: Dimension,
  signal: AbortSignal,
): Promise<Omit<Figures, "before">> {
  const { stepMs, lengthMs, endMs } = range;
  const startMs = startOf(range, Date.now());
  const stepByStep = { startMs, stepMs, endMs };
  // Longer than the range may be, where the clock changes.
  const whole = { startMs, stepMs: 2 * lengthMs, endMs };
  const [all, split, [total], totals] = await Promise.all([
    fetchSeries(stepByStep, signal),
    fetchSeries({ ...stepByStep, by, top: MOST_SPLIT, percentiles: "none" }, signal),
    fetchSeries(whole, signal),
    fetchSeries({ ...whole, by }, signal),
  ]);
  return { startMs, stepMs, all, split, total, totals };
}

/** The period of the same length before, in one step; null when nothing happened in it. */
export async function fetchBefore(range: Range, signal: AbortSignal): Promise<Point | null> {
  const { lengthMs } = range;
  const endMs = startOf(range, Date.now());
  const startMs = shifted(endMs, -lengthMs, range);
  const [before] = await fetchSeries({ startMs, stepMs: 2 * lengthMs, endMs }, signal);
  return before ?? null;
}

/** The figures with the last steps as they are now. */
export async function fetchNewer(
  before: Figures,
  { range, by }: { readonly range: Range; readonly by: Dimension },
  signal: AbortSignal,
): Promise<Figures> {
  const { stepMs, lengthMs } = range;
  const startMs = startOf(range, Date.now());
  const unsettledMs = shifted(startMs, lengthMs - UNSETTLED_STEPS * stepMs, range);
  const fromMs = Math.max(startMs, countableFrom(unsettledMs, range));
  const [all, split] = await Promise.all([
    fetchSeries({ startMs: fromMs, stepMs }, signal),
    fetchSeries({ startMs: fromMs, stepMs, by, percentiles: "none" }, signal),
  ]);
  return {
    ...before,
    startMs,
    all: withNewer(before.all, all, { startMs, fromMs }),
    split: withNewer(before.split, split, { startMs, fromMs }),
  };
}
