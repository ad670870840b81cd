import type { SetReport } from "../../engine/profiles/set-report.js";
import { type Element, element } from "./element.js";
import { count } from "./figures.js";
import { cell, columnHead, rowHead, section, table } from "./section.js";

/** Where the profiled prompts are from. */
export const sourcesSection = ({ sources }: SetReport): Element =>
  section(
    "sources",
    "Sources",
    table({
      label: "Table of sources",
      head: [columnHead("source"), columnHead("anchors", "number"), columnHead("licence")],
      rows: sources.map(({ name, licence, anchors }) =>
        element("tr", {}, rowHead(name), cell(count(anchors), "number"), cell(licence ?? "not stated")),
      ),
    }),
  );
