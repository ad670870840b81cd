import type { ComponentChildren } from "preact";
import type { Point, Value } from "../api/statistics.js";
import { type Figures, totalsOf } from "../charts/figures.js";
import { during, type Range, rangeQuery } from "../charts/ranges.js";
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
import { valueTile } from "../value/headline.js";

interface StatCardsProps {
  readonly figures: Figures;
  readonly range: Range;
  /** Undefined while they are on their way, and without any. */
  readonly value: Value | undefined;
}

/** The range in a few figures, each with its change since the period before. Screen readers are told once a minute. */
export function StatCards({ figures: { all, total, before }, range, value }: StatCardsProps) {
  const now = totalsOf(all);
  const last = before ? totalsOf([before]) : undefined;
  const change = (then: number | null | undefined, value: number | null): StatProps["change"] =>
    before === undefined ? "on its way" : changeSince(then, value);
  const stats: readonly StatProps[] = [
    {
      name: "Requests",
      value: shortCount(now.requests),
      note: now.decisions > 0 && `+${shortCount(now.decisions)} routing-only`,
      change: change(last?.requests, now.requests),
    },
    {
      name: "Errors",
      value: shortCount(now.failed),
      note: now.requests > 0 && `${percent(share(now.failed, now.requests))} of requests`,
      more: before === undefined ? SPACE : shareBefore(last && share(last.failed, last.requests)),
      isBad: now.failed > 0,
      href: `/failures?${rangeQuery(range)}`,
    },
    {
      name: "Spend",
      value: dollars(now.costUsd === 0 && now.withoutCost > 0 ? null : now.costUsd),
      note: now.withoutCost === 0 ? "all costs known" : `${count(now.withoutCost)} unpriced`,
      change: change(last?.costUsd, now.costUsd),
    },
    ...[value === undefined ? null : valueTile(value, range)].flatMap((tile) => tile ?? []),
    {
      name: "Tokens",
      value: shortCount(now.tokensIn + now.tokensOut),
      note: `${shortCount(now.tokensIn)} in · ${shortCount(now.tokensOut)} out`,
      change: change(last && last.tokensIn + last.tokensOut, now.tokensIn + now.tokensOut),
    },
    ...TIMES.map(([name, whose, of]) => ({
      name,
      value: duration(of(total)?.p50 ?? null),
      note: `p95 ${duration(of(total)?.p95 ?? null)} · ${whose}`,
      change: change(of(before)?.p50, of(total)?.p50 ?? null),
    })),
  ];
  return (
    <>
      <dl class="stats">
        {stats.map((stat) => (
          <Stat key={stat.name} {...stat} />
        ))}
      </dl>
      <p class="muted small">Change vs previous period.</p>
      <p class="unseen" role="status" aria-live="polite">
        {total === undefined
          ? `No requests ${during(range)}.`
          : `${total.requests} requests ${during(range)}, ${total.errors + total.timeouts} of them failed.`}
      </p>
    </>
  );
}

type Percentiles = (point: Point | null | undefined) => Point["latency_ms"] | undefined;

const TIMES: readonly (readonly [name: string, whose: string, of: Percentiles])[] = [
  ["Latency p50", "answers", (point) => point?.latency_ms],
  ["First token p50", "streamed", (point) => point?.ttft_ms],
];

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
}

const Stat = ({ name, value, note, more, change, isBad = false, href }: StatProps) => (
  <div class={href === undefined ? "card stat" : "card stat linked"}>
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
      {changePercent(change)} <span class="unseen">vs the previous period</span>
    </>
  );
}
