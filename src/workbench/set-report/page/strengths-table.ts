import type { SetReport } from "../set-report.js";
import { escaped, quality } from "./markup.js";
import { SHADES } from "./style.js";

const MOST_MODELS = 14;

/** Expected quality of the best models on each topic, with its standard error. */
export function strengthsSection({ models, strengths, topics }: SetReport): string {
  const shown = models.slice(0, MOST_MODELS);
  const head = shown.map(({ model }) => `<th scope="col">${escaped(model)}</th>`).join("");
  const rows = strengths.map(({ topic, anchors, cells }) => {
    const own = cells.slice(0, shown.length);
    const values = own.map((cell) => cell.quality);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const columns = own.map((cell) => {
      const share = high > low ? (cell.quality - low) / (high - low) : 1;
      const best = cell.quality === high ? " best" : "";
      const labels = Math.round(cell.measured * anchors);
      return `<td class="h${Math.round(share * (SHADES - 1))}${best}" title="${labels} labels">${quality(cell.quality)}<small>± ${quality(cell.error)}</small></td>`;
    });
    return `<tr><th scope="row">${escaped(topic)} <small>${anchors.toLocaleString("en")} anchors</small></th>${columns.join("")}</tr>`;
  });
  const left = [
    models.length > shown.length ? `the best ${shown.length} of ${models.length} models` : "",
    topics.length > strengths.length ? `the largest ${strengths.length} of ${topics.length} topics` : "",
  ].filter((part) => part !== "");
  return `<section aria-labelledby="strengths-title">
<h2 id="strengths-title">Strengths by topic</h2>
<p class="note">Expected quality with its standard error; the darker, the better on that topic, the best in bold.${left.length === 0 ? "" : ` Shown are ${left.join(" and ")}.`}</p>
<div class="scroll" tabindex="0" role="region" aria-label="Strengths by topic">
<table class="heat"><thead><tr><th scope="col">topic</th>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div>
</section>`;
}
