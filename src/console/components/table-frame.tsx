import type { ComponentChildren } from "preact";

interface TableFrameProps {
  /** What the table shows, for screen readers. */
  readonly label: string;
  /** `page`: its columns always fit into a wide window, so that its head stays in view while the page scrolls. */
  readonly scrolls?: "page" | "itself";
  /** On narrow screens each row becomes a card; its cells then need the name of their column in `data-label`. */
  readonly narrow?: "scrolls" | "cards";
  readonly children: ComponentChildren;
}

/** A table in a card. Where it does not fit it scrolls by itself. */
export function TableFrame({ label, scrolls = "itself", narrow = "scrolls", children }: TableFrameProps) {
  const look = scrolls === "page" ? "card table-wrap with-page" : "card table-wrap";
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class={look} aria-label={label} tabIndex={0}>
      <table class={narrow === "cards" ? "table cards" : "table"}>{children}</table>
    </section>
  );
}
