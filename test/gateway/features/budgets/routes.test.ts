import { beforeAll, expect, it } from "vitest";
import { budgetSchema } from "../../../../src/gateway/access/limits/budget.js";
import { CountingLimiter } from "../../../../src/gateway/access/limits/limiter.js";
import { MemoryCounters } from "../../../../src/gateway/access/limits/memory-counters.js";
import { PeriodSpend } from "../../../../src/gateway/access/limits/period-spend.js";
import { budgetListSchema } from "../../../../src/gateway/features/budgets/schema.js";
import { principal } from "../../../contracts/limiter.contract.js";
import { ADMIN_KEY, get, NOW_MS, startTestServer } from "../../server.js";

const now = () => NOW_MS;
const limiter = new CountingLimiter(new MemoryCounters({ now, spend: new PeriodSpend() }), { now });
limiter.useBudgets(
  [
    { name: "teams", by: "team", period: "day", usd: 2, at_limit: { preset: "economy" } },
    { name: "batch", by: "source", value: "batch", requests_per_minute: 10 },
    { name: "all", by: "all", usd: 100, time_zone: "Europe/Berlin" },
  ].map((given) => budgetSchema.parse(given)),
);
const { app } = startTestServer({ limiter });

beforeAll(async () => {
  const ada = { ...principal("key_ada", {}), source: "batch" };
  const spend = (team: string, costUsd: number) =>
    limiter.reserve(
      ada,
      { tokens: 5, costUsd },
      { source: "batch", metadata: { team }, isSwitchable: () => true },
    );
  await spend("search", 1.7);
  await spend("billing", 2);
  await spend("support", 0.5);
});

it("GET /admin/budgets lists what is used of each, the fullest first, with the end of its period", async () => {
  const response = await get(app, "/admin/budgets", { "x-api-key": ADMIN_KEY });
  const { data, total } = budgetListSchema.parse(response.json());
  expect(
    data.map(({ name, value, state, usd, requests_per_minute: rpm }) => [name, value, state, usd, rpm]),
  ).toEqual([
    ["teams", "billing, named by callers", "reached", { used: 2, limit: 2 }, null],
    ["teams", "search, named by callers", "warning", { used: 1.7, limit: 2 }, null],
    ["batch", "batch", "ok", null, { used: 3, limit: 10 }],
    ["teams", "support, named by callers", "ok", { used: 0.5, limit: 2 }, null],
    ["all", "", "ok", { used: 4.2, limit: 100 }, null],
  ]);
  expect(total).toBe(5);
  const [billing] = data;
  const day = 86_400_000;
  const startMs = Math.floor(NOW_MS / day) * day;
  expect(billing).toMatchObject({
    by: "team",
    period: "day",
    time_zone: "UTC",
    warn_at: 0.8,
    preset: "economy",
    starts_at: new Date(startMs).toISOString(),
    resets_at: new Date(startMs + day).toISOString(),
    forecast_usd: (NOW_MS - startMs) / day < 0.1 ? null : 2 / ((NOW_MS - startMs) / day),
  });
  expect(data.at(-1)?.time_zone).toBe("Europe/Berlin");
});
