import type { FastifyInstance } from "fastify";
import { usdOf } from "../../access/limits/counters.js";
import type { BudgetUse } from "../../access/limits/limiter.js";
import { forecastUsd } from "../../access/limits/spend-period.js";
import type { ServerDependencies } from "../../dependencies.js";
import { addRoute } from "../../http/route.js";
import { type BudgetBody, budgetListSchema, MOST_BUDGETS } from "./schema.js";

/** `GET /admin/budgets`: what teams, sources and tags have used of the budgets of the settings. */
export function addBudgetsRoute(
  app: FastifyInstance,
  { limiter, now }: Pick<ServerDependencies, "limiter" | "now">,
): void {
  addRoute(app, {
    route: "GET /admin/budgets",
    operationId: "listBudgets",
    summary: "List what is used of the budgets of teams, sources and tags",
    answer: budgetListSchema,
    async handle() {
      const all = budgetBodies(await limiter.budgetUse(), now());
      return { object: "list" as const, data: all.slice(0, MOST_BUDGETS), total: all.length };
    },
  });
}

/** The fullest first. */
export const budgetBodies = (uses: readonly BudgetUse[], nowMs: number): BudgetBody[] =>
  uses.map((use) => budgetBody(use, nowMs)).sort((left, right) => fullness(right) - fullness(left));

const useOf = (used: number, limit: number | undefined) => (limit === undefined ? null : { used, limit });

const fullness = ({ usd, requests_per_minute: requests, tokens_per_minute: tokens }: BudgetBody): number =>
  Math.max(...[usd, requests, tokens].map((use) => (use === null ? 0 : use.used / use.limit)));

function budgetBody({ budget, value, period, used, leastRefused }: BudgetUse, nowMs: number): BudgetBody {
  const { name, by, time_zone, warn_at, usd } = budget;
  const spent = usdOf(used.nanoUsd);
  const nearly = usd === undefined || spent < warn_at * usd ? "ok" : "warning";
  // Used up for requests such as it refused, although not all of it is.
  const isFull = usd !== undefined && (spent >= usd || spent + usdOf(leastRefused ?? 0) > usd);
  return {
    name,
    by,
    value,
    period: budget.period,
    time_zone,
    warn_at,
    starts_at: new Date(period.startMs).toISOString(),
    resets_at: new Date(period.endMs).toISOString(),
    usd: useOf(spent, usd),
    requests_per_minute: useOf(used.requests, budget.requests_per_minute),
    tokens_per_minute: useOf(used.tokens, budget.tokens_per_minute),
    preset: budget.at_limit?.preset ?? null,
    state: isFull ? "reached" : nearly,
    forecast_usd: usd === undefined ? null : forecastUsd(spent, { ...period, nowMs }),
  };
}
