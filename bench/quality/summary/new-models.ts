import type { Figure } from "../../report/result.js";
import { LABEL_CHOICES, LABEL_DRAWS, NEW_MODEL_LABELS, newModelChoice } from "../measure/new-models.js";
import { figureOf, inPoints } from "./figure.js";
import type { PooledSet, Statistic } from "./pooled-set.js";
import { difference, meanQuality } from "./statistics.js";

/** What a model adds when it is new and some of its answers are known: mean over all models, each new in turn. */
export function newModelFigures(set: PooledSet): Figure[] {
  const { models } = set;
  const first = set.splits[0]?.measurement.choices;
  if (first?.[newModelChoice(0, "all")] === undefined) return [];
  const id = (rest: string): string => `quality/${set.name}/ours/new_model_${rest}`;
  const without = meanOf(models.map((_, column) => meanQuality(newModelChoice(column, "0"))));
  const gainOf = (rest: (draw: number) => string, draws: number): Statistic =>
    difference(
      meanOf(
        models.flatMap((_, column) =>
          Array.from({ length: draws }, (_, draw) => meanQuality(newModelChoice(column, rest(draw)))),
        ),
      ),
      without,
    );
  const all = gainOf(() => "all", 1);
  const figures = [
    figureOf(id("all_labels"), inPoints(set.estimate(all)), {
      label: "quality that a new model adds with labels on all prompts, mean over models",
      unit: "points",
      better: "neither",
    }),
  ];
  for (const labels of NEW_MODEL_LABELS) {
    if (first[newModelChoice(0, `random/${labels}/0`)] === undefined) continue;
    const [random, chosen] = LABEL_CHOICES.map((choice) =>
      gainOf((draw) => `${choice}/${labels}/${draw}`, LABEL_DRAWS),
    ) as [Statistic, Statistic];
    figures.push(
      figureOf(id(`${labels}_random_share`), set.estimate(ratio(random, all)), {
        label: `share of that with ${labels} labels on prompts chosen at random`,
        unit: "share",
        better: "higher",
      }),
      figureOf(id(`${labels}_chosen_share`), set.estimate(ratio(chosen, all)), {
        label: `share of that with ${labels} labels on prompts that label-next chooses`,
        unit: "share",
        better: "higher",
      }),
      figureOf(id(`${labels}_difference`), inPoints(set.estimate(difference(chosen, random))), {
        label: `quality with ${labels} chosen labels minus that with as many random ones, mean over models`,
        unit: "points",
        better: "higher",
      }),
    );
  }
  return figures;
}

function meanOf(statistics: readonly Statistic[]): Statistic {
  return (split) => {
    const ready = statistics.map((statistic) => statistic(split));
    return (weights) => ready.reduce((sum, of) => sum + of(weights), 0) / ready.length;
  };
}

function ratio(part: Statistic, whole: Statistic): Statistic {
  return (split) => {
    const [ofPart, ofWhole] = [part(split), whole(split)];
    return (weights) => {
      const all = ofWhole(weights);
      return all > 0 ? ofPart(weights) / all : Number.NaN;
    };
  };
}
