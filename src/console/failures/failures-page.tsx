import { listKeys } from "../api/keys.js";
import {
  type Cause,
  type CauseList,
  dateFilters,
  fetchCauses,
  limitText,
  listRefusals,
} from "../api/statistics.js";
import { during, RANGE_NAMES, rangeOf, rangeQuery, startOf } from "../charts/ranges.js";
import { Button, Segments } from "../components/controls.js";
import { count, percent, share } from "../components/format.js";
import { Link } from "../components/link.js";
import { PageHead } from "../components/page.js";
import { Loaded, useResource } from "../components/resource.js";
import { KeyLink } from "../components/text.js";
import { useQuery } from "../components/use-query.js";
import { ActivePauses } from "../pauses/active-pauses.js";
import { choicesFor } from "../pauses/pause-choices.js";
import { openPause, pausesChanged, usePauses } from "../pauses/pause-dialog.js";
import { causesWith } from "./cause-facts.js";
import { CauseTable } from "./cause-table.js";

/** What fails and why, how often, since when, and what was rescued; of all requests, or of those of one key. What to do about it is a dialog. */
export function FailuresPage() {
  const [query, change] = useQuery();
  const range = rangeOf(query);
  const key = query.get("key") ?? "";
  const filters = { ...dateFilters(startOf(range, Date.now()), range.endMs), ...(key !== "" && { key }) };
  const causes = useResource(`${range.name} ${key}`, (signal) => fetchCauses(filters, signal));
  const pauses = usePauses();
  return (
    <>
      <PageHead title="Failures" lead={`What went wrong ${during(range)}, cause by cause.`}>
        <Segments
          label="Range"
          values={RANGE_NAMES}
          value={range.name}
          onChange={(value) => change({ range: value, from: null, to: null }, "add")}
        />
        <Button onClick={causes.reload}>Refresh</Button>
      </PageHead>
      {key !== "" && <OfKey id={key} all={`/failures?${rangeQuery(range)}`} />}
      <ActivePauses pauses={pauses.value ?? []} onChanged={pausesChanged} />
      <Refused ofKey={key} />
      <Loaded resource={causes}>{(list) => <Causes list={list} filters={filters} onPause={pause} />}</Loaded>
    </>
  );
}

const pause = (cause: Cause): void =>
  openPause({ choices: choicesFor(cause.model, cause.provider), reason: reasonOf(cause) });

/** What limits and budgets refused in the last day: such requests have no traces, and so no causes. */
function Refused({ ofKey }: { readonly ofKey: string }) {
  const asked = { stepMs: DAY_MS, ...(ofKey !== "" && { key: ofKey }) };
  const { value: refusals = [] } = useResource(`refusals ${ofKey}`, (signal) => listRefusals(asked, signal));
  if (refusals.length === 0) return null;
  const sums = [...Map.groupBy(refusals, limitText)].map(([limit, ones]) => {
    const requests = ones.reduce((sum, one) => sum + one.requests, 0);
    return `${count(requests)} by the limit ${limit}`;
  });
  return (
    <p>
      Refused in 24 hours: {sums.join(", ")} (<Link href="/keys">of which keys</Link>).
    </p>
  );
}

const DAY_MS = 86_400_000;
const MOST_REASON_CHARACTERS = 200;

const reasonOf = ({ code, status, message }: Cause): string =>
  [code, status === null ? "" : `HTTP ${status}`, message ?? ""]
    .filter((part) => part !== "")
    .join(", ")
    .slice(0, MOST_REASON_CHARACTERS);

interface CausesProps {
  readonly list: CauseList;
  /** Those that the causes were asked for with, under the names of the API. */
  readonly filters: Readonly<Record<string, string>>;
  readonly onPause: (cause: Cause) => void;
}

/** Filter and order are in the address. */
function Causes({ list, filters, onPause }: CausesProps) {
  const [query, change] = useQuery();
  const text = query.get("q") ?? "";
  return (
    <>
      <div class="row spread">
        <Totals of={list} />
        <input
          class="input filter"
          type="search"
          aria-label="Part of a cause, model or provider"
          placeholder="Cause, model or provider"
          value={text}
          onInput={(event) => change({ q: event.currentTarget.value })}
        />
      </div>
      <CauseTable causes={causesWith(text, list.data)} filters={filters} onPause={onPause} />
    </>
  );
}

function Totals({
  of: { requests, failed, requests_before, failed_before, data },
}: {
  readonly of: CauseList;
}) {
  const rescued = data.reduce((sum, cause) => sum + cause.rescued, 0);
  return (
    <p>
      <strong class={failed > 0 ? "bad-figure" : ""}>{count(failed)}</strong> of {count(requests)} requests
      failed{requests > 0 && `, ${percent(share(failed, requests))}`}{" "}
      <span class="muted">
        (
        {requests_before === 0
          ? "no requests in the period before"
          : `${percent(share(failed_before, requests_before))} in the period before`}
        )
      </span>
      {rescued > 0 && `; ${count(rescued)} recovered by a retry or a fallback`}.
    </p>
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
