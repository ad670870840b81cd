import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface TableProps {
  readonly class?: string;
  /** A head of one row, and bodies. */
  readonly children: ComponentChildren;
}

/**
 * A table whose cells know the name of their column: where there is no room, each row becomes a card, and each cell shows that
 * name (`styles/tables.css`).
 */
export function Table({ class: look = "", children }: TableProps) {
  const element = useRef<HTMLTableElement>(null);
  useLayoutEffect(() => {
    const table = element.current;
    if (table === null) return;
    const label = (): void => labelCells(table);
    label();
    const changes = new MutationObserver(label);
    changes.observe(table, { childList: true, characterData: true, subtree: true });
    return () => changes.disconnect();
  }, []);
  return (
    <table ref={element} class={`table ${look}`}>
      {children}
    </table>
  );
}

/** Cells whose column has no visible name, and those across several columns, get none. */
function labelCells(table: HTMLTableElement): void {
  const names = [...(table.tHead?.rows[0]?.cells ?? [])].map(visibleText);
  for (const body of table.tBodies) {
    for (const row of body.rows) {
      for (const cell of row.cells) {
        const name = cell.colSpan > 1 ? "" : (names[cell.cellIndex] ?? "");
        if (name === "") delete cell.dataset.label;
        else if (cell.dataset.label !== name) cell.dataset.label = name;
      }
    }
  }
}

/** Without what is for screen readers only, and without signs such as the direction of an order. */
function visibleText(head: HTMLTableCellElement): string {
  const copy = head.cloneNode(true) as HTMLTableCellElement;
  for (const hidden of copy.querySelectorAll(".unseen, [aria-hidden]")) hidden.remove();
  return copy.textContent.trim();
}
