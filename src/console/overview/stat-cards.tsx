import type { ComponentChildren } from "preact";
import type { Attention } from "../api/attention.js";
import type { Point, Value } from "../api/statistics.js";
import { chartLines, type Figures, totalsOf } from "../charts/figures.js";
import { during, type Range, rangeQuery, stepsOf } from "../charts/ranges.js";
import {
  changePercent,
  changeSince,
  count,
  dollars,
  duration,
  percent,
  share,
  shortCount,
} from "../components/format.js";
import { Link } from "../components/link.js";
import { Sparkline } from "../components/sparkline.js";
import { valueTile } from "../value/headline.js";

interface StatCardsProps {
  readonly figures: Figures;
  readonly range: Range;
  /** Undefined while they are on their way, and without any. */
  readonly value: Value | undefined;
  readonly attention: Attention | undefined;
}

/** The range in a few figures, each with its change since the period before. Screen readers are told once a minute. */
export function StatCards({ figures, range, value, attention }: StatCardsProps) {
  const { all, total, before, startMs } = figures;
  const steps = stepsOf(startMs, range);
  const series = (figure: (point: Point) => number): readonly number[] =>
    chartLines({ points: all, steps }, [["", 1, figure]])[0]?.values.map((one) => one ?? 0) ?? [];
  const refused = attention?.refusals?.reduce((sum, { requests }) => sum + requests, 0) ?? 0;
  const forecast = attention?.spend?.month_forecast_usd ?? null;
  const now = totalsOf(all);
  const last = before ? totalsOf([before]) : undefined;
  const change = (then: number | null | undefined, value: number | null): StatProps["change"] =>
    before === undefined ? "on its way" : changeSince(then, value);
  const stats: readonly StatProps[] = [
    {
      name: "Requests",
      value: shortCount(now.requests),
      note: `${shortCount(now.tokensIn)} / ${shortCount(now.tokensOut)} tokens`,
      hint: `tokens in / out${now.decisions > 0 ? `; ${shortCount(now.decisions)} routing-only requests beside` : ""}`,
      change: change(last?.requests, now.requests),
      series: series(({ requests, decisions }) => requests - decisions),
    },
    {
      name: "Errors",
      value: shortCount(now.failed),
      note: now.requests > 0 && `${percent(share(now.failed, now.requests))} of requests`,
      more:
        refused > 0
          ? `+${shortCount(refused)} refused in 24 h`
          : before === undefined
            ? SPACE
            : shareBefore(last && share(last.failed, last.requests)),
      isBad: now.failed > 0,
      href: `/failures?${rangeQuery(range)}`,
      series: series(({ errors, timeouts }) => errors + timeouts),
    },
    {
      name: "Spend",
      value: dollars(now.costUsd === 0 && now.withoutCost > 0 ? null : now.costUsd),
      note:
        forecast === null
          ? `today ${dollars(attention?.spend?.day_usd ?? null)}`
          : `month forecast ${dollars(forecast)}`,
      hint:
        now.withoutCost === 0 ? "all costs known" : `${count(now.withoutCost)} requests without a known cost`,
      change: change(last?.costUsd, now.costUsd),
      series: series(({ cost_usd: cost }) => cost),
    },
    ...[value === undefined ? null : valueTile(value, range)].flatMap((tile) => tile ?? []),
    {
      name: "Latency p50",
      value: duration(total?.latency_ms?.p50 ?? null),
      note: `first token ${duration(total?.ttft_ms?.p50 ?? null)}`,
      hint: `p95 ${duration(total?.latency_ms?.p95 ?? null)}; first token p95 ${duration(total?.ttft_ms?.p95 ?? null)}`,
      change: change(before?.latency_ms?.p50, total?.latency_ms?.p50 ?? null),
      series: series((point) => point.latency_ms?.p50 ?? 0),
    },
  ];
  return (
    <>
      <dl class="stats">
        {stats.map((stat) => (
          <Stat key={stat.name} {...stat} />
        ))}
      </dl>
      <p class="unseen" role="status" aria-live="polite">
        {total === undefined
          ? `No requests ${during(range)}.`
          : `${total.requests} requests ${during(range)}, ${total.errors + total.timeouts} of them failed.`}
      </p>
    </>
  );
}

interface StatProps {
  readonly name: string;
  readonly value: string;
  readonly note?: string | false | undefined;
  /** As a share of the period before; null when there is nothing to compare with, undefined when it is not compared. */
  readonly change?: number | "on its way" | null | undefined;
  readonly isBad?: boolean;
  /** In the place of a change. */
  readonly more?: ComponentChildren;
  /** Page that has the details. */
  readonly href?: string;
  readonly hint?: string;
  /** Step by step. */
  readonly series?: readonly number[];
}

const Stat = ({ name, value, note, more, change, isBad = false, href, hint, series }: StatProps) => (
  <div class={href === undefined ? "card stat" : "card stat linked"} title={hint}>
    <dt>
      {href !== undefined ? (
        <Link href={href} class="stat-link">
          {name}
        </Link>
      ) : (
        name
      )}
    </dt>
    <dd class={isBad ? "stat-value bad" : "stat-value"}>{value}</dd>
    <dd class="muted small">{note || SPACE}</dd>
    {more !== undefined && <dd class="small stat-change">{more}</dd>}
    {change !== undefined && <dd class="small stat-change">{changeText(change)}</dd>}
    {series !== undefined && (
      <dd class={isBad ? "" : "calm"}>
        <Sparkline values={series} />
      </dd>
    )}
  </div>
);

const NoEarlier = () => <span class="muted">no earlier data</span>;

const shareBefore = (before: number | null | undefined): ComponentChildren =>
  before == null ? <NoEarlier /> : `${percent(before)} before`;

/** Keeps the line of a text that is not there. */
const SPACE = "\u00a0";

function changeText(change: number | "on its way" | null) {
  if (change === "on its way") return SPACE;
  if (change === null) return <NoEarlier />;
  return (
    <>
      {changePercent(change)} <span class="muted">vs prior period</span>
    </>
  );
}
