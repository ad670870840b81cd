import {
  defaultRangeExtractor,
  observeWindowOffset,
  observeWindowRect,
  type VirtualItem,
  Virtualizer,
  windowScroll,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";

/** Rows up to which all are drawn: a thousand take seconds to lay out, and again at each letter of a filter. */
const MOST_DRAWN = 100;
/** Rows drawn above and below the window, so that the next one takes the focus and fast scrolling finds rows (a guess). */
const AROUND = 12;
/** Height of a row until those that were drawn are known (a guess). */
const ROW_PX = 52;

/** A row to draw, and the height of those between it and the one drawn before. */
export interface RowInView {
  readonly at: number;
  readonly gapPx: number;
}

export interface RowsInView {
  /** Undefined: all. */
  readonly drawn: readonly RowInView[] | undefined;
  /** Height of those after the last that is drawn. */
  readonly restPx: number;
  /** Of each row that is drawn. */
  readonly measure: (row: HTMLTableRowElement | null) => void;
}

/**
 * Which rows of a table to draw: all of a short one, of a long one those near the window and the one with the focus. Before the
 * browser searches the page (Ctrl+F) or prints it, all are drawn, and stay.
 */
export function useRowsInView(count: number, body: RefObject<HTMLTableSectionElement>): RowsInView {
  const [isWhole, setWhole] = useState(false);
  const isLong = count > MOST_DRAWN && !isWhole;
  const [, redraw] = useReducer((turn: number) => turn + 1, 0);
  const rowPx = useRef(ROW_PX);
  const top = useRef(0);
  const options = {
    count,
    enabled: isLong,
    getScrollElement: () => window,
    estimateSize: () => rowPx.current,
    overscan: AROUND,
    scrollMargin: top.current,
    initialRect: { width: innerWidth, height: innerHeight },
    initialOffset: () => scrollY,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) => {
      const focused = body.current?.querySelector<HTMLElement>("tr:focus-within")?.dataset.index;
      const drawn = defaultRangeExtractor(range);
      return focused === undefined ? drawn : [...new Set([...drawn, Number(focused)])].sort((a, b) => a - b);
    },
    onChange: redraw as () => void,
  };
  const [rows] = useState(() => new Virtualizer<Window, HTMLTableRowElement>(options));
  rows.setOptions(options);
  useLayoutEffect(() => rows._didMount(), []);
  useLayoutEffect(() => rows._willUpdate());
  useLayoutEffect(() => {
    if (!isLong || body.current === null) return;
    // What scrolls within a frame is drawn whole: the window does not say which of it is in view.
    const frame = body.current.closest(".scrolls");
    if (frame !== null && getComputedStyle(frame).maxHeight !== "none") setWhole(true);
    const { top: topPx } = body.current.getBoundingClientRect();
    top.current = topPx + scrollY;
    const drawn = [...body.current.querySelectorAll<HTMLElement>("[data-index]")];
    const heightPx = drawn.reduce((sum, row) => sum + row.offsetHeight, 0);
    if (drawn.length > 0) rowPx.current = heightPx / drawn.length;
    rows.measure();
  }, [isLong]);
  useEffect(() => {
    if (!isLong) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    const drawAll = (): void => setWhole(true);
    const beforeFind = ({ key, ctrlKey, metaKey }: KeyboardEvent): void => {
      if ((ctrlKey || metaKey) && key.toLowerCase() === "f") drawAll();
    };
    addEventListener("keydown", beforeFind, { signal });
    addEventListener("beforeprint", drawAll, { signal });
    return () => leaving.abort();
  }, [isLong]);
  if (!isLong) return { drawn: undefined, restPx: 0, measure: () => {} };
  const items = rows.getVirtualItems();
  return {
    drawn: items.map(({ index, start }, at) => ({ at: index, gapPx: start - endOf(items[at - 1], top) })),
    restPx: rows.getTotalSize() + top.current - endOf(items.at(-1), top),
    measure: rows.measureElement,
  };
}

const endOf = (item: VirtualItem | undefined, top: { readonly current: number }): number =>
  item?.end ?? top.current;
