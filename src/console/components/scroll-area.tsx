import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface ScrollAreaProps {
  /** What it holds, for screen readers. */
  readonly label: string;
  readonly class?: string;
  /** One element, which may change its size. */
  readonly children: ComponentChildren;
}

/** A part of the page that scrolls by itself where it must: then it fades out where there is more, and takes the focus. */
export function ScrollArea({ label, class: look = "", children }: ScrollAreaProps) {
  const element = useRef<HTMLElement>(null);
  const edges = useScrollEdges(element);
  return (
    <section
      ref={element}
      class={`scrolls ${look}`}
      aria-label={label}
      data-more={edges}
      tabIndex={edges === "" ? undefined : 0}
    >
      {children}
    </section>
  );
}

type Edge = "left" | "right" | "top" | "bottom";

/** Less is rounding: positions of scrolling are fractions of a pixel. */
const LEAST_HIDDEN_PX = 2;

/**
 * Where an element that scrolls has more than is in view, as it is scrolled and as it or its contents change their size.
 *
 * @returns names of edges with spaces between them, empty while all of it is in view: the value of `data-more` in
 *   `styles/scrolling.css`
 */
function useScrollEdges(element: RefObject<HTMLElement>): string {
  const [edges, setEdges] = useState("");
  useEffect(() => {
    const scrolled = element.current;
    if (scrolled === null) return;
    const measure = (): void => setEdges(hiddenEdges(scrolled).join(" "));
    const sizes = new ResizeObserver(measure);
    sizes.observe(scrolled);
    for (const child of scrolled.children) sizes.observe(child);
    scrolled.addEventListener("scroll", measure, { passive: true });
    return () => {
      sizes.disconnect();
      scrolled.removeEventListener("scroll", measure);
    };
  }, [element]);
  return edges;
}

function hiddenEdges(element: HTMLElement): readonly Edge[] {
  const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = element;
  const hidden: Readonly<Record<Edge, number>> = {
    left: scrollLeft,
    right: scrollWidth - clientWidth - scrollLeft,
    top: scrollTop,
    bottom: scrollHeight - clientHeight - scrollTop,
  };
  return (["left", "right", "top", "bottom"] as const).filter((edge) => hidden[edge] >= LEAST_HIDDEN_PX);
}
