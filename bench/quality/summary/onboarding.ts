import type { Figure } from "../../report/result.js";
import { ONBOARDING_LABELS } from "../measure/onboarding.js";
import { figureOf, inPoints } from "./figure.js";
import type { PooledSet, Statistic } from "./pooled-set.js";
import { difference, meanQuality } from "./statistics.js";

/** What the best model of a set adds when only a few of its answers are known. */
export function onboardingFigures(set: PooledSet): Figure[] {
  const id = (rest: string): string => `quality/${set.name}/ours/${rest}`;
  const without = meanQuality("onboarding/0");
  const full = difference(meanQuality("ours"), without);
  const worth = inPoints(set.estimate(full));
  if (worth.value === null) return [];
  const figures = [
    figureOf(id("onboarding_all_labels"), worth, {
      label: "quality that the best model adds with all its labels",
      unit: "points",
      better: "neither",
    }),
  ];
  for (const labels of ONBOARDING_LABELS) {
    const gain = difference(meanQuality(`onboarding/${labels}`), without);
    const estimate = inPoints(set.estimate(gain));
    if (estimate.value === null) continue;
    figures.push(
      figureOf(id(`onboarding_${labels}_labels`), estimate, {
        label: `quality that the best model adds with ${labels} labels`,
        unit: "points",
        better: "higher",
      }),
      figureOf(id(`onboarding_${labels}_share`), set.estimate(shareOf(gain, full)), {
        label: `share of what the best model adds that ${labels} labels bring`,
        unit: "share",
        better: "higher",
      }),
    );
  }
  return figures;
}

function shareOf(part: Statistic, whole: Statistic): Statistic {
  return (split) => {
    const [ofPart, ofWhole] = [part(split), whole(split)];
    return (weights) => {
      const all = ofWhole(weights);
      return all > 0 ? ofPart(weights) / all : Number.NaN;
    };
  };
}
