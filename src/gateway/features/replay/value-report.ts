/** What routing saved and how answers were scored, as `GET /admin/traces/value` has it. */
import type { Estimate } from "../../../foundation/bootstrap.js";
import { groupBy } from "../../../foundation/group-by.js";
import type { FeedbackSums, TraceStats } from "../../traces/store.js";
import { type FixedChoice, type FixedComparison, FixedModels, type RoutedAnswer } from "./fixed-models.js";
import type { ValueBody } from "./value-schema.js";

const MOST_ALWAYS = 5;
const DAY_MS = 86_400_000;
/** 1970 began on a Thursday. */
const MONDAY = 3;

/** The Monday (UTC) of the week that a time is in, as a date. */
const weekOf = (ms: number): string => {
  const day = Math.floor(ms / DAY_MS);
  return new Date((day - ((day + MONDAY) % 7)) * DAY_MS).toISOString().slice(0, 10);
};

interface SavingsScope {
  readonly matching: number;
  readonly sampled: number;
  readonly baselineModel: string | undefined;
}

/** @param answers routed ones of the sample */
export function savingsBody(
  answers: readonly RoutedAnswer[],
  { baselineModel, ...scale }: SavingsScope,
): Pick<ValueBody, "compared" | "baseline_model" | "saving" | "cheaper" | "weeks" | "presets" | "always"> {
  const empty = { saving: null, cheaper: null, weeks: [], presets: [], always: [] };
  const found = { compared: answers.length, baseline_model: baselineModel ?? null };
  if (answers.every(({ billedUsd }) => billedUsd === 0)) return { ...found, ...empty };
  const fixed = new FixedModels(answers, scale);
  const best = fixed.atEqualQuality();
  const baseline = baselineModel === undefined ? undefined : fixed.atEqualQuality(baselineModel);
  const cheaper = best && fixed.saved(best).savedUsd.high < 0 ? best : undefined;
  const body = (choice: FixedChoice | undefined) =>
    choice === undefined ? null : comparisonBody(choice, fixed.saved(choice));
  const headline = cheaper ?? baseline ?? best;
  const parts = <Key extends string>(keyOf: (answer: RoutedAnswer) => Key) =>
    headline === undefined
      ? []
      : [...groupBy(answers, keyOf)].map(([key, among]) => ({
          key,
          ...savedBody(fixed.saved(headline, among)),
        }));
  return {
    ...found,
    saving: body(baseline ?? best),
    cheaper: body(cheaper),
    weeks: parts(({ createdAtMs }) => weekOf(createdAtMs))
      .map(({ key: start, ...saved }) => ({ start, ...saved }))
      .sort((left, right) => (left.start < right.start ? -1 : 1)),
    presets: parts(({ preset, costWeight }) => JSON.stringify([preset, costWeight]))
      .map(({ key, ...saved }) => {
        const [preset, cost_weight] = JSON.parse(key) as [string | null, number];
        return { preset, cost_weight, ...saved };
      })
      .sort((left, right) => right.spent_usd - left.spent_usd),
    always: [...new Set([...fixed.notable(MOST_ALWAYS), baselineModel ?? ""])].flatMap((model) => {
      const always = { models: [{ model, share: 1 }], usdPerQuality: 0 };
      const saved = fixed.saved(always);
      const quality = fixed.qualityOf(model);
      return saved.requests === 0 ? [] : [{ ...comparisonBody(always, saved), quality }];
    }),
  };
}

const savedBody = ({ requests, spentUsd, savedUsd }: FixedComparison) => ({
  requests,
  spent_usd: spentUsd,
  saved_usd: savedUsd,
});

const comparisonBody = ({ models }: FixedChoice, compared: FixedComparison) => ({
  models,
  ...savedBody(compared),
  saved_share: compared.savedShare,
});

/** @param days figures by day and baseline */
export function billedBody(
  days: readonly TraceStats[],
  isBaseline: (model: string) => boolean,
): ValueBody["billed"] {
  const [first, ...rest] = days.filter(
    ({ group: { baseline = null } }) => baseline !== null && isBaseline(baseline),
  );
  if (first === undefined) return null;
  const sum = (figure: (stats: TraceStats) => number): number =>
    [first, ...rest].reduce((all, one) => all + figure(one), 0);
  return {
    since: String(first.group.day),
    requests: sum(({ requestsWithBaseline }) => requestsWithBaseline),
    baseline_cost_usd: sum(({ baselineCostUsd }) => baselineCostUsd),
    saved_usd: sum(({ savedUsd }) => savedUsd),
  };
}

/** @param sums by model, preset and day */
export function feedbackBody(sums: readonly FeedbackSums[]): ValueBody["feedback"] {
  const by = (nameOf: (group: FeedbackSums["group"]) => string | null) =>
    [...groupBy(sums, ({ group }) => nameOf(group))].map(([name, parts]) => ({ name, ...scoresOf(parts) }));
  const all = scoresOf(sums);
  return {
    ...all,
    missing: Math.max(0, neededScores(all.mean?.value ?? 0.5) - all.count),
    models: by(({ model = null }) => model).sort(byCount),
    presets: by(({ preset = null }) => preset).sort(byCount),
    weeks: by(({ day }) => weekOf(Date.parse(String(day)))).sort((left, right) =>
      String(left.name) < String(right.name) ? -1 : 1,
    ),
  };
}

const byCount = (left: { readonly count: number }, right: { readonly count: number }): number =>
  right.count - left.count;

function scoresOf(sums: readonly Pick<FeedbackSums, "count" | "sum">[]) {
  const count = sums.reduce((all, one) => all + one.count, 0);
  const sum = sums.reduce((all, one) => all + one.sum, 0);
  return { count, mean: count === 0 ? null : wilsonInterval(sum / count, count) };
}

/** Of the standard normal distribution, for 95 %. */
const NORMAL_95 = 1.96;
/** Points to each side of a mean that is known well enough, as a share (guess). */
const CLOSE = 0.05;

/**
 * Of a mean of values in [0, 1], by Wilson, "Probable inference, the law of succession, and statistical inference", 1927: that of a
 * proportion, whose spread is the largest that such values can have. It holds for few values, and for equal ones.
 */
function wilsonInterval(value: number, count: number): Estimate {
  const z2 = NORMAL_95 ** 2 / count;
  const middle = (value + z2 / 2) / (1 + z2);
  const further = (NORMAL_95 * Math.sqrt((value * (1 - value)) / count + z2 / (4 * count))) / (1 + z2);
  return { value, low: Math.max(0, middle - further), high: Math.min(1, middle + further) };
}

const neededScores = (mean: number): number =>
  Math.ceil((NORMAL_95 / CLOSE) ** 2 * Math.max(0.05, mean * (1 - mean)));
