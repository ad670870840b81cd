import { Link, useSearchParams } from "wouter-preact";
import { listKeys } from "../api/keys.js";
import { listFailures } from "../api/statistics.js";
import { RANGE_NAMES, rangeOf, rangeQuery, timeFilters } from "../charts/ranges.js";
import { Segments } from "../components/controls.js";
import { PageHead } from "../components/page.js";
import { Loaded, useResource } from "../components/resource.js";
import { KeyLink } from "../components/text.js";
import { FailureTable } from "./failure-table.js";

/** What fails, how often, since when, and what the provider says; of all requests, or of those of one key. */
export function FailuresPage() {
  const [query, setQuery] = useSearchParams();
  const range = rangeOf(query);
  const key = query.get("key") ?? "";
  const filters = { ...timeFilters(range, Date.now()), ...(key !== "" && { key }) };
  const failures = useResource(`${range.name} ${key}`, (signal) =>
    listFailures(new URLSearchParams(filters), signal),
  );
  return (
    <>
      <PageHead title="Failures" lead={`Failed requests in ${range.spoken}, by error, model and provider.`}>
        <Segments
          label="Range"
          name="range"
          values={RANGE_NAMES}
          value={range.name}
          onChange={(value) => setQuery({ range: value, ...(key !== "" && { key }) }, { replace: true })}
        />
        <button class="button" type="button" onClick={failures.reload}>
          Refresh
        </button>
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
