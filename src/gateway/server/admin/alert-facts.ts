/** What the rules of alerts look at, of what the console shows too. */
import type { AlertRules } from "../../alerts/alert-settings.js";
import type { AlertFacts } from "../../alerts/conditions.js";
import type { QueryOptions } from "../../traces/store.js";
import type { ServerDependencies } from "../dependencies.js";
import { HOUR_MS, hoursUntil, spendIn } from "./attention.js";
import { SPEND_HOURS, usableKeyUses } from "./attention-route.js";
import { budgetBodies } from "./budgets-route.js";

type Sources = Pick<ServerDependencies, "keys" | "limiter" | "traces" | "now">;

const MINUTE_MS = 60_000;
const TIMEOUT_MS = 20_000;
/** Two weeks of traces are summed up no more often than that: sums of a day change slowly. */
const SPEND_EVERY_MS = 10 * MINUTE_MS;

/** Asks what is needed by the rules that are on. What cannot be asked is null; the function never rejects. */
export function alertFacts(sources: Sources): (rules: AlertRules) => Promise<Omit<AlertFacts, "providers">> {
  const spend = rarely(() => spendOf(sources), { everyMs: SPEND_EVERY_MS, now: sources.now });
  return async (rules) => {
    const { error_rate: errors } = rules;
    const [budgets, keys, day, requests] = await Promise.all([
      budgetsOf(sources).catch(() => null),
      rules.key_near_limit === false ? null : keysOf(sources).catch(() => null),
      rules.spend_rise === false ? null : spend().catch(() => null),
      errors === false ? null : requestsOf(sources, errors.minutes).catch(() => null),
    ]);
    return { budgets, keys, spend: day, requests };
  };
}

async function budgetsOf({ limiter, now }: Sources): Promise<AlertFacts["budgets"]> {
  return budgetBodies(await limiter.budgetUse(), now()).flatMap(({ usd, ...budget }) =>
    usd === null
      ? []
      : {
          name: budget.name,
          by: budget.by,
          value: budget.value,
          period: budget.period,
          preset: budget.preset,
          isUsedUp: budget.state === "reached",

          usedUsd: usd.used,
          limitUsd: usd.limit,
          warnAt: budget.warn_at,
          forecastUsd: budget.forecast_usd,
        },
  );
}

async function keysOf(sources: Sources): Promise<AlertFacts["keys"]> {
  return (await usableKeyUses(sources)).flatMap(({ name, use: { usd_per_month: usd } }) =>
    usd === null ? [] : { name, usedUsd: usd.used, limitUsd: usd.limit },
  );
}

const asked = (): QueryOptions => ({ scope: "all", signal: AbortSignal.timeout(TIMEOUT_MS) });

async function spendOf({ traces, now }: Sources): Promise<AlertFacts["spend"]> {
  const { startMs, endMs } = hoursUntil(now(), SPEND_HOURS);
  const steps = { originMs: startMs, stepMs: HOUR_MS, by: undefined, percentiles: "none" as const };
  const points = await traces.ask("series", { filter: { startMs, endMs }, steps }, asked());
  const { day_usd: dayUsd, day_before_usd: dayBeforeUsd } = spendIn(points, now());
  return { dayUsd, dayBeforeUsd };
}

async function requestsOf({ traces, now }: Sources, minutes: number): Promise<AlertFacts["requests"]> {
  const endMs = now();
  const startMs = endMs - minutes * MINUTE_MS;
  const steps = { originMs: startMs, stepMs: endMs - startMs, by: "kind", percentiles: "none" } as const;
  const points = await traces.ask("series", { filter: { startMs, endMs }, steps }, asked());
  let [all, failed] = [0, 0];
  for (const { group, requests, decisions, errors, timeouts } of points) {
    // What comparisons ask, and their judges, is no caller's.
    if (group === "comparison") continue;
    all += requests - decisions;
    failed += errors + timeouts;
  }
  return { all, failed };
}

/** The function, with its last result until that is so old. What fails is asked again. */
function rarely<Result>(
  ask: () => Promise<Result>,
  { everyMs, now }: { readonly everyMs: number; readonly now: () => number },
): () => Promise<Result> {
  let last: { readonly atMs: number; readonly result: Result } | undefined;
  return async () => {
    if (last === undefined || now() - last.atMs >= everyMs) last = { atMs: now(), result: await ask() };
    return last.result;
  };
}
