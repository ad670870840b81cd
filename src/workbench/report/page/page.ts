import { createHash } from "node:crypto";
import type { SetReport } from "../../../engine/profiles/set-report.js";
import { escaped, htmlOf, jsonInScript } from "../element.js";
import { type Fact, factList, setFacts } from "../facts.js";
import { points, quality } from "../figures.js";
import { frontierSection } from "../frontier-section.js";
import { mapSection } from "../map-section.js";
import { mapDataOf, pointDetails, selectOnMap } from "../map-selection.js";
import { note, section } from "../section.js";
import { sourcesSection } from "../sources-section.js";
import { strengthsSection } from "../strengths-section.js";
import { REPORT_STYLE } from "../style.js";
import { thinSpotsSection } from "../thin-spots-section.js";
import { type HeldOut, heldOutSection } from "./held-out-section.js";

/**
 * A report as one HTML page that loads nothing: style, script and charts are in it, and its Content-Security-Policy allows
 * these two by their hashes and nothing else.
 */
export function reportPage(report: SetReport, heldOut: HeldOut | null): string {
  const policy = `default-src 'none'; style-src '${hashOf(STYLE)}'; script-src '${hashOf(SCRIPT)}'; base-uri 'none'; form-action 'none'`;
  const sections = [
    mapSection(report),
    heldOut === null ? NOTHING_HELD_OUT : heldOutSection(heldOut),
    frontierSection(report),
    strengthsSection(report),
    thinSpotsSection(report),
    sourcesSection(report),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Profile set ${escaped(report.name)}</title>
<style>${STYLE}</style>
</head>
<body class="set-report">
<header>
<h1>Profile set ${escaped(report.name)}</h1>
<p class="muted">Version ${escaped(report.version)}, built ${escaped(report.built_at.slice(0, 10))} for embedder ${escaped(report.embedder)}</p>
${htmlOf(factList([...setFacts(report), ...heldOutFacts(heldOut)]))}
</header>
<main>
${sections.map(htmlOf).join("\n")}
</main>
<footer>Made by <code>sextant profile report</code>. Contains no text of a prompt.</footer>
<script type="application/json" id="map-data">${jsonInScript(mapDataOf(report))}</script>
<script type="module">${SCRIPT}</script>
</body>
</html>
`;
}

const hashOf = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`;

const NOTHING_HELD_OUT = section(
  "held-out",
  "On held-out prompts",
  note(
    "What decisions reach is measured on graded prompts that the set was not built with: give them with --prompts and --outcomes. Below is what the set itself leads to expect.",
  ),
);

function heldOutFacts(heldOut: HeldOut | null): readonly Fact[] {
  if (heldOut === null) return [];
  const { costWeight, router, gain, best } = heldOut.evaluation;
  return [
    ...tunedFacts(heldOut),
    {
      name: `Quality on held-out prompts at cost weight ${costWeight}`,
      value: quality(router.quality.value),
      detail: `always ${best}, the best single model there: ${quality(router.quality.value - gain.value)}`,
    },
  ];
}

/** Quality at the saved cost weight, unless the decisions that are shown are at that weight. */
function tunedFacts({ evaluation, tuned }: HeldOut): readonly Fact[] {
  const step = evaluation.sweep.find(({ costWeight }) => costWeight === tuned?.costWeight);
  if (tuned === null || step === undefined || step.costWeight === evaluation.costWeight) return [];
  const { costWeight: best, gain } = tuned.bestWeight;
  return [
    {
      name: `Quality on held-out prompts at the saved cost weight ${step.costWeight}`,
      value: quality(step.quality),
      detail:
        best === step.costWeight
          ? "no other cost weight is better there"
          : `${points(gain.value)} points against cost weight ${best}, the best there`,
    },
  ];
}

/** The style of the page: light and dark by the system's setting, light on paper, one column on a phone. */
const STYLE = `
:root {
  color-scheme: light dark;
  --bg: light-dark(#fff, #0e0e10); --line: light-dark(#dfe3e9, #2b323d);
  --text: light-dark(#171b22, #e7eaf0); --muted: light-dark(#566070, #9ea9b8); --accent: light-dark(#1f5fd1, #6fa2ff);
  --grid: light-dark(#e8ebf0, #252c36);
  --font: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
}
* { box-sizing: border-box; }
html { font: 15px/1.5 var(--font); color: var(--text); background: var(--bg); -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 1180px; padding: 28px 20px 60px; }
h1 { font-size: 26px; line-height: 1.2; margin: 0 0 4px; letter-spacing: -.01em; overflow-wrap: anywhere; }
p { margin: 0 0 8px; }
.muted { color: var(--muted); }
footer { color: var(--muted); font-size: 13px; margin-top: 18px; }
@media (max-width: 760px) { body { padding: 18px 12px 40px; } }
@media print {
  :root { color-scheme: light; } html { background: #fff; font-size: 11px; } body { max-width: none; padding: 0; }
}
${REPORT_STYLE}`;

/** The only script of the page: shows the details of the anchor that is selected on the map. */
export const SCRIPT = `
const data = JSON.parse(document.getElementById("map-data").textContent);
const details = document.getElementById("map-details");
function built({ tag, attributes, content }) {
  const found = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) found.setAttribute(name, value);
  found.append(...content.map((part) => (typeof part === "string" ? part : built(part))));
  return found;
}
const detailsOf = ${pointDetails};
(${selectOnMap})({
  svg: document.getElementById("map"),
  ring: document.getElementById("map-ring"),
  points: data.map,
  onSelect: (index) => details.replaceChildren(...detailsOf(data, index).map(built)),
});
`;
