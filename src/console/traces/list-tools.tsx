import type { ComponentChildren } from "preact";
import { ExportButtons } from "./export-buttons.js";
import { inOrder, NEWEST_FIRST, orderIn, type SortOrder, withTail } from "./filters.js";

const ORDERS: readonly (SortOrder & { readonly label: string })[] = [
  { ...NEWEST_FIRST, label: "Newest first" },
  { sort: "created_at", order: "asc", label: "Oldest first" },
  { sort: "cost_usd", order: "desc", label: "Most expensive first" },
  { sort: "cost_usd", order: "asc", label: "Cheapest first" },
  { sort: "latency_ms", order: "desc", label: "Slowest first" },
  { sort: "latency_ms", order: "asc", label: "Fastest first" },
  { sort: "tokens_in", order: "desc", label: "Longest prompts first" },
  { sort: "tokens_in", order: "asc", label: "Shortest prompts first" },
  { sort: "tokens_out", order: "desc", label: "Longest answers first" },
  { sort: "tokens_out", order: "asc", label: "Shortest answers first" },
];

interface ListToolsProps {
  readonly query: URLSearchParams;
  readonly onChange: (query: URLSearchParams) => void;
  readonly children: ComponentChildren;
}

/** Above the list: its order, the tail and the export, all of the filters in the address. */
export function ListTools({ query, onChange, children }: ListToolsProps) {
  const isLive = query.has("live");
  const { sort, order } = orderIn(query);
  return (
    <div class="row spread list-tools">
      <div class="row">
        <button
          class="button slim"
          type="button"
          aria-pressed={isLive}
          onClick={() => onChange(withTail(query, !isLive))}
        >
          {isLive ? "Pause live" : "Live"}
        </button>
        <select
          class="input slim"
          aria-label="Order"
          value={`${sort} ${order}`}
          onChange={(event) => {
            const chosen = ORDERS[event.currentTarget.selectedIndex];
            if (chosen !== undefined) onChange(inOrder(query, chosen));
          }}
        >
          {ORDERS.map((choice) => (
            <option
              key={choice.label}
              value={`${choice.sort} ${choice.order}`}
              selected={choice.sort === sort && choice.order === order}
            >
              {choice.label}
            </option>
          ))}
        </select>
        <ExportButtons query={query} />
      </div>
      {children}
    </div>
  );
}
