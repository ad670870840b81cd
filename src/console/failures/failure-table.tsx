import { Link } from "wouter-preact";
import type { Failures } from "../api/statistics.js";
import { count } from "../components/format.js";
import { type Column, numeric, TableFrame } from "../components/table.js";
import { Moment, Optional, Plain, TwoLines } from "../components/text.js";

interface FailureTableProps {
  readonly failures: readonly Failures[];
  /** Those that the failures were asked for with, under the names of the API. */
  readonly filters: Readonly<Record<string, string>>;
}

/** Failed requests by error code, model and provider, the most frequent first. */
export function FailureTable({ failures, filters }: FailureTableProps) {
  const error: Column<Failures> = {
    head: "Error",
    look: "tight",
    cell: (group) => (
      <Link href={`/traces?${tracesOf(group, filters)}`} title="Show these requests">
        {codeOf(group)}
      </Link>
    ),
  };
  return (
    <TableFrame
      label="Failed requests"
      columns={[error, ...COLUMNS]}
      rows={failures}
      keyOf={({ error_code: code, model, provider }) => JSON.stringify([code, model, provider])}
      empty={{ title: "No failed requests", text: "Nothing failed in this period." }}
    />
  );
}

const codeOf = ({ error_code: code }: Failures): string => code ?? "unknown";

function tracesOf(
  { error_code, model: model_id, provider }: Failures,
  filters: FailureTableProps["filters"],
): URLSearchParams {
  const traces = new URLSearchParams(filters);
  for (const [name, value] of Object.entries({ error_code, model_id, provider }))
    if (value !== null) traces.set(name, value);
  return traces;
}

const COLUMNS: readonly Column<Failures>[] = [
  numeric("Requests", ({ requests }) => count(requests)),
  {
    head: "Model and provider",
    cell: ({ model, provider }) => (
      <TwoLines below={provider && <Plain text={provider} />}>
        <Optional text={model} none="none" />
      </TwoLines>
    ),
  },
  {
    head: "Last message",
    look: "message",
    cell: ({ provider_status: status, provider_message: said, message }) => (
      <span>
        {status !== null && <span class="pill">HTTP {status}</span>}{" "}
        <Plain text={said ?? message ?? "not recorded"} />
      </span>
    ),
  },
  { head: "First seen", look: "tight", cell: ({ first_seen: at }) => <Moment at={at} /> },
  {
    head: "Last seen",
    look: "tight",
    cell: (group) => (
      <Link href={`/traces/${group.last_request_id}`}>
        <Moment at={group.last_seen} />
        <span class="unseen">, last request with {codeOf(group)}</span>
      </Link>
    ),
  },
];
