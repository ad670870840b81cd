import { useSearchParams } from "wouter-preact";
import { listFailures } from "../api/failures.js";
import { Loaded } from "../components/loaded.js";
import { Segments } from "../components/segments.js";
import { useResource } from "../components/use-resource.js";
import { PageHead } from "../layout/page-head.js";
import { RANGE_NAMES, rangeOf, timeFilters } from "../overview/ranges.js";
import { FailureTable } from "./failure-table.js";

/** What fails, how often, since when, and what the provider says. */
export function FailuresPage() {
  const [query, setQuery] = useSearchParams();
  const range = rangeOf(query);
  const filters = timeFilters(range, Date.now());
  const failures = useResource(range.name, (signal) => listFailures(new URLSearchParams(filters), signal));
  return (
    <>
      <PageHead title="Failures" lead={`Failed requests in ${range.spoken}, by error, model and provider.`}>
        <Segments
          label="Range"
          name="range"
          values={RANGE_NAMES}
          value={range.name}
          onChange={(value) => setQuery({ range: value }, { replace: true })}
        />
        <button class="button" type="button" onClick={failures.reload}>
          Refresh
        </button>
      </PageHead>
      <Loaded resource={failures}>{(list) => <FailureTable failures={list} filters={filters} />}</Loaded>
    </>
  );
}
