import type { Sort } from "../api/names.js";
import type { TraceSummary } from "../api/traces.js";
import { count, dollars, duration } from "../components/format.js";
import { Link } from "../components/link.js";
import { type Column, TableFrame } from "../components/table.js";
import { KeyLink, Moment, Optional, Plain, TwoLines } from "../components/text.js";
import type { SortOrder } from "./filters.js";
import { StatusPill } from "./status-pill.js";

interface TraceTableProps {
  readonly traces: readonly TraceSummary[];
  readonly isFiltered: boolean;
  readonly order: SortOrder;
  /** Ids of those that have just come. */
  readonly arrived: ReadonlySet<string>;
  readonly onSort: (order: SortOrder) => void;
}

export const TracesTable = ({ traces, isFiltered, order, arrived, onSort }: TraceTableProps) => (
  <TableFrame
    label="Traces"
    scrolls="page"
    columns={COLUMNS}
    rows={traces}
    keyOf={({ request_id: id }) => id}
    lookOf={({ request_id: id }) => (arrived.has(id) ? "arrived" : "")}
    sorting={order}
    onSort={onSort}
    empty={
      isFiltered
        ? { title: "No matching traces", text: "No traces match all filters; remove one." }
        : {
            title: "No requests yet",
            text: "Send one with one of your keys; it appears here within seconds.",
          }
    }
  />
);

/** Breaks after underscores alone. */
const Code = ({ text }: { readonly text: string }) => (
  <>
    {text.split(/(?<=_)/).map((part, at) => (
      <span key={`${at}`}>
        {at > 0 && <wbr />}
        {part}
      </span>
    ))}
  </>
);

/** Decisions that were not executed are no answers of a router. */
const kindText = ({ kind, status, tokens_in: tokens }: TraceSummary): string =>
  kind === "router" && status === "success" && tokens === null ? "decision" : kind;

const COLUMNS: readonly Column<TraceSummary, Sort>[] = [
  {
    head: "Request",
    sorts: [{ by: "created_at", label: "Request" }],
    look: "tight",
    cell: ({ request_id: id, created_at: at }) => (
      <>
        <Link href={`/traces/${id}`} class="mono" title={id}>
          …{id.slice(-8)}
          <span class="unseen">, details</span>
        </Link>
        <small class="muted when">
          <Moment at={at} shows="time" />
        </small>
      </>
    ),
  },
  {
    head: "Status",
    cell: ({ status, error_code: code }) => (
      <TwoLines below={code && <Code text={code} />} look="error-code">
        <StatusPill status={status} />
      </TwoLines>
    ),
  },
  { head: "Kind", look: "tight", cell: (trace) => kindText(trace) },
  {
    head: "Prompt",
    look: "clip prompt-start",
    cell: ({ input_start: start }) => (
      <span class="prompt-lines">
        <Optional text={start} />
      </span>
    ),
  },
  {
    head: "Key and source",
    look: "clip",
    cell: ({ api_key: key, source }) => (
      <TwoLines below={<Plain text={source} />}>
        <KeyLink of={key} />
      </TwoLines>
    ),
  },
  {
    head: "Model and provider",
    look: "clip",
    cell: ({ model, provider }) => (
      <TwoLines below={provider && <Plain text={provider} />}>
        <Optional text={model} />
      </TwoLines>
    ),
  },
  {
    head: "Tokens in / out",
    kind: "numeric",
    sorts: [
      { by: "tokens_in", label: "Tokens in" },
      { by: "tokens_out", label: "out" },
    ],
    cell: (trace) => `${count(trace.tokens_in)} / ${count(trace.tokens_out)}`,
  },
  {
    head: "Cost",
    kind: "numeric",
    sorts: [{ by: "cost_usd", label: "Cost" }],
    cell: ({ cost_usd: cost }) => dollars(cost),
  },
  {
    head: "Latency",
    kind: "numeric",
    sorts: [{ by: "latency_ms", label: "Latency" }],
    cell: ({ latency_ms: ms }) => duration(ms),
  },
];
