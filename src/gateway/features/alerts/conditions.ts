import { usd as dollars } from "../../../foundation/money.js";
import { ALERT_RULES, type ALERT_TARGETS, type AlertRule, type AlertRules } from "./settings.js";

/** What a rule found to be so, of one thing. */
export interface AlertCondition {
  readonly rule: AlertRule;
  /** What it is about: a budget and whose it is, a provider, a key. */
  readonly subject: string;
  /** What an operator looks at because of it; null: all requests. */
  readonly target: { readonly type: (typeof ALERT_TARGETS)[number]; readonly id: string } | null;
  /** One line. */
  readonly title: string;
  readonly detail: string;
}

/** By which a condition is the same as one before. */
export const conditionId = ({ rule, subject }: Pick<AlertCondition, "rule" | "subject">): string =>
  `${rule} ${subject}`;

/** Requests of the last minutes that the rule looks at, and the failed share of those in the day before. */
export interface RequestCounts {
  readonly by: "all" | "model" | "provider";
  readonly name: string;
  readonly all: number;
  readonly failed: number;
  /** Null without any request. */
  readonly shareBefore: number | null;
}

/** What rules look at. A part that cannot be asked now is null: its rules then neither fire nor resolve. */
export interface AlertFacts {
  readonly budgets:
    | readonly {
        readonly name: string;
        readonly by: string;
        readonly value: string;
        readonly period: string;
        readonly usedUsd: number;
        readonly limitUsd: number;
        /** Whether it refuses requests, or has its preset answer. */
        readonly isUsedUp: boolean;
        readonly warnAt: number;
        /** Null when it is too early to say. */
        readonly forecastUsd: number | null;
        readonly preset: string | null;
      }[]
    | null;
  /** Those with a budget of the month, which is what they have used and may use. */
  readonly keys:
    | readonly {
        readonly id: string;
        readonly name: string;
        readonly usedUsd: number;
        readonly limitUsd: number;
      }[]
    | null;
  /** Of the running day, and of the same part of the same day a week ago. */
  readonly spend: { readonly dayUsd: number; readonly dayBeforeUsd: number } | null;
  /** All requests, and those of each model and provider. */
  readonly requests: readonly RequestCounts[] | null;
  /** Models that were called, by provider, and how many of them are not called for now, over all instances. */
  readonly providers: ReadonlyMap<string, { readonly called: number; readonly out: number }>;
}

/** To a tenth, rounded down: what is not yet all is no 100%. */
const percent = (part: number): string => `${Math.floor(part * 1000 + 1e-9) / 10}%`;

/** Requests that fail as often as they did are listed when this share of them fails (a guess). */
const MOSTLY = 0.5;
/** Otherwise, their share is this many times what it was in the day before (a guess). */
const LEAST_RISE = 2;

/** A budget, and for whom. */
function whoseOf({ name, by, value }: Readonly<Record<"name" | "by" | "value", string>>): string {
  if (value !== "") return `${name} of ${value}`;
  return by === "all" ? name : `${name} of requests without ${by}`;
}

/** Not where a failing provider explains it: all failures are there, or the model is all that was called there. */
function isOwnCause(
  { by, all, failed }: RequestCounts,
  _at: number,
  failing: readonly RequestCounts[],
): boolean {
  return !failing.some(
    (other) =>
      other.by === "provider" &&
      by !== "provider" &&
      other.failed === failed &&
      (by === "all" || other.all === all),
  );
}

