import type { ComponentChildren } from "preact";
import { EXPORT_FORMATS, type ExportFormat, exportTraces } from "../api/traces.js";
import { Button, Select } from "../components/controls.js";
import { Notice, useAction } from "../components/resource.js";
import { saveFile } from "../components/save-file.js";
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
        <Button look="slim" aria-pressed={isLive} onClick={() => onChange(withTail(query, !isLive))}>
          {isLive ? "Pause live" : "Live"}
        </Button>
        <Select
          label="Order"
          labelLook="unseen"
          look="slim"
          options={ORDERS.map((choice) => [`${choice.sort} ${choice.order}`, choice.label])}
          value={`${sort} ${order}`}
          onChange={(value) => {
            const chosen = ORDERS.find((choice) => `${choice.sort} ${choice.order}` === value);
            if (chosen !== undefined) onChange(inOrder(query, chosen));
          }}
        />
        <ExportButtons query={query} />
      </div>
      {children}
    </div>
  );
}

const NAMES: Readonly<Record<ExportFormat, string>> = { jsonl: "JSONL", csv: "CSV" };

/** Saves all traces of the address's filters, whatever page and order are shown, oldest first. */
function ExportButtons({ query }: { readonly query: URLSearchParams }) {
  const { run, running, fault } = useAction(async (signal, format: ExportFormat) =>
    saveFile(await exportTraces(format, apiFilters(query, Date.now()), signal), `traces.${format}`),
  );
  return (
    <>
      <fieldset class="row">
        <legend class="unseen">Export all that match</legend>
        <span class="muted small" aria-hidden="true">
          Export
        </span>
        {EXPORT_FORMATS.map((format) => (
          <Button key={format} look="slim" disabled={running !== undefined} onClick={() => run(format)}>
            {running?.[0] === format ? "Exporting…" : NAMES[format]}
          </Button>
        ))}
      </fieldset>
      {fault !== undefined && <Notice kind="error">{fault}</Notice>}
    </>
  );
}
