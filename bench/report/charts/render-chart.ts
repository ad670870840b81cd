import { parse, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import { escapeText, legible } from "../legible.js";
import type { Chart } from "../result.js";
import { barsSpec } from "./bars.js";
import { planeSpec } from "./plane.js";

/**
 * A chart as SVG. Its colours are CSS custom properties (theme.ts), which the page around it must define. Marks carry their
 * values as tooltips.
 */
export async function renderChart(chart: Chart): Promise<string> {
  const spec = chart.kind === "bars" ? barsSpec(chart) : planeSpec(chart);
  const view = new View(parse(compile(spec as unknown as TopLevelSpec).spec), { renderer: "none" });
  try {
    const svg = await view.toSVG();
    const title = escapeText(legible(chart.title, 120));
    return withTooltips(svg).replace("<svg ", `<svg role="img" aria-label="${title}" `);
  } finally {
    view.finalize();
  }
}

/** Vega writes what a mark shows for screen readers only; browsers show it to everybody as the mark's title. */
function withTooltips(svg: string): string {
  return svg.replaceAll(/<path aria-label="([^"]*)"([^>]*)\/>/g, "<path$2><title>$1</title></path>");
}
