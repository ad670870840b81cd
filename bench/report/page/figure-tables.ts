import { counted, formatValue, legible } from "../legible.js";
import { againstText, intervalText, isReached } from "../markdown.js";
import type { BenchmarkResult, Figure } from "../result.js";
import { nameOf } from "./chart-table.js";
import { html, type Markup, nothing } from "./html.js";

/** The summary table: figures with a goal of the design or a published reference value. */
export function goalTable(results: readonly BenchmarkResult[]): Markup {
  const rows = results.flatMap((result) =>
    result.figures
      .filter(({ goal, best_known: bestKnown }) => goal !== undefined || bestKnown !== undefined)
      .map((figure) => goalRow(figure, result)),
  );
  if (rows.length === 0) return nothing;
  return html`<section id="goals"><h2>Goals</h2>
<p class="quiet">What the design promised, and what others are known to reach.</p>
<div class="scroll" style="max-height:none"><table><thead><tr><th></th><th class="text">of</th><th>value</th><th>95 %</th><th>best known</th><th>goal</th><th></th></tr></thead>
<tbody>${rows}</tbody></table></div></section>`;
}

function goalRow(figure: Figure, { suite }: BenchmarkResult): Markup {
  const { id, label, value, unit, best_known: bestKnown, goal, better } = figure;
  // What sets apart two figures of one name: the data set, or the kind of load.
  const section = id.split("/").length > 2 ? `${suite}, ${groupOf(figure)}` : suite;
  const target = goal === undefined ? "" : `${better === "lower" ? "≤" : "≥"} ${formatValue(goal, unit)}`;
  const best = bestKnown === undefined ? "" : formatValue(bestKnown, unit);
  return html`<tr><td>${nameOf(label, 120)}</td><td class="text">${section}</td><td>${formatValue(value, unit)}</td>
<td>${intervalText(figure)}</td><td>${best}</td><td>${target}</td><td>${verdict(figure)}</td></tr>`;
}

function verdict(figure: Figure): Markup {
  const reached = isReached(figure);
  if (reached === undefined) return nothing;
  return reached ? html`<span class="reached">✓ reached</span>` : html`<span class="missed">✗ missed</span>`;
}

/** Every figure of a result, folded up by the first words of their ids. */
export function figureTables(result: BenchmarkResult): Markup[] {
  const groups = new Map<string, Figure[]>();
  for (const figure of result.figures) {
    const group = groupOf(figure);
    groups.set(group, [...(groups.get(group) ?? []), figure]);
  }
  return [...groups].map(([group, figures]) => {
    const rows = figures.map((figure) => figureRow(figure, result));
    return html`<details><summary>${group} <span class="quiet">${counted(figures.length, "figure")}</span></summary><div>
<table><thead><tr><th></th><th>value</th><th>95 %</th><th>goal</th><th></th></tr></thead><tbody>${rows}</tbody></table>
</div></details>`;
  });
}

/** `quality/mmlu_pro/ours/accuracy` is in `mmlu_pro`, `http/ratio` in `http`. */
function groupOf({ id }: Figure): string {
  const words = id.split("/");
  return legible((words.length > 2 ? words[1] : words[0]) ?? id);
}

function figureRow(figure: Figure, result: BenchmarkResult): Markup {
  const { label, value, unit, id } = figure;
  const aside = [againstText(figure, result), figure.note ?? ""].filter((text) => text !== "").join("; ");
  return html`<tr title="${id}"><td>${nameOf(label, 120)}</td><td>${formatValue(value, unit)}</td><td>${intervalText(figure)}</td>
<td>${verdict(figure)}</td><td class="text">${legible(aside, 200)}</td></tr>`;
}
