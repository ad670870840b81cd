import type { SetReport } from "../../engine/profiles/set-report.js";
import { type Element, element } from "./element.js";
import { count, counted, quality, recommendedWeightText } from "./figures.js";

export interface Fact {
  readonly name: string;
  readonly value: string;
  readonly detail: string;
}

/** The main figures of a set. */
export function setFacts({
  anchors,
  models,
  topics,
  clusters,
  recommended_cost_weight: recommended,
}: SetReport): readonly Fact[] {
  const [best] = models;
  const graded = models.filter(({ samples }) => samples > 0).length;
  return [
    {
      name: "Anchors: the set's profiled prompts",
      value: count(anchors),
      detail: `${counted(topics.length, "topic")}${clusteredOf({ topics, clusters })}`,
    },
    { name: "Models", value: String(models.length), detail: `${graded} with graded answers` },
    ...(best === undefined
      ? []
      : [
          {
            name: "Highest expected quality over all topics",
            value: best.model,
            detail: `${quality(best.expected_quality)} ± ${quality(best.quality_stderr)}`,
          },
        ]),
    ...(recommended === null
      ? []
      : [
          {
            name: "Cost weight saved in the set",
            value: String(recommended.cost_weight),
            detail: recommendedWeightText(recommended),
          },
        ]),
  ];
}

function clusteredOf({ topics, clusters }: Pick<SetReport, "topics" | "clusters">): string {
  if (clusters.length === 0) return "";
  return clusters.length === topics.length ? ", clustered" : `, ${clusters.length} of them clustered`;
}

export const factList = (facts: readonly Fact[]): Element =>
  element(
    "dl",
    { class: "facts" },
    facts.map(({ name, value, detail }) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, value, element("small", {}, detail))),
    ),
  );
