import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { useScrollEdges } from "./use-scroll-edges.js";

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
