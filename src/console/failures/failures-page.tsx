import { listKeys } from "../api/keys.js";
import {
  type Cause,
  type CauseList,
  dateFilters,
  fetchCauses,
  limitText,
  listRefusals,
} from "../api/statistics.js";
import { RANGE_NAMES, rangeOf, rangeQuery, startOf } from "../charts/ranges.js";
import { Button, Segments } from "../components/controls.js";
import { count, percent, share } from "../components/format.js";
import { Link } from "../components/link.js";
import { PageHead } from "../components/page.js";
import { Loaded, useResource } from "../components/resource.js";
import { numeric, TableFrame } from "../components/table.js";
import { KeyLink } from "../components/text.js";
import { TextFilter } from "../components/text-filter.js";
import { useQuery } from "../components/use-query.js";
import { ActivePauses } from "../pauses/active-pauses.js";
import { choicesFor } from "../pauses/pause-choices.js";
import { openPause, usePauses } from "../pauses/pause-dialog.js";
import { causesWith } from "./cause-facts.js";
import { CauseTable } from "./cause-table.js";

/** What fails and why, how often, since when, and what was recovered; of all requests, or of those of one key. What to do about it is a dialog. */
export function FailuresPage() {
  const [query, change] = useQuery();
  const range = rangeOf(query);
  const key = query.get("key") ?? "";
  const filters = { ...dateFilters(startOf(range, Date.now()), range.endMs), ...(key !== "" && { key }) };
  const causes = useResource(`${range.name} ${key}`, (signal) => fetchCauses(filters, signal));
  const pauses = usePauses();
  return (
    <>
      <PageHead title="Failures">
        <Segments
          label="Range"
          values={RANGE_NAMES}
          value={range.name}
          onChange={(value) => change({ range: value, from: null, to: null }, "add")}
        />
        <Button onClick={causes.reload}>Refresh</Button>
      </PageHead>
      {key !== "" && <OfKey id={key} all={`/failures?${rangeQuery(range)}`} />}
      <ActivePauses pauses={pauses.value ?? []} />
      <Loaded resource={causes}>{(list) => <Causes list={list} filters={filters} onPause={pause} />}</Loaded>
      <Refused ofKey={key} />
    </>
  );
}

const pause = (cause: Cause): void =>
  openPause({ choices: choicesFor(cause.model, cause.provider), reason: reasonOf(cause) });

/** What limits and budgets refused in the last day: such requests have no traces, and so no causes. */
function Refused({ ofKey }: { readonly ofKey: string }) {
  const asked = { stepMs: DAY_MS, ...(ofKey !== "" && { key: ofKey }) };
  const { value: refusals = [] } = useResource(`refusals ${ofKey}`, (signal) => listRefusals(asked, signal));
  const rows = [...Map.groupBy(refusals, (one) => `${limitText(one)} ${one.key}`).values()].flatMap(
    ([first, ...more]) =>
      first === undefined
        ? []
        : { ...first, requests: more.reduce((sum, one) => sum + one.requests, first.requests) },
  );
  if (rows.length === 0) return null;
  return (
    <TableFrame
      label="Refused by limits"
      title="Refused by limits and budgets, 24 h"
      ordered="refused"
      columns={[
        {
          head: "Limit",
          values: [{ name: "limit", of: limitText }],
          cell: (one) =>
            one.budget === null ? (
              limitText(one)
            ) : (
              <Link href={`/alerts?${new URLSearchParams({ tab: "budgets", budget: one.budget })}`}>
                {limitText(one)}
              </Link>
            ),
        },
        { head: "Key", cell: ({ key: id, name }) => <KeyLink of={{ id, name }} /> },
        numeric<(typeof rows)[number]>("Requests", ({ requests }) => count(requests), {
          values: [{ name: "requests", of: ({ requests }) => requests }],
        }),
      ]}
      rows={rows.toSorted((left, right) => right.requests - left.requests)}
      keyOf={(one) => `${limitText(one)} ${one.key}`}
    />
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

/** What operators have paused is refused, and does not fail. */
const isPaused = ({ code }: Cause): boolean => code === "model_paused";

/** Filter and order are in the address. */
function Causes({ list, filters, onPause }: CausesProps) {
  const [query] = useQuery();
  const causes = causesWith(query.get("q") ?? "", list.data).filter((cause) => !isPaused(cause));
  return (
    <CauseTable
      title={<Totals of={list} />}
      tools={<TextFilter label="Part of a cause, model or provider" placeholder="Cause, model or provider" />}
      causes={causes}
      filters={filters}
      onPause={onPause}
    />
  );
}

function Totals({
  of: { requests, failed, requests_before, failed_before, data },
}: {
  readonly of: CauseList;
}) {
  const rescued = data.reduce((sum, cause) => sum + cause.rescued, 0);
  const refused = data.filter(isPaused).reduce((sum, cause) => sum + cause.failed, 0);
  const before = share(failed_before, requests_before);
  return (
    <>
      <span class={failed > 0 ? "bad-figure" : ""}>{count(failed)}</span> of {count(requests)} requests failed{" "}
      <span class="muted small">
        {[
          requests > 0 && percent(share(failed, requests)),
          before !== null && `${percent(before)} in the prior period`,
          rescued > 0 && `${count(rescued)} recovered by retry or fallback`,
          refused > 0 && `${count(refused)} refused by a pause`,
        ]
          .filter(Boolean)
          .join(" · ")}
      </span>
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
