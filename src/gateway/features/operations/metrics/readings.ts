/** What parts of the server know of themselves, as values of metrics. */

import type { CorrectionTable } from "../../../../engine/lengths/length-corrections.js";
import { usdOf } from "../../../access/limits/counters.js";
import type { LimitUse } from "../../../access/limits/limit-use.js";
import type { BudgetUse } from "../../../access/limits/limiter.js";
import type { Readiness, ServerDependencies } from "../../../dependencies.js";
import type { CircuitCount, ProcessHealth } from "../../../run/inference.js";
import { PAUSE_KINDS, type Pause } from "../../../run/pause.js";
import type { RecorderStats } from "../../../traces/recorder.js";
import type { AlertWatch } from "../../alerts/alert-watch.js";
import { ALERT_RULES } from "../../alerts/settings.js";
import type { Reading } from "./definitions.js";

/** Keys that are shown: each has up to three series, and their number is bounded. */
const MOST_KEYS = 100;
/** Values of budgets that are shown. */
const MOST_BUDGETS = 100;

/** One value without labels. */
export const reading = (value: number): readonly Reading[] => [{ value }];

export const readyReadings = (readiness: Readiness): readonly Reading[] =>
  Object.entries(readiness).map(([component, { ok }]) => ({ labels: { component }, value: ok ? 1 : 0 }));

export const circuitReadings = (circuits: readonly CircuitCount[]): readonly Reading[] =>
  circuits.map(({ provider, state, reason, models }) => ({
    labels: { provider, state, reason: reason ?? "" },
    value: models,
  }));

export const keyReadings = (keys: ProcessHealth["keys"]): readonly Reading[] =>
  keys.map(({ provider, name: key, state, models }) => ({
    labels: { provider, key },
    value: [{ state }, ...models].every((one) => one.state === "usable") ? 1 : 0,
  }));

/** With a 0 for what is not paused: a rule for alerts needs it. */
export const pauseReadings = (pauses: readonly Pick<Pause, "kind">[]): readonly Reading[] =>
  PAUSE_KINDS.map((kind) => ({
    labels: { kind },
    value: pauses.filter((pause) => pause.kind === kind).length,
  }));

/** None while no traces are kept. */
export function traceReadings(stats: RecorderStats | undefined): readonly Reading[] {
  if (stats === undefined) return [];
  const { recorded, written, spilled, dropped, withheld } = stats;
  const states = { recorded, written, spilled, dropped, withheld };
  return Object.entries(states).map(([state, value]) => ({ labels: { state }, value }));
}

/** Unknown models are left out: a ratio of several models together would say nothing. */
export const lengthReadings = (
  corrections: CorrectionTable,
  isKnownModel: (model: string) => boolean,
): readonly Reading[] =>
  [...corrections]
    .filter(([model]) => isKnownModel(model))
    .map(([model, { ratio }]) => ({ labels: { model }, value: ratio }));

/** The fullest budgets of money, by name and value. */
export const budgetReadings = (uses: readonly BudgetUse[]): readonly Reading[] =>
  uses
    .flatMap(({ budget: { name, usd }, value, used }) =>
      usd === undefined ? [] : { labels: { budget: name, value }, value: usdOf(used.nanoUsd) / usd },
    )
    .toSorted((left, right) => right.value - left.value)
    .slice(0, MOST_BUDGETS);

/** Those that need the traces, which would hold up whoever asks for metrics; Prometheus has rates and sums itself. */
const NOT_READ = { spend_rise: false, error_rate: false } as const;

/** How many conditions hold, by rule of alerts; none for rules that are off or cannot tell. */
export async function conditionReadings(
  alerts: Pick<AlertWatch, "setup" | "conditions">,
): Promise<readonly Reading[]> {
  const read = { ...alerts.setup.rules, ...NOT_READ };
  const found = await alerts.conditions(read);
  return ALERT_RULES.flatMap((rule) =>
    read[rule] === false || found.unknown.has(rule)
      ? []
      : { labels: { rule }, value: found.conditions.filter((one) => one.rule === rule).length },
  );
}

/** Of the keys nearest to a limit, by their ids, and by their names too where those may be shown. */
export function limitUseReadings(
  uses: readonly LimitUse[],
  { names }: { readonly names: "shown" | "hidden" },
): readonly Reading[] {
  const nearest = uses.toSorted((left, right) => right.ratio - left.ratio);
  const shown = new Set([...new Set(nearest.map(({ id }) => id))].slice(0, MOST_KEYS));
  return nearest
    .filter(({ id }) => shown.has(id))
    .map(({ id, name, limit, ratio }) => ({
      labels: { key_id: id, key: names === "shown" ? name : "", limit },
      value: ratio,
    }));
}

/** By comparison and reason; none for what never happened. */
export const passedOverReadings = ({
  entries,
  state,
}: Pick<ServerDependencies["comparisons"], "entries" | "state">): readonly Reading[] =>
  entries().flatMap(({ name: comparison }) =>
    Object.entries(state(comparison).passedOver).flatMap(([reason, value]) =>
      value === 0 ? [] : [{ labels: { comparison, reason }, value }],
    ),
  );
