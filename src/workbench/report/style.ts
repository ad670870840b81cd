import { SHADES } from "./strengths-section.js";

const HEAT = Array.from(
  { length: SHADES },
  (_, shade) =>
    `.set-report .heat .h${shade} { background: color-mix(in srgb, var(--accent) ${shade * 5}%, transparent); }`,
).join("\n");

const MODELS = Array.from({ length: 8 }, (_, colour) => colour);
const COLOURS = MODELS.map(
  (colour) =>
    `.set-report .swatch.c${colour} { background: var(--c${colour}); } .set-report .dots.c${colour} { stroke: var(--c${colour}); }`,
).join("\n");

/**
 * The style of what is drawn inside an element of the class `set-report`, on a page that has the variables `--line`, `--text`,
 * `--muted`, `--accent`, `--grid`, `--bg` and `--font`.
 */
export const REPORT_STYLE = `
.set-report {
  --c0: light-dark(#1f5fd1, #6fa2ff); --c1: light-dark(#d9640f, #f49a55); --c2: light-dark(#0f8a79, #4cc9b4);
  --c3: light-dark(#8a3ffc, #b78bff); --c4: light-dark(#c2185b, #f277ae); --c5: light-dark(#8f7300, #d8bd3a);
  --c6: light-dark(#2e8b2e, #7fd06f); --c7: light-dark(#8791a0, #77818f);
  --edge: light-dark(rgb(16 24 40 / 22%), rgb(0 0 0 / 75%));
}
.set-report .part, .set-report figure { container-type: inline-size; }
.set-report .part { margin-top: 32px; }
.set-report .part > h2 { font-size: 15px; font-weight: 600; margin: 0 0 4px; }
.set-report h3 { font-size: 13.5px; font-weight: 500; margin: 0 0 4px; overflow-wrap: anywhere; }
.set-report .note, .set-report figcaption { color: var(--muted); font-size: 13.5px; max-width: 100ch; margin: 0 0 8px; }
.set-report .facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); gap: 12px; margin: 18px 0 0; }
.set-report .facts dt { color: var(--muted); font-size: 13px; }
.set-report .facts dd { margin: 0; font-size: 18px; font-weight: 600; overflow-wrap: anywhere; }
.set-report .facts dd small { display: block; font-size: 13px; font-weight: 400; color: var(--muted); }
.set-report .legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 16px; padding: 0; margin: 10px 0; font-size: 13.5px; }
.set-report .legend li { overflow-wrap: anywhere; }
.set-report .swatch { display: inline-block; width: 11px; height: 11px; border-radius: 50%; margin-right: 6px; }
.set-report svg { display: block; width: 100%; height: auto; }
.set-report svg text { font: 12px var(--font); fill: var(--muted); }
.set-report svg:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.set-report .map { display: grid; grid-template-columns: minmax(0, 1fr) 300px; gap: 18px; align-items: start; }
.set-report .map svg { border: 1px solid var(--line); border-radius: 8px; cursor: crosshair; touch-action: pan-y; }
.set-report .dots { stroke-linecap: round; fill: none; opacity: .8; }
.set-report .ring { fill: none; stroke: var(--text); stroke-width: 2; }
.set-report .details { min-height: 250px; font-size: 14px; overflow-wrap: anywhere; }
.set-report .details p { margin: 0 0 8px; }
.set-report .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(320px, 100%), 1fr)); gap: 26px; }
.set-report figure { margin: 10px 0 0; } .set-report .after { margin-top: 22px; } .set-report .after-table { margin-top: 14px; }
.set-report .grid { stroke: var(--grid); } .set-report .axis { stroke: var(--muted); }
.set-report .curve { fill: none; stroke: var(--accent); stroke-width: 2.2; } .set-report .ideal { fill: none; stroke: var(--muted); stroke-dasharray: 4 4; }
.set-report .point { fill: var(--accent); } .set-report .single { fill: var(--bg); stroke: var(--muted); stroke-width: 1.6; }
.set-report .knee { fill: var(--c3); stroke: var(--bg); stroke-width: 1.5; }
.set-report .tuned { fill: none; stroke: var(--text); stroke-width: 2; }
.set-report .chosen { fill: var(--c1); stroke: var(--bg); stroke-width: 1.5; }
.set-report .scroll {
  overflow-x: auto; margin-top: 10px;
  background:
    linear-gradient(to right, var(--bg) 40%, transparent) 0 0 / 44px 100% no-repeat local,
    linear-gradient(to left, var(--bg) 40%, transparent) 100% 0 / 44px 100% no-repeat local,
    linear-gradient(to right, var(--edge), transparent) 0 0 / 14px 100% no-repeat scroll,
    linear-gradient(to left, var(--edge), transparent) 100% 0 / 14px 100% no-repeat scroll;
}
.set-report .scroll:focus-visible { outline: 2px solid var(--accent); }
.set-report table { border-collapse: collapse; font-size: 13.5px; font-variant-numeric: tabular-nums; width: 100%; }
.set-report th, .set-report td { text-align: left; padding: 5px 10px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.set-report th { font-weight: 500; color: var(--muted); }
.set-report .rows:not(.heat) { min-width: 420px; } .set-report thead th { vertical-align: bottom; }
.set-report .rows tbody th { min-width: 110px; }
.set-report .details td:last-child { white-space: nowrap; }
.set-report td.number, .set-report th.number { text-align: right; } .set-report td.number { white-space: nowrap; }
.set-report .heat td, .set-report .heat thead th { padding: 5px 8px; }
.set-report .heat thead th { vertical-align: bottom; min-width: 72px; overflow-wrap: anywhere; text-align: right; }
.set-report .heat thead th:first-child { text-align: left; padding-left: 0; }
.set-report .heat th:first-child { position: sticky; left: 0; background: var(--bg); min-width: 150px; padding-right: 12px; overflow-wrap: anywhere; }
.set-report .unbroken { display: inline-block; max-width: 100%; }
.set-report .heat td { text-align: right; white-space: nowrap; }
${HEAT}
.set-report .heat td.best { font-weight: 600; } .set-report .heat td small { display: none; }
.set-report .heat small { display: block; font-size: 11.5px; font-weight: 400; } .set-report .heat th small { color: var(--muted); }
.set-report ol.spots { margin: 10px 0 0; padding-left: 22px; list-style: decimal; } .set-report ol.spots li { margin-bottom: 8px; }
${COLOURS}
.set-report svg.narrow, .set-report .cards-only { display: none; }
@container (max-width: 420px) {
  .set-report svg.wide { display: none; } .set-report svg.narrow { display: block; }
}
@media screen { @container (max-width: 720px) {
  .set-report .cards-only { display: inline; }
  .set-report .rows, .set-report .rows tbody { display: block; } .set-report .rows:not(.heat) { min-width: 0; }
  .set-report .rows thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .set-report .rows tr { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(130px, 100%), 1fr)); gap: 8px 14px; padding: 12px 0; border-bottom: 1px solid var(--line); }
  .set-report .rows tbody th:first-child { display: block; position: static; grid-column: 1 / -1; min-width: 0; max-width: none; padding: 0; border: 0; color: var(--text); }
  .set-report .rows tbody td { display: block; padding: 0; border: 0; text-align: left; white-space: normal; overflow-wrap: anywhere; }
  .set-report .rows tbody td[colspan] { grid-column: 1 / -1; }
  .set-report .rows td[data-label]::before { content: attr(data-label); display: block; font-size: 12.5px; font-weight: 400; color: var(--muted); }
  .set-report .rows.heat tr { gap: 6px; }
  .set-report .rows.heat tbody td { padding: 6px 8px; border-radius: 6px; } .set-report .heat td[data-label]::before { color: inherit; }
  .set-report .rows.heat small { display: inline; } .set-report .rows.heat .minor { display: none; }
} }
@media (max-width: 760px) {
  .set-report .map { grid-template-columns: minmax(0, 1fr); } .set-report .details { min-height: 220px; }
  .set-report .heat th:first-child { min-width: 110px; max-width: 130px; }
}
@media print {
  .set-report .part { break-inside: avoid; } .set-report .map { grid-template-columns: minmax(0, 1fr); }
  .set-report .details { display: none; } .set-report .scroll { overflow: visible; background: none; }
  .set-report * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
