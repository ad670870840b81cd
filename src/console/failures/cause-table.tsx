import type { ComponentChildren } from "preact";
import type { Cause } from "../api/statistics.js";
import { Button } from "../components/controls.js";
import { changePercent, changeSince, count, percent } from "../components/format.js";
import { Link } from "../components/link.js";
import { Sparkline } from "../components/sparkline.js";
import { actions, type Column, TableFrame } from "../components/table.js";
import { Moment, Optional, Plain, TwoLines } from "../components/text.js";
import { tracesOfCause } from "./cause-facts.js";

interface CauseTableProps {
  readonly title?: ComponentChildren;
  readonly tools?: ComponentChildren;
  readonly causes: readonly Cause[];
  /** Those that the causes were asked for with, under the names of the API. */
  readonly filters: Readonly<Record<string, string>>;
  /** Opens what can be done about one; left out where nothing is offered. */
  readonly onPause?: (cause: Cause) => void;
}

/** What went wrong, cause by cause. */
export function CauseTable({ causes, filters, onPause, ...head }: CauseTableProps) {
  const columns = [
    causeColumn(filters),
    ...COLUMNS,
    ...(onPause === undefined ? [] : [pauseColumn(onPause)]),
  ];
  return (
    <TableFrame
      {...head}
      label="Causes"
      ordered="causes"
      columns={columns}
      rows={causes}
      keyOf={(cause) =>
        JSON.stringify([cause.code, cause.status, cause.model, cause.provider, cause.message])
      }
      empty={{ title: "No failed requests", text: "Nothing failed in this period." }}
    />
  );
}

/** The code leads to the requests; where none is recorded, to the last one. */
const causeColumn = (filters: CauseTableProps["filters"]): Column<Cause> => ({
  head: "Cause / status / message",
  look: "message",
  values: [
    { name: "code", label: "Cause", of: ({ code }) => code },
    { name: "status", of: ({ status }) => status, label: "status" },
    { name: "message", of: ({ message }) => message, label: "message" },
  ],
  cell: (cause) => (
    <span>
      <Link
        href={
          cause.code === "" ? `/traces/${cause.last_request_id}` : `/traces?${tracesOfCause(cause, filters)}`
        }
        title={cause.code === "" ? "Show the last request" : "Show the requests"}
      >
        {cause.code === "" ? "unknown" : cause.code}
      </Link>{" "}
      {cause.status !== null && <span class="pill">HTTP {cause.status}</span>}
      <small class="cause-text muted">
        <Plain text={beginning(cause.message ?? "no message")} />
      </small>
    </span>
  ),
});

/** Of a message. Its trace has all of it. */
const MOST_CHARACTERS = 160;

const beginning = (text: string): string =>
  text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`;

const COLUMNS: readonly Column<Cause>[] = [
  {
    head: "Model / provider",
    values: [
      { name: "model", label: "Model", of: ({ model }) => model },
      { name: "provider", label: "provider", of: ({ provider }) => provider },
    ],
    cell: ({ model, provider }) => (
      <TwoLines below={provider && <Plain text={provider} />}>
        <Optional text={model} none="none" />
      </TwoLines>
    ),
  },
  {
    head: "Failed",
    kind: "numeric",
    values: [{ name: "failed", of: ({ failed }) => failed }],
    hint: "Requests that failed, and the change since the period before",
    cell: (cause) => (
      <TwoLines below={<Trend now={cause.failed} before={cause.failed_before} />}>
        <span class={cause.failed > 0 ? "bad-figure" : "muted"}>{count(cause.failed)}</span>
      </TwoLines>
    ),
  },
  {
    head: "Recovered",
    kind: "numeric",
    values: [{ name: "rescued", of: ({ rescued }) => rescued }],
    hint: "Requests that a retry or a fallback answered, and the change since the period before",
    cell: (cause) => (
      <TwoLines below={<Trend now={cause.rescued} before={cause.rescued_before} />}>
        <span class={cause.rescued > 0 ? "" : "muted"}>{count(cause.rescued)}</span>
      </TwoLines>
    ),
  },
  {
    head: "Share",
    kind: "numeric",
    values: [{ name: "share", of: ({ share }) => share }],
    hint: "Of the requests in which the model was called",
    cell: ({ share }) => percent(share),
  },
  { head: "Over time", look: "tight", cell: ({ series }) => <Sparkline values={series} /> },
  {
    head: "Last seen",
    look: "tight",
    values: [{ name: "last_seen", of: ({ last_seen: last }) => last }],
    cell: ({ first_seen: first, last_seen: last, last_request_id: id, code }) => (
      <TwoLines
        below={
          <>
            first <Moment at={first} />
          </>
        }
      >
        <Link href={`/traces/${id}`}>
          <Moment at={last} />
          <span class="unseen">, last request with {code}</span>
        </Link>
      </TwoLines>
    ),
  },
];

function Trend({ now, before }: { readonly now: number; readonly before: number }) {
  if (now === 0 && before === 0) return null;
  const change = changeSince(before, now);
  return <>{change === null ? "new" : changePercent(change)}</>;
}

const pauseColumn = (onPause: (cause: Cause) => void): Column<Cause> =>
  actions(
    (cause) =>
      (cause.model ?? cause.provider) !== null && (
        <Button
          look="slim"
          aria-label={`Pause… or redirect ${cause.model ?? cause.provider}`}
          onClick={() => onPause(cause)}
        >
          Pause…
        </Button>
      ),
  );
