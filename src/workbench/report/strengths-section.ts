import type { SetReport } from "../../engine/profiles/set-report.js";
import { type Element, element } from "./element.js";
import { counted, quality } from "./figures.js";
import { columnHead, note, rowHead, section, table } from "./section.js";

/** Shades of a cell, from the worst model on a topic (`h0`) to the best. */
export const SHADES = 9;

/** Where a topic is a card, it shows so many models. */
const MOST_IN_A_CARD = 6;

/** Expected quality of the best models on each topic, with its standard error. */
export function strengthsSection(
  report: Pick<SetReport, "models" | "strengths" | "topics" | "clusters">,
): Element {
  const { models, strengths, topics } = report;
  const shown = models.slice(0, strengths[0]?.models.length ?? 0);
  const clustered = new Set(report.clusters.map((topic) => topics[topic]));
  const left = [
    models.length > shown.length ? `the best ${shown.length} of ${models.length} models` : "",
    topics.length > strengths.length ? `the largest ${strengths.length} of ${topics.length} topics` : "",
  ].filter((part) => part !== "");
  return section(
    "strengths",
    "Strengths by topic",
    note(
      "Expected quality with its standard error; the stronger the colour, the better on that topic, the best in bold.",
      left.length === 0 ? "" : ` Shown are ${left.join(" and ")}.`,
      shown.length > MOST_IN_A_CARD
        ? element("span", { class: "cards-only" }, ` Each topic shows its best ${MOST_IN_A_CARD} models.`)
        : null,
      aboutClusters(report),
    ),
    table({
      label: "Table of strengths by topic",
      kind: "heat",
      head: [columnHead("topic"), ...shown.map(({ model }) => columnHead(model))],
      rows: strengths.map((row) => rowOf(row, clustered)),
    }),
  );
}

/** Where topics have no names, and why. */
function aboutClusters({ topics, clusters }: Pick<SetReport, "topics" | "clusters">): string {
  const remedy = "Build it from prompts with the column category to see topics by their names.";
  if (clusters.length > 0) {
    const some = clusters.length < topics.length ? ` ${clusters.length} topics` : " The topics";
    return `${some} are clusters of similar prompts, numbered by their size: these prompts came without a category, and no text is in a set that could name them. ${remedy}`;
  }
  return topics.length === 1
    ? ` The prompts came without a category and are too few to be clustered, so that the set has one topic. ${remedy}`
    : "";
}

function rowOf(
  { topic, anchors, models }: SetReport["strengths"][number],
  clustered: ReadonlySet<string | undefined>,
): Element {
  const values = models.map((cell) => cell.quality);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const leastInACard = values.toSorted((a, b) => b - a)[MOST_IN_A_CARD - 1] ?? low;
  const cells = models.map((cell) => {
    const share = high > low ? (cell.quality - low) / (high - low) : 1;
    const best = cell.quality === high ? " best" : "";
    const minor = cell.quality < leastInACard ? " minor" : "";
    return element(
      "td",
      {
        class: `h${Math.round(share * (SHADES - 1))}${best}${minor}`,
        title: `± ${quality(cell.stderr)}, ${counted(cell.samples, "graded answer")}`,
      },
      quality(cell.quality),
      " ",
      element("small", {}, `± ${quality(cell.stderr)}`),
    );
  });
  return element(
    "tr",
    {},
    rowHead(
      unbrokenParts(topic),
      " ",
      element("small", {}, `${counted(anchors, "anchor")}${clustered.has(topic) ? ", clustered" : ""}`),
    ),
    cells,
  );
}

/** A name that breaks after its slashes and underscores, not within words. */
function unbrokenParts(name: string): (Element | string)[] {
  const parts = name.split(/(?<=[/_])/);
  return parts.length === 1 ? parts : parts.map((part) => element("span", { class: "unbroken" }, part));
}
