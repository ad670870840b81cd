import { useEffect, useRef } from "preact/hooks";
import type { TraceList } from "../api/traces.js";
import type { Resource } from "../components/resource.js";

/** Between an answer and the next question; longer for a search in texts, which reads them all. */
export const PAUSE_MS = 2000;
const SEARCH_PAUSE_MS = 10_000;

/** Fetches again and again while the page is in view, one question after the other. @param pauseMs undefined: does not */
export function usePolling(resource: Resource<unknown>, pauseMs: number | undefined): void {
  useEffect(() => {
    if (pauseMs === undefined || resource.isLoading) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = (): void => {
      clearTimeout(timer);
      if (document.visibilityState === "visible") timer = setTimeout(resource.reload, pauseMs);
    };
    document.addEventListener("visibilitychange", wait);
    wait();
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", wait);
    };
  }, [pauseMs, resource]);
}

interface TailOptions {
  readonly isLive: boolean;
  readonly searchesTexts: boolean;
}

/** Fetches a list again while it is live. @returns ids of the traces that came with the last answer */
export function useTail(
  list: Resource<TraceList>,
  { isLive, searchesTexts }: TailOptions,
): ReadonlySet<string> {
  usePolling(list, isLive ? (searchesTexts ? SEARCH_PAUSE_MS : PAUSE_MS) : undefined);
  return useArrived(list.value, isLive);
}

const NONE: ReadonlySet<string> = new Set();

/** Of two lists of the same question after each other, what only the second has. */
function useArrived(list: TraceList | undefined, isLive: boolean): ReadonlySet<string> {
  const last = useRef<{ list?: TraceList | undefined; arrived: ReadonlySet<string> }>({ arrived: NONE });
  if (!isLive || list === undefined) {
    last.current = { list: undefined, arrived: NONE };
  } else if (last.current.list !== list) {
    const before = last.current.list;
    const known = new Set(before?.traces.map(({ request_id: id }) => id));
    const arrived = before === undefined ? [] : list.traces.filter(({ request_id: id }) => !known.has(id));
    last.current = { list, arrived: new Set(arrived.map(({ request_id: id }) => id)) };
  }
  return last.current.arrived;
}
