import { Link } from "wouter-preact";
import { DIMENSION_FILTERS, type Dimension } from "../api/series.js";
import { count, dollars, duration, percent, share, shortCount } from "../components/format.js";
import { Plain } from "../components/plain.js";
import { TableFrame } from "../components/table-frame.js";
import type { Figures } from "./figures.js";
import type { Range } from "./ranges.js";

interface BreakdownProps {
  readonly figures: Figures;
  readonly by: Dimension;
  /** What a value of the dimension is called. */
  readonly nameOf: (group: string) => string;
  readonly range: Range;
}

/** The whole range by model, provider, source or key; each leads to its traces. */
export function Breakdown({ figures: { totals, startMs }, by, nameOf, range: { endMs } }: BreakdownProps) {
  const rows = totals.toSorted((left, right) => right.requests - left.requests);
  if (rows.length === 0) return null;
  const times = {
    start_date: new Date(startMs).toISOString(),
    ...(endMs === undefined ? {} : { end_date: new Date(endMs).toISOString() }),
  };
  return (
    <TableFrame label={`Figures by ${by}`} scrolls="page">
      <thead>
        <tr>
          <th scope="col">{by.slice(0, 1).toUpperCase() + by.slice(1)}</th>
          <th scope="col" class="right">
            Requests
          </th>
          <th scope="col" class="right">
            Failed
          </th>
          <th scope="col" class="right">
            Spend
          </th>
          <th scope="col" class="right">
            Tokens in / out
          </th>
          <th scope="col" class="right">
            Latency p50 / p95
          </th>
          <th scope="col" class="right">
            First token p50 / p95
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.group ?? ""}>
            <th scope="row" class="clip">
              {row.group === null ? (
                <span class="muted">none</span>
              ) : (
                <Link
                  href={`/traces?${new URLSearchParams({ [DIMENSION_FILTERS[by]]: row.group, ...times })}`}
                >
                  <Plain text={nameOf(row.group)} />
                </Link>
              )}
            </th>
            <td class="right">
              {count(row.requests - row.decisions)}
              {row.decisions > 0 && <span class="muted small under">and {count(row.decisions)} decided</span>}
            </td>
            <td class="right">{percent(share(row.errors + row.timeouts, row.requests - row.decisions))}</td>
            <td class="right">
              {dollars(row.cost_usd)}
              {row.requests_without_cost > 0 && (
                <span class="muted small under" title="Requests whose cost is not known">
                  and {count(row.requests_without_cost)} unknown
                </span>
              )}
            </td>
            <td class="right">
              {shortCount(row.tokens_in)} / {shortCount(row.tokens_out)}
            </td>
            <td class="right">
              {duration(row.latency_ms?.p50 ?? null)} / {duration(row.latency_ms?.p95 ?? null)}
            </td>
            <td class="right">
              {duration(row.ttft_ms?.p50 ?? null)} / {duration(row.ttft_ms?.p95 ?? null)}
            </td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}
