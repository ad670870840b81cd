import { DIMENSION_FILTERS, type Dimension, dateFilters, type Point } from "../api/statistics.js";
import type { Figures } from "../charts/figures.js";
import type { Range } from "../charts/ranges.js";
import { count, dollarsAlike, durationsAlike, percent, share, shortCount } from "../components/format.js";
import { Link } from "../components/link.js";
import { type Column, cellOf, numeric, TableFrame } from "../components/table.js";
import { Plain } from "../components/text.js";

interface BreakdownProps {
  readonly figures: Figures;
  readonly by: Dimension;
  /** What a value of the dimension is called. */
  readonly nameOf: (group: string) => string;
  readonly range: Range;
}

/** The whole range by model, provider, source or key; each leads to its traces. */
export function Breakdown({ figures: { totals, startMs }, by, nameOf, range: { endMs } }: BreakdownProps) {
  if (totals.length === 0) return null;
  const times = dateFilters(startMs, endMs);
  const name: Column<Point> = {
    head: by.slice(0, 1).toUpperCase() + by.slice(1),
    look: "clip",
    cell: ({ group }) =>
      group === null ? (
        <span class="muted">none</span>
      ) : (
        <Link href={`/traces?${new URLSearchParams({ [DIMENSION_FILTERS[by]]: group, ...times })}`}>
          <Plain text={nameOf(group)} />
        </Link>
      ),
  };
  return (
    <TableFrame
      label={`Figures by ${by}`}
      scrolls="page"
      columns={[name, ...figuresOf(totals)]}
      rows={totals.toSorted((left, right) => right.requests - left.requests)}
      keyOf={({ group }) => group ?? ""}
    />
  );
}

function figuresOf(totals: readonly Point[]): readonly Column<Point>[] {
  const spend = cellOf(dollarsAlike, totals, ({ cost_usd: cost }) => cost);
  return [
    numeric("Requests", ({ requests, decisions }) => (
      <>
        {count(requests - decisions)}
        {decisions > 0 && <span class="muted small under">+{count(decisions)} routing-only</span>}
      </>
    )),
    numeric("Failed", (row) => percent(share(row.errors + row.timeouts, row.requests - row.decisions))),
    numeric("Spend", (row) => (
      <>
        {spend(row)}
        {row.requests_without_cost > 0 && (
          <span class="muted small under" title="Requests whose cost is not known">
            {count(row.requests_without_cost)} unpriced
          </span>
        )}
      </>
    )),
    numeric("Tokens in / out", (row) => `${shortCount(row.tokens_in)} / ${shortCount(row.tokens_out)}`),
    numeric(
      "Latency p50 / p95",
      percentilesOf(totals, ({ latency_ms: ms }) => ms),
    ),
    numeric(
      "First token p50 / p95",
      percentilesOf(totals, ({ ttft_ms: ms }) => ms),
    ),
  ];
}

function percentilesOf(totals: readonly Point[], of: (row: Point) => Point["latency_ms"]) {
  const format = durationsAlike(totals.flatMap((row) => [of(row)?.p50 ?? null, of(row)?.p95 ?? null]));
  return (row: Point): string => `${format(of(row)?.p50 ?? null)} / ${format(of(row)?.p95 ?? null)}`;
}
