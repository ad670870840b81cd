import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** Whoever does one of them looks at something else than the place that they came back to. */
const OWN_MOVES = ["wheel", "pointerdown", "keydown"] as const;

/**
 * Opens every further page at its top, with the focus on it: there the keyboard and screen readers go on. A page that the
 * browser goes back or forward to, or loads again, opens where it was left, as soon as it is as long as it was.
 */
export function usePagePlace(location: string, page: RefObject<HTMLElement>): void {
  const last = useRef(location);
  /** Pixels from the top; undefined: the page is where it should be. */
  const wanted = useRef<number | undefined>(placeIn(history.state));
  const restore = (): void => {
    const lowest = document.documentElement.scrollHeight - innerHeight;
    if (wanted.current === undefined || wanted.current > lowest) return;
    scrollTo(0, wanted.current);
    wanted.current = undefined;
  };
  useEffect(() => {
    // The browser scrolls before the page has anything to scroll.
    history.scrollRestoration = "manual";
    const leaving = new AbortController();
    const { signal } = leaving;
    const remember = (): void => {
      if (wanted.current === undefined) history.replaceState({ ...history.state, place: scrollY }, "");
    };
    addEventListener("scrollend", remember, { signal });
    // A click may leave the page before its scrolling has ended.
    addEventListener("click", remember, { signal, capture: true });
    addEventListener(
      "popstate",
      ({ state }) => {
        wanted.current = placeIn(state) ?? 0;
      },
      { signal },
    );
    const giveUp = (): undefined => (wanted.current = undefined);
    for (const move of OWN_MOVES) addEventListener(move, giveUp, { signal });
    const sizes = new ResizeObserver(restore);
    if (page.current !== null) sizes.observe(page.current);
    return () => {
      leaving.abort();
      sizes.disconnect();
    };
  }, []);
  useEffect(() => {
    if (last.current === location) return;
    last.current = location;
    page.current?.focus({ preventScroll: true });
    if (wanted.current === undefined) scrollTo(0, 0);
    else restore();
  }, [location]);
}

function placeIn(state: unknown): number | undefined {
  const place = typeof state === "object" && state !== null && "place" in state ? state.place : undefined;
  return typeof place === "number" ? place : undefined;
}
