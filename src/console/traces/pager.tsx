import type { TraceList } from "../api/traces.js";
import { count } from "../components/format.js";

interface PagerProps {
  readonly list: TraceList;
  readonly offset: number;
  readonly size: number;
  readonly onTurn: (offset: number) => void;
}

export function Pager({ list, offset, size, onTurn }: PagerProps) {
  const end = offset + list.traces.length;
  return (
    <nav class="row pager" aria-label="Pages of traces">
      <span class="muted number" role="status">
        {list.traces.length === 0
          ? count(list.total)
          : `${count(offset + 1)}–${count(end)} of ${count(list.total)}`}
      </span>
      <button class="button slim" type="button" disabled={offset === 0} onClick={() => onTurn(offset - size)}>
        Newer
      </button>
      <button
        class="button slim"
        type="button"
        disabled={!list.has_more}
        onClick={() => onTurn(offset + size)}
      >
        Older
      </button>
    </nav>
  );
}
