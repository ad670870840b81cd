import { useSearchParams } from "wouter-preact";
import { listKeys } from "../api/keys.js";
import { dateFilters, type Failures, listFailures } from "../api/statistics.js";
import { RANGE_NAMES, rangeOf, rangeQuery, startOf } from "../charts/ranges.js";
import { Button, Segments } from "../components/controls.js";
import { count } from "../components/format.js";
import { Link } from "../components/link.js";
import { PageHead } from "../components/page.js";
import { Loaded, useResource } from "../components/resource.js";
import { type Column, numeric, TableFrame } from "../components/table.js";
import { KeyLink, Moment, Optional, Plain, TwoLines } from "../components/text.js";

/** What fails, how often, since when, and what the provider says; of all requests, or of those of one key. */
export function FailuresPage() {
  const [query, setQuery] = useSearchParams();
  const range = rangeOf(query);
  const key = query.get("key") ?? "";
  const filters = { ...dateFilters(startOf(range, Date.now()), range.endMs), ...(key !== "" && { key }) };
  const failures = useResource(`${range.name} ${key}`, (signal) => listFailures(filters, signal));
  return (
    <>
      <PageHead title="Failures" lead={`Failed requests in ${range.spoken}, by error, model and provider.`}>
        <Segments
          label="Range"
          values={RANGE_NAMES}
          value={range.name}
          onChange={(value) => setQuery({ range: value, ...(key !== "" && { key }) }, { replace: true })}
        />
        <Button onClick={failures.reload}>Refresh</Button>
      </PageHead>
      {key !== "" && <OfKey id={key} all={`/failures?${rangeQuery(range)}`} />}
      <Loaded resource={failures}>{(list) => <FailureTable failures={list} filters={filters} />}</Loaded>
    </>
  );
}

interface OfKeyProps {
  readonly id: string;
  /** Where the failures of all keys are. */
  readonly all: string;
}

/** Whose requests are shown. */
function OfKey({ id, all }: OfKeyProps) {
  const keys = useResource("keys", listKeys);
  const name = keys.value?.find((key) => key.id === id)?.name ?? null;
  return (
    <p class="row">
      <span>
        Requests of <KeyLink of={{ id, name }} /> only.
      </span>
      <Link href={all} class="button slim">
        All keys
      </Link>
    </p>
  );
}

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
