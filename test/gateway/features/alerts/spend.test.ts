import { expect, it } from "vitest";
import { spendIn } from "../../../../src/gateway/features/alerts/spend.js";
import type { SeriesPoint } from "../../../../src/gateway/traces/series.js";

const HOUR_MS = 3_600_000;

const pointAt = (startMs: number, costUsd: number) => ({ startMs, costUsd }) as SeriesPoint;

it("Spend is compared with the same part of the same day a week ago, with the week before, and continued to the end of the month", () => {
  const nowMs = Date.UTC(2026, 0, 15, 12, 30);
  const ago = (days: number, hours: number) => nowMs - days * 24 * HOUR_MS - hours * HOUR_MS - HOUR_MS / 2;
  const spend = [
    [ago(0, 1), 1],
    [ago(0, 20), 2],
    [ago(7, 1), 4],
    [ago(7, 20), 8],
    [ago(7, -3), 16],
  ].map(([startMs = 0, costUsd = 0]) => pointAt(startMs, costUsd));
  const compared = { day_usd: 1, day_before_usd: 4, week_usd: 19, week_before_usd: 12 };
  const { month_forecast_usd: forecastUsd, ...spent } = spendIn(spend, nowMs);
  expect(spent).toEqual({ ...compared, month_usd: 31 });
  expect(forecastUsd).toBeCloseTo((31 * 31) / (14 + 12.5 / 24), 9);
  const early = Date.UTC(2026, 0, 3);
  expect(spendIn([pointAt(early - HOUR_MS, 1)], early)).toMatchObject({
    month_usd: 1,
    month_forecast_usd: null,
  });
});
