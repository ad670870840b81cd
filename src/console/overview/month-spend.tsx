import type { Attention } from "../api/attention.js";
import type { Key } from "../api/keys.js";
import { fetchSeries } from "../api/statistics.js";
import { TimeChart } from "../charts/time-chart.js";
import { Form } from "../components/controls.js";
import { dollars } from "../components/format.js";
import { Section } from "../components/page.js";
import { Loaded, useResource } from "../components/resource.js";
import { useQuery } from "../components/use-query.js";

const DAY_MS = 86_400_000;

/** Days of the month, in UTC, as budgets count it. */
interface Month {
  /** Each day, with what was spent on it; days to come have nothing. */
  readonly days: readonly { readonly startMs: number; readonly usd: number }[];
  /** How many of them have started. */
  readonly daysSoFar: number;
}

interface MonthSpendProps {
  readonly keys: readonly Key[] | undefined;
  /** Null while it is not known. */
  readonly spend: Attention["spend"];
}

/** The month so far, what it will have cost, and what it may. */
export function MonthSpend({ keys, spend }: MonthSpendProps) {
  const [query, change] = useQuery();
  const forecast = spend?.month_forecast_usd ?? null;
  const month = useResource(new Date().toISOString().slice(0, 10), loadMonth);
  const limits = limitsOf(keys ?? []);
  const given = Number(query.get("budget") || Number.NaN);
  const budget = given > 0 ? given : limits;
  return (
    <Section
      title="Spend this month"
      actions={
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
            <p>{monthText(value, { forecast, budget })}</p>
            <MonthChart month={value} forecast={forecast} budget={budget} />
            <p class="muted small">
              The month is that of UTC. The forecast assumes that spending goes on as in the month so far.
              {given > 0 || limits === null ? "" : " The budget is that of all keys that may ask."}
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
  const monthStartMs = (months: number): number => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months);
  const [startMs, endMs] = [monthStartMs(0), monthStartMs(1)];
  const question = { startMs, stepMs: DAY_MS, timeZone: "UTC", percentiles: "none" } as const;
  const points = await fetchSeries(question, signal);
  const spent = new Map(points.map(({ start, cost_usd: usd }) => [Date.parse(start), usd]));
  const days = Array.from({ length: (endMs - startMs) / DAY_MS }, (_, at) => startMs + at * DAY_MS);
  return {
    days: days.map((at) => ({ startMs: at, usd: spent.get(at) ?? 0 })),
    daysSoFar: now.getUTCDate(),
  };
}

const spentIn = ({ days }: Month): number => days.reduce((sum, { usd }) => sum + usd, 0);

interface Ends {
  /** Null before a tenth of the month has passed. */
  readonly forecast: number | null;
  /** Null without one. */
  readonly budget: number | null;
}

function monthText(month: Month, { forecast, budget }: Ends): string {
  const spent = spentIn(month);
  const share =
    budget === null
      ? ""
      : ` Of a budget of ${dollars(budget)}, ${dollars(Math.max(0, budget - spent))} is left.`;
  const soFar = `${dollars(spent)} so far.${share}`;
  if (forecast === null) return `${soFar} A forecast needs a tenth of the month.`;
  const verdict = budget === null ? "" : forecast > budget ? ": above the budget" : ": within the budget";
  return `${soFar} Forecast for the month: ${dollars(forecast)}${verdict}.`;
}

/** A budget that is so many times what may be spent would leave nothing to see of the rest. */
const MOST_SCALE = 4;

/** Sums from the first of the month on, the forecast from today on, and the budget. */
function MonthChart({
  month: { days, daysSoFar },
  forecast,
  budget,
}: Ends & {
  readonly month: Month;
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
  return (
    <TimeChart
      title="Spend since the first of the month"
      shape="levels"
      format={dollars}
      steps={days.map(({ startMs }) => startMs / 1000)}
      lines={[
        { label: "spent", colour: 1, values: sums.map((sum, at) => (at < daysSoFar ? sum : null)) },
        ...(forecast === null ? [] : [{ label: "forecast", colour: 2 as const, values: towards(forecast) }]),
        ...(budget === null || budget > MOST_SCALE * Math.max(spent, forecast ?? 0)
          ? []
          : [{ label: "budget", colour: 5 as const, values: days.map(() => budget) }]),
      ]}
    />
  );
}
