import { Link } from "wouter-preact";
import { dollars, duration, percent, share, shortCount } from "../components/format.js";
import type { Figures } from "./figures.js";
import type { Range } from "./ranges.js";

interface StatCardsProps {
  readonly figures: Figures;
  readonly range: Range;
}

/** The range in a few figures. Screen readers are told of them once a minute, not with each request. */
export function StatCards({ figures: { all, total }, range }: StatCardsProps) {
  const sum = (figure: (point: (typeof all)[number]) => number): number =>
    all.reduce((before, point) => before + figure(point), 0);
  const requests = sum((point) => point.requests);
  const failed = sum(({ errors, timeouts }) => errors + timeouts);
  return (
    <>
      <dl class="stats">
        <Stat name="Requests" value={shortCount(requests)} />
        <Stat
          name="Errors"
          value={shortCount(failed)}
          note={requests === 0 ? undefined : `${percent(share(failed, requests))} of requests`}
          isBad={failed > 0}
          href={`/failures?range=${range.name}`}
        />
        <Stat name="Spend" value={dollars(sum((point) => point.cost_usd))} note="known costs" />
        <Stat
          name="Tokens"
          value={shortCount(sum((point) => point.tokens_in + point.tokens_out))}
          note={`${shortCount(sum((point) => point.tokens_in))} in · ${shortCount(sum((point) => point.tokens_out))} out`}
        />
        <Stat
          name="Latency p50"
          value={duration(total?.latency_ms.p50 ?? null)}
          note={`p95 ${duration(total?.latency_ms.p95 ?? null)}`}
        />
        <Stat
          name="First token p50"
          value={duration(total?.ttft_ms?.p50 ?? null)}
          note={`p95 ${duration(total?.ttft_ms?.p95 ?? null)}`}
        />
      </dl>
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
  readonly isBad?: boolean;
  /** Page that has the details. */
  readonly href?: string;
}

function Stat({ name, value, note, isBad = false, href }: StatProps) {
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
    </div>
  );
}
