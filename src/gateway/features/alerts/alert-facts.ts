/** What the rules of alerts look at, of what the console shows too. */
import { groupBy } from "../../../foundation/group-by.js";
import { usdOf } from "../../access/limits/counters.js";
import type { ServerDependencies } from "../../dependencies.js";
import type { SeriesPoint } from "../../traces/series.js";
import type { QueryOptions } from "../../traces/store.js";
import { budgetBodies } from "../budgets/routes.js";
import type { AlertFacts, RequestCounts } from "./conditions.js";
import type { AlertRules } from "./settings.js";
import { spendNow } from "./spend.js";

type Sources = Pick<ServerDependencies, "keys" | "limiter" | "traces" | "now">;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const TIMEOUT_MS = 20_000;
/** A month of traces is summed up no more often than this: sums of a day change slowly. */
const SPEND_EVERY_MS = 10 * MINUTE_MS;

/** Asks what is needed by the rules that are on. What cannot be asked is null; the function never rejects. */
export function alertFacts(sources: Sources): (rules: AlertRules) => Promise<Omit<AlertFacts, "providers">> {
  const spend = rarely(() => spendNow(sources, asked()), { everyMs: SPEND_EVERY_MS, now: sources.now });
  return async (rules) => {
    const { error_rate: errors } = rules;
    const [budgets, keys, day, requests] = await Promise.all([
      budgetsOf(sources).catch(() => null),
      rules.key_near_limit === false ? null : keysOf(sources).catch(() => null),
      rules.spend_rise === false ? null : spend().catch(() => null),
      errors === false ? null : requestsOf(sources, errors.minutes).catch(() => null),
    ]);
    return {
      budgets,
      keys,
      spend: day && { dayUsd: day.day_usd, dayBeforeUsd: day.day_before_usd },
      requests,
    };
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

/** Of keys that can be used. */
async function keysOf({ keys, limiter, now }: Sources): Promise<AlertFacts["keys"]> {
  const usable = keys
    .list()
    .filter(({ revoked_at, expires_at }) => revoked_at === null && !(Date.parse(expires_at ?? "") <= now()));
  const used = await limiter.usedBy(usable.map(({ id }) => id));
  return usable.flatMap(({ id, name }, at) => {
    const limitUsd = keys.limitsOf(id)?.usdPerMonth ?? null;
    return limitUsd === null ? [] : { id, name, usedUsd: usdOf(used[at]?.nanoUsd ?? 0), limitUsd };
  });
}

const asked = (): QueryOptions => ({ scope: "all", signal: AbortSignal.timeout(TIMEOUT_MS) });

async function requestsOf({ traces, now }: Sources, minutes: number): Promise<AlertFacts["requests"]> {
  const endMs = now();
  const originMs = endMs - minutes * MINUTE_MS;
  const countsBy = async (by: "kind" | "model" | "provider"): Promise<readonly SeriesPoint[]> => {
    const steps = { originMs, stepMs: DAY_MS, by, percentiles: "none" } as const;
    return traces.ask("series", { filter: { startMs: originMs - DAY_MS, endMs }, steps }, asked());
  };
  const [kinds, models, providers] = await Promise.all([
    countsBy("kind"),
    countsBy("model"),
    countsBy("provider"),
  ]);
  // What comparisons ask, and their judges, is not a caller's request.
  const callers = kinds.filter(({ group }) => group !== "comparison");
  return [
    countsOf("all", { name: "", points: callers, originMs }),
    ...byGroup("provider", { points: providers, originMs }),
    ...byGroup("model", { points: models, originMs }),
  ];
}

interface Points {
  readonly points: readonly SeriesPoint[];
  readonly originMs: number;
}

const byGroup = (by: RequestCounts["by"], { points, originMs }: Points): readonly RequestCounts[] =>
  [...groupBy(points, ({ group }) => group)]
    .flatMap(([name, ofName]) => (name === null ? [] : countsOf(by, { name, points: ofName, originMs })))
    .sort((left, right) => right.failed - left.failed);

function countsOf(
  by: RequestCounts["by"],
  { name, points, originMs }: Points & { readonly name: string },
): RequestCounts {
  const now = { all: 0, failed: 0 };
  const before = { all: 0, failed: 0 };
  for (const { startMs, requests, decisions, errors, timeouts } of points) {
    const sums = startMs >= originMs ? now : before;
    sums.all += requests - decisions;
    sums.failed += errors + timeouts;
  }
  return { by, name, ...now, shareBefore: before.all === 0 ? null : before.failed / before.all };
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
