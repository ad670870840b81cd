import { useLayoutEffect, useState } from "preact/hooks";
import type { Dimension } from "../api/dimensions.js";
import type { Figures } from "../charts/figures.js";
import type { Range } from "../charts/ranges.js";
import { faultText } from "../components/resource.js";
import { fetchBefore, fetchFigures, fetchNewer } from "./fetch-figures.js";

const PAUSE_MS = 5000;
/** Percentiles of a whole range cannot be put together from those of its steps: they are asked for now and then. */
const WHOLE_EVERY_MS = 60_000;

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
              fetchFigures(range, by, leaving.signal).then((now) =>
                show({ ...now, before: figures?.before }),
              ),
              fetchBefore(range, leaving.signal),
            ]);
            if (figures !== undefined) show({ ...figures, before });
          } else {
            show(await fetchNewer(figures, { range, by }, leaving.signal));
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
