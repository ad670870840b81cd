import type { TraceList } from "../api/traces.js";
import { count } from "../components/format.js";

interface PagerProps {
  readonly list: TraceList;
  readonly offset: number;
  readonly size: number;
  readonly onTurn: (offset: number) => void;
}

/** Which of the traces are shown. */
export function PageCount({ list, offset }: Pick<PagerProps, "list" | "offset">) {
  const end = offset + list.traces.length;
  return (
    <span class="muted number" role="status">
      {list.traces.length === 0
        ? count(list.total)
        : `${count(offset + 1)}–${count(end)} of ${count(list.total)}`}
    </span>
  );
}

export function Pager({ list, offset, size, onTurn }: PagerProps) {
  if (offset === 0 && !list.has_more) return null;
  return (
    <nav class="row pager" aria-label="Pages of traces">
      <button class="button slim" type="button" disabled={offset === 0} onClick={() => onTurn(offset - size)}>
        Previous
      </button>
      <button
        class="button slim"
        type="button"
        disabled={!list.has_more}
        onClick={() => onTurn(offset + size)}
      >
        Next
      </button>
    </nav>
  );
}
