import { environmentLine } from "../../environment.js";
import { renderChart } from "../charts/render-chart.js";
import { counted, legible } from "../legible.js";
import type { BenchmarkResult, Chart, Figure } from "../result.js";
import { chartTable, nameOf } from "./chart-table.js";
import { figureTables, goalTable } from "./figure-tables.js";
import { html, type Markup, nothing, trusted } from "./html.js";
import { STYLE } from "./style.js";

/**
 * Results as one page without scripts or anything to be fetched, whose texts are all escaped: names of models and data sets
 * come from untrusted files.
 */
export function renderPage(results: readonly BenchmarkResult[]): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Sextant benchmarks</title>
<style>${trusted(STYLE)}</style>
</head>
<body>
<header><h1>Sextant benchmarks</h1>${headOf(results)}</header>
${navigation(results)}
<main>
${goalTable(results)}
${results.map((result, index) => sectionOf(result, `result-${index + 1}`))}
</main>
</body>
</html>
`;
  return page.text;
}

/** What all results have in common stands once. */
function headOf(results: readonly BenchmarkResult[]): Markup {
  const commits = new Set(results.map(({ environment }) => environment.commit ?? "unknown"));
  const dates = results.map(({ environment }) => environment.date.slice(0, 10)).sort();
  const days = [...new Set([dates[0] ?? "", dates.at(-1) ?? ""])].join(" to ");
  return html`<p class="quiet">Commit ${legible([...commits].join(", "), 200)}, measured ${days}. Ratios were taken within one run and compare
between machines; times do not.</p>`;
}

function navigation(results: readonly BenchmarkResult[]): Markup {
  const links = results.map(
    ({ suite }, index) => html`<li><a href="#result-${index + 1}">${titleOf(suite)}</a></li>`,
  );
  return html`<nav><ul><li><a href="#goals">Goals</a></li>${links}</ul></nav>`;
}

const titleOf = (suite: string): string =>
  suite === "http" ? "HTTP" : `${suite.slice(0, 1).toUpperCase()}${suite.slice(1)}`;

const TIMES: readonly Figure["unit"][] = ["us", "ms", "s", "per_s"];

function sectionOf(result: BenchmarkResult, id: string): Markup {
  const { suite, question, environment, command, seeds, notes } = result;
  const busy =
    environment.load > environment.cores && result.figures.some(({ unit }) => TIMES.includes(unit))
      ? html`<p class="warning">The machine was busy (load ${environment.load} on ${environment.cores} cores): its times are
worthless, its ratios hold within a few tenths.</p>`
      : nothing;
  const drawn = seeds.length === 0 ? "" : `, seeds ${seeds.join(", ")}`;
  return html`<section id="${id}"><h2>${titleOf(suite)}</h2>
<p>${legible(question, 400)}</p>
<p class="quiet">${legible(environmentLine(environment), 300)}. <code>${legible(command, 200)}</code>${drawn}</p>
${busy}
${dataTable(result)}
${result.charts.map(figureOf)}
${figureTables(result)}
<ul class="notes quiet">${notes.map((note) => html`<li>${legible(note, 600)}</li>`)}</ul>
</section>`;
}

function dataTable({ datasets }: BenchmarkResult): Markup {
  if (datasets.length === 0) return nothing;
  const rows = datasets.map(
    ({ name, sha256, prompts, models }) =>
      html`<tr><td>${nameOf(name)}</td><td>${prompts}</td><td>${models}</td><td><code>${sha256.slice(0, 16)}</code></td></tr>`,
  );
  return html`<details><summary>Data <span class="quiet">${counted(datasets.length, "set")}</span></summary><div><table>
<thead><tr><th></th><th>prompts</th><th>models</th><th>SHA-256</th></tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

function figureOf(chart: Chart): Markup {
  return html`<figure id="${anchorOf(chart.id)}"><figcaption><h3>${legible(chart.title, 120)}</h3>
<p>${legible(chart.caption, 400)}</p></figcaption>
<div class="picture">${trusted(renderChart(chart))}</div><div class="scroll">${chartTable(chart)}</div></figure>`;
}

/** What a link can lead to: `quality/frontier/mmlu_pro` → `quality-frontier-mmlu_pro`. */
const anchorOf = (id: string): string => `chart-${id.replaceAll(/[^A-Za-z0-9_]+/g, "-")}`;
