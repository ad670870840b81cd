import type { Figure } from "../../report/result.js";
import { CHANGE_NAMES } from "../measure/robustness.js";
import { shareKept } from "../metrics/kept.js";
import { TRANSLATIONS } from "../perturb/translations.js";
import { figureOf, inPoints } from "./figure.js";
import type { PooledSet, Statistic } from "./pooled-set.js";
import { difference, meanQuality } from "./statistics.js";

const LABELS: Readonly<Record<string, string>> = {
  typos_letters: "5 % of the letters mistyped",
  typos_words: "5 % of the words mistyped",
  case: "all letters in upper or in lower case",
  politeness: "greetings and thanks around the prompt",
};

/** Decisions at cost weight 0 that stay when a prompt is written otherwise. */
export function robustnessFigures(set: PooledSet): Figure[] {
  const id = (rest: string): string => `quality/${set.name}/ours/${rest}`;
  const changed = CHANGE_NAMES.flatMap((name) => {
    const kept: Statistic = ({ measurement }) => {
      const { ours, [`changed/${name}`]: after } = measurement.choices;
      if (ours === undefined || after === undefined) return () => Number.NaN;
      return (weights) => shareKept(ours, after, weights);
    };
    const estimate = set.estimate(kept);
    if (estimate.value === null) return [];
    const lost = inPoints(set.estimate(difference(meanQuality(`changed/${name}`), meanQuality("ours"))));
    const label = LABELS[name] ?? name;
    return [
      figureOf(id(`kept_${name}`), estimate, {
        label: `decisions kept: ${label}`,
        unit: "share",
        better: "higher",
      }),
      figureOf(id(`quality_change_${name}`), lost, {
        label: `quality change: ${label}`,
        unit: "points",
        better: "higher",
      }),
    ];
  });
  return [...changed, ...languageFigures(set, id)];
}

function languageFigures(set: PooledSet, id: (rest: string) => string): Figure[] {
  return Object.keys(TRANSLATIONS).flatMap((language) => {
    const samples = set.splits.flatMap(
      ({ measurement }) => measurement.numbers[`language/${language}`] ?? [],
    );
    if (samples.length === 0) return [];
    const value = samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
    const estimate = { value, low: Number.NaN, high: Number.NaN, samples };
    return figureOf(id(`kept_language_${language}`), estimate, {
      label: `decisions kept: 20 requests of our own, English against ${language}`,
      unit: "share",
      better: "higher",
    });
  });
}
