import type { Key } from "../api/keys.js";
import { fetchSeries } from "../api/statistics.js";
import { shifted } from "../charts/ranges.js";
import { TimeChart } from "../charts/time-chart.js";
import { Form } from "../components/controls.js";
import { dollars, type Interval, intervalText, shortDollars } from "../components/format.js";
import { Section } from "../components/page.js";
import { Loaded, useResource } from "../components/resource.js";
import { useQuery } from "../components/use-query.js";
import { type DaySpend, FORECAST_DAYS, forecastOf } from "./forecast.js";

const DAY = { stepMs: 86_400_000 };

interface Month {
  /** Each day of the month, with what was spent on it; days to come have nothing. */
  readonly days: readonly DaySpend[];
  /** How many of them have started. */
  readonly daysSoFar: number;
  readonly forecast: Interval | null;
}

/** The month so far, what it will have cost, and what it may. */
export function MonthSpend({ keys }: { readonly keys: readonly Key[] | undefined }) {
  const [query, change] = useQuery();
  const month = useResource(new Date().toDateString(), loadMonth);
  const limits = limitsOf(keys ?? []);
  const given = Number(query.get("budget") || Number.NaN);
  const budget = given > 0 ? given : limits;
  return (
    <Section
      title="Spend this month"
      aside={
        <Form class="row" onSubmit={(form) => change({ budget: String(form.get("budget") ?? "") })}>
          <label class="row small">
            <span class="muted">Budget, $ a month</span>
            <input
              class="input narrow"
              name="budget"
              type="number"
              min="0"
              step="any"
              defaultValue={query.get("budget") ?? ""}
              placeholder={limits === null ? "none" : String(limits)}
              onChange={(event) => change({ budget: event.currentTarget.value })}
            />
          </label>
        </Form>
      }
    >
      <Loaded resource={month}>
        {(value) => (
          <>
            <p>{monthText(value, budget)}</p>
            <MonthChart month={value} budget={budget} />
            <p class="muted small">
              The forecast assumes that each remaining day costs as much as the mean working day or weekend
              day of the last {FORECAST_DAYS} days, with recent days weighted more. Its 95% interval covers
              how much such days vary, not a change in usage.
              {given > 0 || limits === null
                ? ""
                : " The budget is that of all keys that may ask, which count months in UTC."}
            </p>
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** What all keys that work may spend in a month together; null where one of them has no limit. */
function limitsOf(keys: readonly Key[]): number | null {
  const able = keys.filter(
    ({ revoked_at: revoked, expires_at: expires, scopes }) =>
      revoked === null &&
      (expires === null || Date.parse(expires) > Date.now()) &&
      scopes.some((scope) => scope === "inference" || scope === "admin"),
  );
  const limits = able.map(({ use }) => use.usd_per_month?.limit ?? null);
  return limits.length === 0
    ? null
    : limits.reduce((sum, limit) => (sum === null || limit === null ? null : sum + limit));
}

async function loadMonth(signal: AbortSignal): Promise<Month> {
  const now = new Date();
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const first = new Date(now.getFullYear(), now.getMonth(), 1).getTime();
  const startMs = Math.min(first, shifted(today, -FORECAST_DAYS * DAY.stepMs, DAY));
  const points = await fetchSeries({ startMs, ...DAY, percentiles: "none" }, signal);
  const spent = new Map(points.map(({ start, cost_usd: usd }) => [Date.parse(start), usd]));
  const daysFrom = (fromMs: number, untilMs: number): readonly DaySpend[] => {
    const days: DaySpend[] = [];
    for (let at = fromMs; at < untilMs; at = shifted(at, DAY.stepMs, DAY))
      days.push({ startMs: at, usd: spent.get(at) ?? 0 });
    return days;
  };
  const next = new Date(now.getFullYear(), now.getMonth() + 1, 1).getTime();
  const days = daysFrom(first, next);
  const soFar = days.filter(({ startMs: at }) => at <= today);
  // Days before the first request say nothing of what is usual.
  const oldest = Math.min(...spent.keys());
  const past = daysFrom(startMs, today).filter(({ startMs: at }) => at >= oldest);
  const spentUsd = soFar.reduce((sum, { usd }) => sum + usd, 0);
  const coming = days.filter(({ startMs: at }) => at >= today);
  return { days, daysSoFar: soFar.length, forecast: forecastOf({ past, spentUsd, coming }) };
}

const spentIn = ({ days }: Month): number => days.reduce((sum, { usd }) => sum + usd, 0);

function monthText(month: Month, budget: number | null): string {
  const { forecast } = month;
  const spent = `${dollars(spentIn(month))} so far.`;
  const share =
    budget === null
      ? ""
      : ` Of a budget of ${dollars(budget)}, ${dollars(Math.max(0, budget - spentIn(month)))} is left.`;
  if (forecast === null) return `${spent}${share} A forecast needs a week of requests.`;
  const interval = `Forecast for the month: ${dollars(forecast.value)} (95% interval ${intervalText(forecast, dollars)})`;
  if (budget === null) return `${spent} ${interval}.`;
  const verdict =
    forecast.low > budget
      ? "above the budget"
      : forecast.high > budget
        ? "the budget may not be enough"
        : "within the budget";
  return `${spent}${share} ${interval}: ${verdict}.`;
}

/** A budget that is so many times what may be spent would leave nothing to see of the rest. */
const MOST_SCALE = 4;

/** Sums from the first of the month on, the forecast from today on, and the budget. */
function MonthChart({
  month: { days, daysSoFar, forecast },
  budget,
}: {
  readonly month: Month;
  readonly budget: number | null;
}) {
  const sums: number[] = [];
  for (const { usd } of days) sums.push((sums.at(-1) ?? 0) + usd);
  const spent = sums[daysSoFar - 1] ?? 0;
  const towards = (end: number) =>
    days.map((_, at) =>
      at < daysSoFar - 1
        ? null
        : spent + ((end - spent) * (at + 1 - daysSoFar)) / Math.max(1, days.length - daysSoFar),
    );
  const ends =
    forecast === null
      ? []
      : ([
          ["forecast", 2, forecast.value],
          ["low", 6, forecast.low],
          ["high", 6, forecast.high],
        ] as const);
  return (
    <TimeChart
      title="Spend since the first of the month"
      shape="levels"
      format={shortDollars}
      steps={days.map(({ startMs }) => startMs / 1000)}
      lines={[
        { label: "spent", colour: 1, values: sums.map((sum, at) => (at < daysSoFar ? sum : null)) },
        ...ends.map(([label, colour, end]) => ({ label, colour, values: towards(end) })),
        ...(budget === null || budget > MOST_SCALE * Math.max(spent, forecast?.high ?? 0)
          ? []
          : [{ label: "budget", colour: 5 as const, values: days.map(() => budget) }]),
      ]}
    />
  );
}
