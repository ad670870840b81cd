import { type Dimension, dimensionTitle, filterOf } from "../api/dimensions.js";
import { dateFilters, type Point } from "../api/statistics.js";
import { count, dollars, duration, percent, share, shortCount } from "../components/format.js";
import { Link } from "../components/link.js";
import { type Column, numeric, TableFrame } from "../components/table.js";
import { Plain } from "../components/text.js";
import type { Figures } from "./figures.js";
import { bySpend } from "./groups.js";
import { type Range, shifted } from "./ranges.js";

interface BreakdownProps {
  readonly figures: Pick<Figures, "totals" | "startMs">;
  readonly by: Dimension;
  /** What a value of the dimension is called. */
  readonly nameOf: (group: string) => string;
  readonly range: Range;
  /** Those that the figures were asked for with, beside the range. */
  readonly filters?: Readonly<Record<string, string>>;
}

/** The whole range by a dimension; each value leads to its traces, where a filter finds them. The most expensive come first. */
export function Breakdown({
  figures: { totals, startMs },
  by,
  nameOf,
  range,
  filters: given = {},
}: BreakdownProps) {
  if (totals.length === 0) return null;
  const title = dimensionTitle(by);
  const times = dateFilters(startMs, range.endMs);
  const filtersOf = (group: string): Readonly<Record<string, string>> | undefined => {
    if (by === "day") return { ...dayFilters(group), ...given };
    const filter = filterOf(by);
    return filter === null ? undefined : { [filter]: group, ...times, ...given };
  };
  const name: Column<Point> = {
    head: title.slice(0, 1).toUpperCase() + title.slice(1),
    look: "clip",
    values: [{ name: title, of: ({ group }) => group && nameOf(group) }],
    cell: ({ group }) => {
      if (group === null) return <span class="muted">none</span>;
      const filters = filtersOf(group);
      const text = <Plain text={nameOf(group)} />;
      return filters === undefined ? (
        text
      ) : (
        <Link href={`/traces?${new URLSearchParams(filters)}`}>{text}</Link>
      );
    },
  };
  return (
    <TableFrame
      title={`By ${title}`}
      label={`Figures by ${title}`}
      scrolls="page"
      ordered="sort"
      columns={[name, ...figuresOf()]}
      rows={by === "day" ? totals : bySpend(totals)}
      keyOf={({ group }) => group ?? ""}
    />
  );
}

const DAY_MS = 86_400_000;

/** A day of the calendar here. */
function dayFilters(day: string): Readonly<Record<string, string>> {
  const startMs = new Date(`${day}T00:00`).getTime();
  return dateFilters(startMs, shifted(startMs, DAY_MS, { stepMs: DAY_MS }));
}

const answered = ({ requests, decisions }: Point): number => requests - decisions;
const failedShare = (row: Point): number | null => share(row.errors + row.timeouts, answered(row));

/** Null where no cost is known. */
const knownCost = ({ cost_usd: cost, requests_without_cost: unpriced }: Point): number | null =>
  cost === 0 && unpriced > 0 ? null : cost;

function figuresOf(): readonly Column<Point>[] {
  return [
    numeric(
      "Requests",
      (row) => (
        <>
          {count(answered(row))}
          {row.decisions > 0 && <span class="muted small under">+{count(row.decisions)} routing-only</span>}
        </>
      ),
      { values: [{ name: "requests", of: answered }] },
    ),
    numeric("Failed", (row) => percent(failedShare(row)), { values: [{ name: "failed", of: failedShare }] }),
    numeric(
      "Spend",
      (row) => (
        <>
          {dollars(knownCost(row))}
          {row.requests_without_cost > 0 && (
            <span class="muted small under" title="Requests whose cost is not known">
              {count(row.requests_without_cost)} unpriced
            </span>
          )}
        </>
      ),
      { values: [{ name: "spend", of: knownCost }] },
    ),
    numeric("Tokens in / out", (row) => `${shortCount(row.tokens_in)} / ${shortCount(row.tokens_out)}`, {
      values: [
        { name: "tokens_in", label: "Tokens in", of: (row) => row.tokens_in },
        { name: "tokens_out", label: "out", of: (row) => row.tokens_out },
      ],
    }),
    percentiles({ head: "Latency", name: "latency_ms", of: (row) => row.latency_ms }),
    percentiles({ head: "First token", name: "first_token_ms", of: (row) => row.ttft_ms }),
  ];
}

interface Percentiles {
  readonly head: string;
  readonly name: string;
  readonly of: (row: Point) => Point["latency_ms"];
}

const percentiles = ({ head, name, of }: Percentiles): Column<Point> =>
  numeric(
    `${head} p50 / p95`,
    (row) => `${duration(of(row)?.p50 ?? null)} / ${duration(of(row)?.p95 ?? null)}`,
    {
      values: [
        { name: `${name}_p50`, label: `${head} p50`, of: (row) => of(row)?.p50 ?? null },
        { name: `${name}_p95`, label: "p95", of: (row) => of(row)?.p95 ?? null },
      ],
    },
  );
