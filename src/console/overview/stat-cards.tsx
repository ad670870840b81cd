import { Link } from "wouter-preact";
import type { Savings } from "../api/statistics.js";
import { type Figures, sumsOf } from "../charts/figures.js";
import { type Range, rangeQuery } from "../charts/ranges.js";
import {
  changePercent,
  changeSince,
  count,
  dollars,
  duration,
  percent,
  share,
  shortCount,
  UNKNOWN,
} from "../components/format.js";

interface StatCardsProps {
  readonly figures: Figures;
  readonly range: Range;
  /** Undefined while they are on their way, and without any. */
  readonly savings: Savings | undefined;
}

/** The range in a few figures, each with its change since the period before. Screen readers are told once a minute. */
export function StatCards({ figures: { all, total, before }, range, savings }: StatCardsProps) {
  const now = sumsOf(all);
  const last = before ? sumsOf([before]) : undefined;
  const change = (then: number | null | undefined, value: number | null) =>
    before === undefined ? "on its way" : changeSince(then, value);
  const p50 = total?.latency_ms?.p50 ?? null;
  const ttft = total?.ttft_ms?.p50 ?? null;
  return (
    <>
      <dl class="stats">
        <Stat
          name="Requests"
          value={shortCount(now.requests)}
          note={now.decisions === 0 ? undefined : `+${shortCount(now.decisions)} routing-only`}
          change={change(last?.requests, now.requests)}
        />
        <Stat
          name="Errors"
          value={shortCount(now.failed)}
          note={now.requests === 0 ? undefined : `${percent(share(now.failed, now.requests))} of requests`}
          change={change(last?.failed, now.failed)}
          isBad={now.failed > 0}
          href={`/failures?${rangeQuery(range)}`}
        />
        <Stat
          name="Spend"
          value={dollars(now.costUsd)}
          note={now.withoutCost === 0 ? "all costs known" : `${count(now.withoutCost)} unpriced`}
          change={change(last?.costUsd, now.costUsd)}
        />
        <Stat
          name="Estimated savings"
          value={savings?.best ? dollars(savings.best.saved_usd.value) : UNKNOWN}
          note={
            savings === undefined
              ? undefined
              : savings.best === null
                ? "no routed requests"
                : "vs always the top-quality model"
          }
          href="/router?view=past+traffic"
        />
        <Stat
          name="Tokens"
          value={shortCount(now.tokensIn + now.tokensOut)}
          note={`${shortCount(now.tokensIn)} in · ${shortCount(now.tokensOut)} out`}
          change={change(last && last.tokensIn + last.tokensOut, now.tokensIn + now.tokensOut)}
        />
        <Stat
          name="Latency p50"
          value={duration(p50)}
          note={`p95 ${duration(total?.latency_ms?.p95 ?? null)}`}
          change={change(before?.latency_ms?.p50, p50)}
        />
        <Stat
          name="First token p50"
          value={duration(ttft)}
          note={`p95 ${duration(total?.ttft_ms?.p95 ?? null)}`}
          change={change(before?.ttft_ms?.p50, ttft)}
        />
      </dl>
      <p class="muted small">Change vs previous period.</p>
      <p class="unseen" role="status" aria-live="polite">
        {total === undefined
          ? `No requests in ${range.spoken}.`
          : `${total.requests} requests in ${range.spoken}, ${total.errors + total.timeouts} of them failed.`}
      </p>
    </>
  );
}

interface StatProps {
  readonly name: string;
  readonly value: string;
  readonly note?: string | undefined;
  /** As a share of the period before; null when there is nothing to compare with, undefined when it is not compared. */
  readonly change?: number | "on its way" | null;
  readonly isBad?: boolean;
  /** Page that has the details. */
  readonly href?: string | undefined;
}

function Stat({ name, value, note, change, isBad = false, href }: StatProps) {
  return (
    <div class={href === undefined ? "card stat" : "card stat linked"}>
      <dt>
        {href === undefined ? (
          name
        ) : (
          <Link href={href} class="stat-link">
            {name}
          </Link>
        )}
      </dt>
      <dd class={isBad ? "stat-value bad" : "stat-value"}>{value}</dd>
      <dd class="muted small">{note ?? "\u00a0"}</dd>
      {change !== undefined && (
        <dd class="small stat-change">
          {change === "on its way" ? (
            "\u00a0"
          ) : change === null ? (
            <span class="muted">no earlier data</span>
          ) : (
            <>
              {changePercent(change)} <span class="unseen">vs the previous period</span>
            </>
          )}
        </dd>
      )}
    </div>
  );
}
