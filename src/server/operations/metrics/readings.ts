/** What parts of the server know of themselves, as values of metrics. */
import type { LimitUse } from "../../../access/limits/limit-use.js";
import type { CircuitCount } from "../../../inference/inference.js";
import type { CorrectionTable } from "../../../lengths/length-corrections.js";
import type { RecorderStats } from "../../../traces/recorder.js";
import type { Readiness } from "../../dependencies.js";
import type { Reading } from "./definitions.js";

/** Keys that are named: each has up to three series, and their number is bounded. */
const MOST_KEYS = 100;
const NEAR = 0.9;

/** One value without labels. */
export const reading = (value: number): readonly Reading[] => [{ value }];

export const readyReadings = (readiness: Readiness): readonly Reading[] =>
  Object.entries(readiness).map(([component, { ok }]) => ({ labels: { component }, value: ok ? 1 : 0 }));

export const circuitReadings = (circuits: readonly CircuitCount[]): readonly Reading[] =>
  circuits.map(({ provider, state, models }) => ({ labels: { provider, state }, value: models }));

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

/** Without names: how many keys are near each limit. */
export function nearLimitReadings(uses: readonly LimitUse[]): readonly Reading[] {
  const counts = { requests: 0, tokens: 0, budget: 0 };
  for (const { limit, ratio } of uses) if (ratio >= NEAR) counts[limit] += 1;
  return Object.entries(counts).map(([limit, value]) => ({ labels: { limit }, value }));
}

/** Of the keys nearest to a limit. The highest value counts where several keys have one name. */
export function limitUseReadings(uses: readonly LimitUse[]): readonly Reading[] {
  const shown = new Map<string, Map<string, number>>();
  for (const { key, limit, ratio } of [...uses].sort((left, right) => right.ratio - left.ratio)) {
    const limits = shown.get(key) ?? new Map<string, number>();
    if (!shown.has(key) && shown.size === MOST_KEYS) continue;
    shown.set(key, limits);
    if (!limits.has(limit)) limits.set(limit, ratio);
  }
  return [...shown].flatMap(([key, limits]) =>
    [...limits].map(([limit, value]) => ({ labels: { key, limit }, value })),
  );
}