/** What each rule finds; null where it cannot be told. */
const FINDERS: {
  readonly [Rule in AlertRule]: (
    facts: AlertFacts,
    thresholds: Exclude<AlertRules[Rule], false>,
  ) => readonly Omit<AlertCondition, "rule">[] | null;
} = {
  budget: ({ budgets }) =>
    budgets?.flatMap(({ period, usedUsd, limitUsd, isUsedUp, warnAt, preset, ...budget }) => {
      const whose = whoseOf(budget);
      const target = { type: "budget" as const, id: budget.name };
      const used = `${dollars(usedUsd)} of ${dollars(limitUsd)} a ${period} (${percent(usedUsd / limitUsd)}) is used.`;
      const then = preset === null ? "Requests are refused." : `The preset ${preset} answers.`;
      // Two alerts, one after the other: that it is used up must not be held back because of the warning.
      return [
        ...(usedUsd < warnAt * limitUsd
          ? []
          : [
              { subject: `${whose}, warning`, target, title: `Budget ${whose} is nearly used`, detail: used },
            ]),
        ...(isUsedUp
          ? [
              {
                subject: `${whose}, limit`,
                target,
                title: `Budget ${whose} is used up`,
                detail: `${used} ${then}`,
              },
            ]
          : []),
      ];
    }) ?? null,

  budget_forecast: ({ budgets }, { ratio }) =>
    budgets?.flatMap(({ period, limitUsd, forecastUsd, ...budget }) => {
      if (forecastUsd === null || forecastUsd <= ratio * limitUsd) return [];
      const whose = whoseOf(budget);
      const detail = `If spending goes on as so far, ${dollars(forecastUsd)} of ${dollars(limitUsd)} will be used when the ${period} ends.`;
      const target = { type: "budget" as const, id: budget.name };
      return { subject: whose, target, title: `Budget ${whose} will not last`, detail };
    }) ?? null,

  spend_rise: ({ spend }, { ratio, min_usd: least }) => {
    if (spend === null) return null;
    const { dayUsd, dayBeforeUsd } = spend;
    if (dayUsd < least || dayUsd <= ratio * dayBeforeUsd) return [];
    const detail = `${dollars(dayUsd)} today (UTC), ${dollars(dayBeforeUsd)} by this time on the same day a week ago.`;
    const title = "Spend is far above that of a week ago";
    return [{ subject: "spend of the day", target: null, title, detail }];
  },

  error_rate: ({ requests }, { share, minutes, min_failed: least }) => {
    const failing = requests?.filter(({ all, failed, shareBefore }) => {
      const hasRisen = failed >= MOSTLY * all || failed >= LEAST_RISE * (shareBefore ?? 0) * all;
      return failed >= least && failed >= share * all && hasRisen;
    });
    return (
      failing?.filter(isOwnCause).map(({ by, name, all, failed, shareBefore }) => {
        const before =
          shareBefore === null
            ? "no requests in the day before"
            : `${percent(shareBefore)} in the day before`;
        const detail = `${failed} of ${all} requests failed in ${minutes} minutes (${percent(failed / all)}; ${before}).`;
        return by === "all"
          ? { subject: "all requests", target: null, title: "High error rate", detail }
          : {
              subject: `${by} ${name}`,
              target: { type: by, id: name },
              title: `High error rate: ${by} ${name}`,
              detail,
            };
      }) ?? null
    );
  },

  provider_down: ({ providers }, { share }) =>
    [...providers].flatMap(([provider, { called, out }]) => {
      if (out === 0 || out < share * called) return [];
      const detail = `${out} of ${called} models that were called there keep failing, and are not called for now.`;
      const target = { type: "provider" as const, id: provider };
      return { subject: provider, target, title: `Provider ${provider} is down`, detail };
    }),

  key_near_limit: ({ keys }, { share }) =>
    keys?.flatMap(({ id, name, usedUsd, limitUsd }) => {
      if (usedUsd < share * limitUsd) return [];
      const detail = `${dollars(usedUsd)} of ${dollars(limitUsd)} a month (${percent(usedUsd / limitUsd)}) is used.`;
      return { subject: name, target: { type: "key", id }, title: `Key ${name} is near its limit`, detail };
    }) ?? null,
};

/** What holds now, and which rules cannot tell. */
export interface FoundConditions {
  readonly conditions: readonly AlertCondition[];
  readonly unknown: ReadonlySet<AlertRule>;
}

export function conditionsOf(facts: AlertFacts, rules: AlertRules): FoundConditions {
  const unknown = new Set<AlertRule>();
  const find = <Rule extends AlertRule>(rule: Rule): readonly AlertCondition[] => {
    const thresholds: AlertRules[Rule] = rules[rule];
    if (thresholds === false) return [];
    const found = FINDERS[rule](facts, thresholds as Exclude<AlertRules[Rule], false>);
    if (found === null) unknown.add(rule);
    return (found ?? []).map((condition) => ({ rule, ...condition }));
  };
  const conditions = ALERT_RULES.flatMap((rule) => find(rule));
  return { conditions, unknown };
}
