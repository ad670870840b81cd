import type { ComponentChildren } from "preact";
import { ScrollArea } from "./scroll-area.js";
import { Table } from "./table.js";

interface TableFrameProps {
  /** What the table shows, for screen readers. */
  readonly label: string;
  /** `page`: its columns fit into a wide window, so that its head stays in view while the page scrolls. */
  readonly scrolls?: "page" | "itself";
  /** Of the frame. */
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A table in a card. Where it does not fit it scrolls by itself; on narrow screens each row becomes a card. */
export function TableFrame({ label, scrolls = "itself", class: look = "card", children }: TableFrameProps) {
  return (
    <ScrollArea label={label} class={`table-wrap ${scrolls === "page" ? "with-page" : ""} ${look}`}>
      <Table>{children}</Table>
    </ScrollArea>
  );
}
