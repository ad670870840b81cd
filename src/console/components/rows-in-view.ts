import type { Range, VirtualItem, Virtualizer } from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";

/** Rows up to which all are drawn: a thousand take seconds to lay out, and again at each letter of a filter. */
const MOST_DRAWN = 100;
/** Rows drawn above and below the window, so that the next one takes the focus and fast scrolling finds rows (a guess). */
const AROUND = 12;
/** Height of a row until those that were drawn are known (a guess). */
const ROW_PX = 52;

/** A row to draw, and the height of those between it and the one drawn before. */
interface RowInView {
  readonly at: number;
  readonly gapPx: number;
}

/** Loaded with the first long table: few pages have one. */
let library: typeof import("@tanstack/virtual-core") | undefined;

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
  const [, redraw] = useReducer((turn: number, _: undefined) => turn + 1, 0);
  const rowPx = useRef(ROW_PX);
  const top = useRef(0);
  const rows = useRef<Virtualizer<Window, HTMLTableRowElement>>();
  if (isLong && library !== undefined) {
    const options = {
      ...windowOptions(library, { count, body }),
      estimateSize: () => rowPx.current,
      scrollMargin: top.current,
      onChange: () => redraw(undefined),
    };
    rows.current ??= new library.Virtualizer<Window, HTMLTableRowElement>(options);
    rows.current.setOptions(options);
  }
  const shown = isLong ? rows.current : undefined;
  useEffect(() => {
    if (!isLong || library !== undefined) return;
    void import("@tanstack/virtual-core").then((loaded) => {
      library = loaded;
      redraw(undefined);
    });
  }, [isLong]);
  useLayoutEffect(() => shown?._didMount(), [shown]);
  useLayoutEffect(() => shown?._willUpdate());
  const measureTable = (): void => {
    if (!isLong || body.current === null) return;
    // What scrolls within a frame is drawn whole: the window does not say which of it is in view.
    const frame = body.current.closest(".scrolls");
    if (frame !== null && getComputedStyle(frame).maxHeight !== "none") setWhole(true);
    const { top: topPx } = body.current.getBoundingClientRect();
    top.current = topPx + scrollY;
    const drawn = [...body.current.querySelectorAll<HTMLElement>("[data-index]")];
    const heightPx = drawn.reduce((sum, row) => sum + row.offsetHeight, 0);
    if (drawn.length > 0) rowPx.current = heightPx / drawn.length;
    shown?.measure();
  };
  useLayoutEffect(() => {
    measureTable();
    // On a narrow window rows are cards, below more of what stands above them.
    addEventListener("resize", measureTable);
    return () => removeEventListener("resize", measureTable);
  }, [isLong, shown]);
  useBeforeFind(isLong, () => setWhole(true));
  if (!isLong) return { drawn: undefined, restPx: 0, measure: () => {} };
  if (shown === undefined) {
    const first = Math.min(MOST_DRAWN, Math.ceil(innerHeight / ROW_PX) + AROUND);
    const drawn = Array.from({ length: first }, (_, at) => ({ at, gapPx: 0 }));
    return { drawn, restPx: (count - first) * ROW_PX, measure: () => {} };
  }
  const items = shown.getVirtualItems();
  return {
    drawn: items.map(({ index, start }, at) => ({ at: index, gapPx: start - endOf(items[at - 1], top) })),
    restPx: shown.getTotalSize() + top.current - endOf(items.at(-1), top),
    measure: shown.measureElement,
  };
}

const endOf = (item: VirtualItem | undefined, top: { readonly current: number }): number =>
  item?.end ?? top.current;

interface Body {
  readonly count: number;
  readonly body: RefObject<HTMLTableSectionElement>;
}

/** The page scrolls; the row with the focus stays, so that the keyboard goes on from there. */
const windowOptions = (
  {
    defaultRangeExtractor,
    observeWindowOffset,
    observeWindowRect,
    windowScroll,
  }: NonNullable<typeof library>,
  { count, body }: Body,
) => ({
  count,
  overscan: AROUND,
  getScrollElement: () => window,
  initialRect: { width: innerWidth, height: innerHeight },
  initialOffset: () => scrollY,
  observeElementRect: observeWindowRect,
  observeElementOffset: observeWindowOffset,
  scrollToFn: windowScroll,
  rangeExtractor: (range: Range) => {
    const focused = Number(body.current?.querySelector<HTMLElement>("tr:focus-within")?.dataset.index);
    const drawn = defaultRangeExtractor(range);
    // A filter may have left fewer rows than that.
    return focused < count ? [...new Set([...drawn, focused])].sort((left, right) => left - right) : drawn;
  },
});

/** Calls back before the browser searches or prints the page, which finds only what is drawn. */
function useBeforeFind(isWatched: boolean, drawAll: () => void): void {
  useEffect(() => {
    if (!isWatched) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    const beforeFind = ({ key, ctrlKey, metaKey }: KeyboardEvent): void => {
      if ((ctrlKey || metaKey) && key.toLowerCase() === "f") drawAll();
    };
    addEventListener("keydown", beforeFind, { signal });
    addEventListener("beforeprint", drawAll, { signal });
    return () => leaving.abort();
  }, [isWatched]);
}
