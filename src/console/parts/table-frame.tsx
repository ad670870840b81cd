import type { ComponentChildren } from "preact";

interface TableFrameProps {
  /** What the table shows, for screen readers. */
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A table that scrolls by itself where the window is narrow; its head stays in view. */
export function TableFrame({ label, children }: TableFrameProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="card table-wrap" aria-label={label} tabIndex={0}>
      <table class="table">{children}</table>
    </section>
  );
}
