/** Shades of a cell, from the worst model on a topic (`h0`) to the best. */
export const SHADES = 9;
const HEAT = Array.from(
  { length: SHADES },
  (_, shade) =>
    `.heat .h${shade} { background: color-mix(in srgb, var(--accent) ${shade * 5}%, transparent); }`,
).join("\n");

/** The style of the page: light and dark by the system's setting, light on paper, one column on a phone. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --bg: light-dark(#f5f6f8, #0d1015); --surface: light-dark(#fff, #161a21); --line: light-dark(#dfe3e9, #2b323d);
  --text: light-dark(#171b22, #e7eaf0); --muted: light-dark(#566070, #9ea9b8); --accent: light-dark(#1f5fd1, #6fa2ff);
  --grid: light-dark(#e8ebf0, #252c36);
  --c0: light-dark(#1f5fd1, #6fa2ff); --c1: light-dark(#d9640f, #f49a55); --c2: light-dark(#0f8a79, #4cc9b4);
  --c3: light-dark(#8a3ffc, #b78bff); --c4: light-dark(#c2185b, #f277ae); --c5: light-dark(#8f7300, #d8bd3a);
  --c6: light-dark(#2e8b2e, #7fd06f); --c7: light-dark(#8791a0, #77818f);
  --font: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
}
* { box-sizing: border-box; }
html { font: 15px/1.5 var(--font); color: var(--text); background: var(--bg); -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 1180px; padding: 28px 20px 60px; }
h1 { font-size: 26px; line-height: 1.2; margin: 0 0 4px; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { font-size: 18px; margin: 0 0 4px; }
h3 { font-size: 15px; margin: 0 0 4px; overflow-wrap: anywhere; }
p { margin: 0 0 8px; }
a { color: var(--accent); }
section { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px; margin-top: 18px; }
.muted, .note, figcaption { color: var(--muted); }
.note, figcaption { font-size: 13.5px; max-width: 90ch; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 18px 0 0; }
.facts div { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 12px 14px; }
.facts dt { color: var(--muted); font-size: 13px; }
.facts dd { margin: 0; font-size: 20px; font-weight: 600; overflow-wrap: anywhere; }
.facts dd small { display: block; font-size: 13px; font-weight: 400; color: var(--muted); }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 16px; padding: 0; margin: 10px 0; font-size: 13.5px; }
.swatch { display: inline-block; width: 11px; height: 11px; border-radius: 50%; margin-right: 6px; background: var(--c7); }
.swatch.c0 { background: var(--c0); } .swatch.c1 { background: var(--c1); } .swatch.c2 { background: var(--c2); }
.swatch.c3 { background: var(--c3); } .swatch.c4 { background: var(--c4); } .swatch.c5 { background: var(--c5); }
.swatch.c6 { background: var(--c6); }
svg { display: block; width: 100%; height: auto; }
svg text { font: 12px var(--font); fill: var(--muted); }
svg text.strong { fill: var(--text); font-weight: 600; }
svg:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.map { display: grid; grid-template-columns: minmax(0, 1fr) 300px; gap: 18px; align-items: start; }
.map svg { border: 1px solid var(--line); border-radius: 8px; cursor: crosshair; touch-action: pan-y; }
.dots { stroke: var(--c7); stroke-linecap: round; fill: none; opacity: .8; }
.dots.c0 { stroke: var(--c0); } .dots.c1 { stroke: var(--c1); } .dots.c2 { stroke: var(--c2); } .dots.c3 { stroke: var(--c3); }
.dots.c4 { stroke: var(--c4); } .dots.c5 { stroke: var(--c5); } .dots.c6 { stroke: var(--c6); }
.ring { fill: none; stroke: var(--text); stroke-width: 2; }
.details { min-height: 250px; font-size: 14px; overflow-wrap: anywhere; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); gap: 26px; }
figure { margin: 10px 0 0; } .after { margin-top: 22px; }
.grid { stroke: var(--grid); } .axis { stroke: var(--muted); }
.curve { fill: none; stroke: var(--accent); stroke-width: 2.2; } .ideal { stroke: var(--muted); stroke-dasharray: 4 4; }
.point { fill: var(--accent); } .single { fill: var(--surface); stroke: var(--muted); stroke-width: 1.6; }
.chosen { fill: var(--c1); }
.scroll { overflow-x: auto; margin-top: 10px; }
.scroll:focus-visible { outline: 2px solid var(--accent); }
table { border-collapse: collapse; font-size: 13.5px; font-variant-numeric: tabular-nums; width: 100%; }
th, td { text-align: left; padding: 5px 10px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; color: var(--muted); }
table.wide { min-width: 560px; } .details td:last-child { white-space: nowrap; }
td.number, th.number { text-align: right; white-space: nowrap; }
.heat td, .heat thead th { padding: 5px 8px; }
.heat thead th { vertical-align: bottom; min-width: 100px; overflow-wrap: anywhere; }
.heat tbody th { position: sticky; left: 0; background: var(--surface); min-width: 150px; padding-right: 12px; overflow-wrap: anywhere; }
.heat td { text-align: right; white-space: nowrap; }
${HEAT}
.heat td.best { font-weight: 700; }
.heat small { display: block; color: var(--muted); font-size: 11.5px; font-weight: 400; }
ol.spots { margin: 10px 0 0; padding-left: 22px; } ol.spots li { margin-bottom: 8px; }
footer { color: var(--muted); font-size: 13px; margin-top: 18px; }
@media (max-width: 760px) {
  body { padding: 18px 12px 40px; } section { padding: 14px; }
  .map { grid-template-columns: minmax(0, 1fr); } .details { min-height: 220px; }
  .charts { grid-template-columns: minmax(0, 1fr); } .heat tbody th { min-width: 110px; }
}
@media print {
  :root { color-scheme: light; } html { background: #fff; font-size: 11px; } body { max-width: none; padding: 0; }
  section { border: 0; padding: 10px 0; break-inside: avoid; } .map { grid-template-columns: minmax(0, 1fr); }
  .details { display: none; } .scroll { overflow: visible; } * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
