import type { SetReportBody } from "../api/set-report.js";
import { type Element, element } from "./element.js";
import { count, quality } from "./figures.js";

export interface Fact {
  readonly name: string;
  readonly value: string;
  readonly detail: string;
}

/** The main figures of a set. */
export function setFacts({ anchors, models, topics }: SetReportBody): readonly Fact[] {
  const [best] = models;
  const graded = models.filter(({ samples }) => samples > 0).length;
  return [
    {
      name: "Anchors: the set's profiled prompts",
      value: count(anchors),
      detail: `${topics.length} topic${topics.length === 1 ? "" : "s"}`,
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
  ];
}

export const factList = (facts: readonly Fact[]): Element =>
  element(
    "dl",
    { class: "facts" },
    facts.map(({ name, value, detail }) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, value, element("small", {}, detail))),
    ),
  );
