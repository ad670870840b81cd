import { forecastUsd, periodOf } from "../../access/limits/spend-period.js";
import type { ServerDependencies } from "../../dependencies.js";
import type { SeriesPoint } from "../../traces/series.js";
import type { QueryOptions } from "../../traces/store.js";
import type { AttentionBody } from "./attention-schema.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

type Spend = NonNullable<AttentionBody["spend"]>;

/** Known costs of this day, week and month, UTC, in one question without percentiles. */
export async function spendNow(
  { traces, now }: Pick<ServerDependencies, "traces" | "now">,
  options: QueryOptions,
): Promise<Spend> {
  const nowMs = now();
  const firstMs = Math.min(nowMs - 2 * WEEK_MS, periodOf("month", "UTC", { nowMs }).startMs);
  const startMs = Math.floor(firstMs / HOUR_MS) * HOUR_MS;
  const steps = { originMs: startMs, stepMs: HOUR_MS, percentiles: "none" as const };
  const filter = { startMs, endMs: Math.ceil((nowMs + 1) / HOUR_MS) * HOUR_MS };
  return spendIn(await traces.ask("series", { filter, steps }, options), nowMs);
}

/** @param points of the month and of the last 14 days, in steps of an hour */
export function spendIn(points: readonly SeriesPoint[], nowMs: number): Spend {
  const dayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const month = periodOf("month", "UTC", { nowMs });
  const between = (fromMs: number, toMs: number): number =>
    points
      .filter(({ startMs }) => startMs >= fromMs && startMs < toMs)
      .reduce((sum, { costUsd }) => sum + costUsd, 0);
  const spentUsd = between(month.startMs, nowMs);
  return {
    day_usd: between(dayMs, nowMs),
    day_before_usd: between(dayMs - WEEK_MS, nowMs - WEEK_MS),
    week_usd: between(nowMs - WEEK_MS, nowMs),
    week_before_usd: between(nowMs - 2 * WEEK_MS, nowMs - WEEK_MS),
    month_usd: spentUsd,
    month_forecast_usd: forecastUsd(spentUsd, { ...month, nowMs }),
  };
}
