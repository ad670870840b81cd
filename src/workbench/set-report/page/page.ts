import { createHash } from "node:crypto";
import type { SetReport } from "../set-report.js";
import { type HeldOut, heldOutSection } from "./held-out-charts.js";
import { mapSection } from "./map-chart.js";
import { escaped, quality } from "./markup.js";
import { SCRIPT } from "./script.js";
import { strengthsSection } from "./strengths-table.js";
import { STYLE } from "./style.js";

/**
 * A report as one HTML page that loads nothing: style, script and charts are in it, and its Content-Security-Policy allows
 * these two by their hashes and nothing else.
 */
export function reportPage(report: SetReport, heldOut: HeldOut | null): string {
  const policy = `default-src 'none'; style-src '${hashOf(STYLE)}'; script-src '${hashOf(SCRIPT)}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Profile set ${escaped(report.name)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>Profile set ${escaped(report.name)}</h1>
<p class="muted">Version ${escaped(report.version)}, built ${escaped(report.builtAt.slice(0, 10))} for embedder ${escaped(report.embedder)}</p>
${facts(report, heldOut)}
</header>
<main>
${mapSection(report)}
${heldOut === null ? NOTHING_HELD_OUT : heldOutSection(heldOut)}
${strengthsSection(report)}
${thinSection(report)}
${sourcesSection(report)}
</main>
<footer>Made by <code>sextant profile report</code>. Contains no text of a prompt.</footer>
<script type="module">${SCRIPT}</script>
</body>
</html>
`;
}

const hashOf = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`;

const NOTHING_HELD_OUT = `<section aria-labelledby="held-out-title"><h2 id="held-out-title">Cost, quality and calibration</h2>
<p class="note">These are measured on graded prompts that the set was not built with: give them with --prompts and --outcomes.</p></section>`;

function facts({ anchors, models, topics }: SetReport, heldOut: HeldOut | null): string {
  const [best] = models;
  const evaluation = heldOut?.evaluation;
  const rows = [
    ["Anchors", anchors.toLocaleString("en"), `${topics.length} topics`],
    [
      "Models",
      String(models.length),
      `${models.filter(({ scored }) => scored > 0).length} with graded answers`,
    ],
    ...(best === undefined
      ? []
      : [["Best overall", best.model, `${quality(best.quality)} ± ${quality(best.error)}`] as const]),
    ...(evaluation === undefined
      ? []
      : [
          [
            "Held-out quality",
            quality(evaluation.router.quality.value),
            `best single model ${quality(evaluation.router.quality.value - evaluation.gain.value)}`,
          ] as const,
        ]),
  ];
  return `<dl class="facts">${rows
    .map(
      ([name, value, detail]) =>
        `<div><dt>${name}</dt><dd>${escaped(value ?? "")}<small>${escaped(detail ?? "")}</small></dd></div>`,
    )
    .join("")}</dl>`;
}

function thinSection({ thinSpots }: SetReport): string {
  if (thinSpots.length === 0) {
    return `<section aria-labelledby="thin-title">
<h2 id="thin-title">Where labels would help most</h2>
<p class="note">Nowhere: the best models are told apart on every topic.</p>
</section>`;
  }
  const items = thinSpots.map(({ topic, anchors, atStake, between, label }) => {
    const labels =
      label.labels < anchors
        ? `${label.model} is scored on ${label.labels} of them`
        : "both are scored on all of them: add prompts of this kind";
    return `<li><strong>${escaped(topic)}</strong> (${anchors.toLocaleString("en")} anchors): up to ${(100 * atStake).toFixed(2)} points of quality, between
${escaped(between[0])} and ${escaped(between[1])}; ${escaped(labels)}</li>`;
  });
  return `<section aria-labelledby="thin-title">
<h2 id="thin-title">Where labels would help most</h2>
<p class="note">Topics on which the best models are not told apart, weighted by their share of the anchors, and the quality that
knowing their order would bring to a prompt there. <code>sextant profile label-next MODEL</code> chooses the prompts to label.</p>
<ol class="spots">${items.join("")}</ol>
</section>`;
}

function sourcesSection({ sources }: SetReport): string {
  const rows = sources.map(
    ({ name, licence, anchors }) =>
      `<tr><th scope="row">${escaped(name)}</th><td class="number">${anchors.toLocaleString("en")}</td><td>${escaped(licence ?? "not stated")}</td></tr>`,
  );
  return `<section aria-labelledby="sources-title"><h2 id="sources-title">Sources</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Sources"><table><thead><tr><th scope="col">source</th><th scope="col" class="number">anchors</th><th scope="col">licence</th></tr></thead><tbody>${rows.join("")}</tbody></table></div></section>`;
}
