import type { SetReportBody } from "../api/set-report.js";
import { type Element, element } from "./element.js";
import { count, quality } from "./figures.js";
import { columnHead, note, rowHead, section, table } from "./section.js";

/** Shades of a cell, from the worst model on a topic (`h0`) to the best. */
export const SHADES = 9;

/** Expected quality of the best models on each topic, with its standard error. */
export function strengthsSection({ models, strengths, topics }: SetReportBody): Element {
  const shown = models.slice(0, strengths[0]?.models.length ?? 0);
  const left = [
    models.length > shown.length ? `the best ${shown.length} of ${models.length} models` : "",
    topics.length > strengths.length ? `the largest ${strengths.length} of ${topics.length} topics` : "",
  ].filter((part) => part !== "");
  return section(
    "strengths",
    "Strengths by topic",
    note(
      "Expected quality with its standard error; the darker, the better on that topic, the best in bold.",
      left.length === 0 ? "" : ` Shown are ${left.join(" and ")}.`,
      topics.length === 1
        ? " The prompts came without a category, so that the set has one topic: build it from prompts with the column category to see where models differ."
        : "",
    ),
    table({
      label: "Table of strengths by topic",
      kind: "heat",
      head: [columnHead("topic"), ...shown.map(({ model }) => columnHead(model))],
      rows: strengths.map(rowOf),
    }),
  );
}

function rowOf({ topic, anchors, models }: SetReportBody["strengths"][number]): Element {
  const values = models.map((cell) => cell.quality);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const cells = models.map((cell) => {
    const share = high > low ? (cell.quality - low) / (high - low) : 1;
    const best = cell.quality === high ? " best" : "";
    return element(
      "td",
      {
        class: `h${Math.round(share * (SHADES - 1))}${best}`,
        title: `${cell.samples} graded answers`,
      },
      quality(cell.quality),
      element("small", {}, `± ${quality(cell.stderr)}`),
    );
  });
  return element(
    "tr",
    {},
    rowHead(topic, " ", element("small", {}, `${count(anchors)} anchor${anchors === 1 ? "" : "s"}`)),
    cells,
  );
}
