import type { Sort } from "../api/names.js";
import type { TraceSummary } from "../api/traces.js";
import { count, dollars, duration } from "../components/format.js";
import { Link } from "../components/link.js";
import { type Column, TableFrame } from "../components/table.js";
import { KeyLink, Moment, Optional, Plain } from "../components/text.js";
import { conversationOf } from "./conversation-tag.js";
import { METADATA, type SortOrder } from "./filters.js";
import { StatusDot } from "./status-pill.js";
import { COLUMN_NAMES, type ColumnName } from "./table-view.js";

interface TraceTableProps {
  readonly rows: readonly Row[];
  /** Beside time and prompt. */
  readonly columns: readonly string[];
  readonly isFiltered: boolean;
  readonly order: SortOrder;
  /** Ids of those that have just come. */
  readonly arrived: ReadonlySet<string>;
  /** Id of the one that is shown beside the list. */
  readonly open: string | null;
  readonly onOpen: (id: string) => void;
  readonly onSort: (order: SortOrder) => void;
}

export function TracesTable({
  rows,
  columns,
  isFiltered,
  order,
  arrived,
  open,
  onOpen,
  onSort,
}: TraceTableProps) {
  return (
    <TableFrame
      label="Traces"
      class="traces"
      scrolls="page"
      columns={[TIME, promptColumn(open, onOpen), ...columns.map(columnOf)]}
      rows={rows}
      keyOf={({ trace }) => trace.request_id}
      lookOf={({ trace: { request_id: id } }) =>
        `${arrived.has(id) ? "arrived" : ""} ${id === open ? "open" : ""}`
      }
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
}

interface Row {
  readonly trace: TraceSummary;
  /** Requests of its conversation that this row stands for. */
  readonly turns: number;
}

const TIME: Column<Row, Sort> = {
  head: "Time",
  sorts: [{ by: "created_at", label: "Time" }],
  look: "tight",
  cell: ({ trace: { request_id: id, created_at: at, status, error_code: code } }) => (
    <>
      <StatusDot status={status} code={code} />
      <Link href={`/traces/${id}`} title={id}>
        <Moment at={at} shows="time" />
        <span class="unseen">, details</span>
      </Link>
    </>
  ),
};

/** Opens a trace beside the list. */
const promptColumn = (open: string | null, onOpen: (id: string) => void): Column<Row, Sort> => ({
  head: "Prompt",
  look: "prompt-start",
  cell: ({ trace, turns }) => (
    <span class="prompt-line">
      <button
        class="peek"
        type="button"
        aria-expanded={trace.request_id === open}
        onClick={() => onOpen(trace.request_id)}
      >
        <Optional text={trace.input_start} none={decisionText(trace)} />
      </button>
      {turns > 1 && (
        <Link class="pill" href={`/conversation?${conversationOf(trace.metadata)}`}>
          {turns} turns
        </Link>
      )}
    </span>
  ),
});

/** Decisions that were not executed are no answers of a router. */
const decisionText = ({ kind, status, tokens_in: tokens }: TraceSummary): string =>
  kind === "router" && status === "success" && tokens === null ? "decision" : "not stored";

const clipped = (textOf: (trace: TraceSummary) => string | null): Omit<Column<Row, Sort>, "head"> => ({
  look: "clip",
  titleOf: ({ trace }) => textOf(trace) ?? "",
  cell: ({ trace }) => <Optional text={textOf(trace)} />,
});

const figure = (by: Sort, textOf: (trace: TraceSummary) => string, label: string) => ({
  kind: "numeric" as const,
  sorts: [{ by, label }],
  cell: ({ trace }: Row) => textOf(trace),
});

const CHOICES: Readonly<Record<ColumnName, Omit<Column<Row, Sort>, "head">>> = {
  model: clipped(({ model }) => model),
  requested: clipped((trace) => trace.requested_model),
  provider: clipped(({ provider }) => provider),
  key: { look: "clip", cell: ({ trace }) => <KeyLink of={trace.api_key} /> },
  source: clipped(({ source }) => source),
  kind: { look: "tight", cell: ({ trace }) => trace.kind },
  error: clipped((trace) => trace.error_code),
  tokens_in: figure("tokens_in", (trace) => count(trace.tokens_in), COLUMN_NAMES.tokens_in),
  tokens_out: figure("tokens_out", (trace) => count(trace.tokens_out), COLUMN_NAMES.tokens_out),
  cost: figure("cost_usd", (trace) => dollars(trace.cost_usd), COLUMN_NAMES.cost),
  latency: figure("latency_ms", (trace) => duration(trace.latency_ms), COLUMN_NAMES.latency),
};

function columnOf(name: string): Column<Row, Sort> {
  if (!name.startsWith(METADATA)) {
    const known = name as ColumnName;
    return { head: COLUMN_NAMES[known], ...CHOICES[known] };
  }
  const key = name.slice(METADATA.length);
  return {
    head: key,
    look: "clip",
    cell: ({ trace: { metadata } }) =>
      Object.hasOwn(metadata, key) ? <Plain text={String(metadata[key])} /> : <span class="muted">–</span>,
  };
}
