import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** Opens every further page at its top, with the focus on it: there the keyboard and screen readers go on. */
export function usePageStart(location: string, page: RefObject<HTMLElement>): void {
  const last = useRef(location);
  useEffect(() => {
    if (last.current === location) return;
    last.current = location;
    page.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [location]);
}
