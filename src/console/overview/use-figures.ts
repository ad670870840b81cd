import { useLayoutEffect, useState } from "preact/hooks";
import type { Dimension } from "../api/dimensions.js";
import { fetchSeries, type Point } from "../api/statistics.js";
import { type Figures, withNewer } from "../charts/figures.js";
import { type Range, shifted, startOf, timeZoneOf, ZONE } from "../charts/ranges.js";
import { faultText } from "../components/resource.js";

const PAUSE_MS = 5000;
/** Percentiles of a whole range cannot be put together from those of its steps: they are asked for now and then. */
const WHOLE_EVERY_MS = 60_000;
/** What arrived before may still change a little: traces are written after the request. */
const UNSETTLED_STEPS = 2;

export interface LiveFigures {
  readonly figures: Figures | undefined;
  readonly fault: string | undefined;
}

/**
 * The figures of a range, kept up to date: every few seconds the last steps, every minute everything. Nothing is asked while
 * the page is not in view.
 */
export function useFigures(range: Range, by: Dimension): LiveFigures {
  const [live, setLive] = useState<LiveFigures & { readonly of?: string }>({
    figures: undefined,
    fault: undefined,
  });
  const key = `${range.name} ${range.lengthMs} ${by}`;
  // Not an effect, which would only begin after the next frame.
  useLayoutEffect(() => {
    const leaving = new AbortController();
    let figures: Figures | undefined;
    let wholeAtMs = Number.NEGATIVE_INFINITY;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isOver = (): boolean => range.endMs !== undefined && figures !== undefined;
    const show = (now: Figures): void => {
      figures = now;
      setLive({ of: key, figures, fault: undefined });
    };
    const round = async (): Promise<void> => {
      clearTimeout(timer);
      if (document.visibilityState === "visible") {
        try {
          if (figures === undefined || performance.now() - wholeAtMs > WHOLE_EVERY_MS) {
            wholeAtMs = performance.now();
            // What it is compared with is shown when it is there.
            const [, before] = await Promise.all([
              whole(range, by, leaving.signal).then((now) => show({ ...now, before: figures?.before })),
              periodBefore(range, leaving.signal),
            ]);
            if (figures !== undefined) show({ ...figures, before });
          } else {
            show(await latest(figures, { range, by }, leaving.signal));
          }
        } catch (fault) {
          if (leaving.signal.aborted) return;
          setLive({ of: key, figures, fault: faultText(fault) });
        }
      }
      // A part of time that was chosen is over: it is asked for again only when that failed.
      if (!isOver() && !leaving.signal.aborted) timer = setTimeout(() => void round(), PAUSE_MS);
    };
    const look = (): void => void (document.visibilityState === "visible" && !isOver() && round());
    document.addEventListener("visibilitychange", look);
    void round();
    return () => {
      leaving.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [key]);
  return live.of === key ? live : { figures: undefined, fault: undefined };
}

async function whole(range: Range, by: Dimension, signal: AbortSignal): Promise<Omit<Figures, "before">> {
  const { stepMs, lengthMs, endMs } = range;
  const startMs = startOf(range, Date.now());
  const timeZone = timeZoneOf(range);
  const stepByStep = { startMs, stepMs, endMs, timeZone };
  // Longer than the range may be, where the clock changes.
  const whole = { startMs, stepMs: 2 * lengthMs, endMs };
  const [all, split, [total], totals] = await Promise.all([
    fetchSeries(stepByStep, signal),
    fetchSeries({ ...stepByStep, by, percentiles: "none" }, signal),
    fetchSeries(whole, signal),
    fetchSeries({ ...whole, by, timeZone: by === "day" ? ZONE : undefined }, signal),
  ]);
  return { startMs, stepMs, all, split, total, totals };
}

/** In one step; null when nothing happened in it. */
async function periodBefore(range: Range, signal: AbortSignal): Promise<Point | null> {
  const { lengthMs } = range;
  const endMs = startOf(range, Date.now());
  const startMs = shifted(endMs, -lengthMs, range);
  const [before] = await fetchSeries({ startMs, stepMs: 2 * lengthMs, endMs }, signal);
  return before ?? null;
}

async function latest(
  before: Figures,
  { range, by }: { readonly range: Range; readonly by: Dimension },
  signal: AbortSignal,
): Promise<Figures> {
  const { stepMs, lengthMs } = range;
  const startMs = startOf(range, Date.now());
  const fromMs = Math.max(startMs, shifted(startMs, lengthMs - UNSETTLED_STEPS * stepMs, range));
  const timeZone = timeZoneOf(range);
  const [all, split] = await Promise.all([
    fetchSeries({ startMs: fromMs, stepMs, timeZone }, signal),
    fetchSeries({ startMs: fromMs, stepMs, timeZone, by, percentiles: "none" }, signal),
  ]);
  return {
    ...before,
    startMs,
    all: withNewer(before.all, all, { startMs, fromMs }),
    split: withNewer(before.split, split, { startMs, fromMs }),
  };
}
