import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { EXPORT_FORMATS, type ExportFormat, exportTraces } from "../api/traces.js";
import { messageOf, Notice } from "../components/resource.js";
import { apiFilters, inOrder, NEWEST_FIRST, orderIn, type SortOrder, withTail } from "./filters.js";

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

const NAMES: Readonly<Record<ExportFormat, string>> = { jsonl: "JSONL", csv: "CSV" };

/** Saves all traces of the address's filters, whatever page and order are shown, oldest first. */
export function ExportButtons({ query }: { readonly query: URLSearchParams }) {
  const [busy, setBusy] = useState<ExportFormat | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const save = async (format: ExportFormat): Promise<void> => {
    setBusy(format);
    setFault(null);
    const { signal } = leaving.current;
    try {
      saveFile(await exportTraces(format, apiFilters(query, Date.now()), signal), `traces.${format}`);
    } catch (error) {
      if (!signal.aborted) setFault(messageOf(error));
    }
    setBusy(null);
  };
  return (
    <>
      <fieldset class="row">
        <legend class="unseen">Export all that match</legend>
        <span class="muted small" aria-hidden="true">
          Export
        </span>
        {EXPORT_FORMATS.map((format) => (
          <button
            key={format}
            class="button slim"
            type="button"
            disabled={busy !== null}
            onClick={() => void save(format)}
          >
            {busy === format ? "Exporting…" : NAMES[format]}
          </button>
        ))}
      </fieldset>
      {fault !== null && <Notice kind="error">{fault}</Notice>}
    </>
  );
}

function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
