import { PALETTE } from "../charts/theme.js";

/** The page's only style sheet. It follows the reader's choice of light or dark; print is light. */
export const STYLE = `
:root{${PALETTE.light}--panel:#f6f7f9;--good:#00734f;--bad:#b3261e;color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{${PALETTE.dark}--panel:#1a2028;--good:#4fd1a0;--bad:#ff9b8f}}
@media print{:root{${PALETTE.light}--panel:#f6f7f9;--good:#00734f;--bad:#b3261e}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
header,main{max-width:1240px;margin:0 auto;padding:0 28px}
header{padding-top:32px}
h1{font-size:28px;line-height:1.2;margin:0 0 4px;letter-spacing:-.01em}
h2{font-size:21px;line-height:1.25;margin:0 0 4px;letter-spacing:-.01em}
h3{font-size:16px;margin:0}
p{margin:0 0 10px;max-width:80ch}
.quiet{color:var(--ink-2);font-size:13.5px}
nav{position:sticky;top:0;z-index:1;background:var(--paper);border-bottom:1px solid var(--grid);margin-top:18px}
nav ul{display:flex;flex-wrap:wrap;gap:4px 20px;max-width:1240px;margin:0 auto;padding:10px 28px;list-style:none}
a{color:var(--ours)}nav a{text-decoration:none}
section{padding:36px 0 8px}
section+section{border-top:1px solid var(--grid)}
code{font:13px/1.4 ui-monospace,monospace;background:var(--panel);padding:1px 5px;border-radius:4px}
.warning{border-left:3px solid var(--bad);padding:4px 12px;background:var(--panel)}
figure{margin:26px 0;display:grid;grid-template-columns:minmax(0,1fr) minmax(280px,400px);gap:6px 28px;align-items:start}
figure>.picture{min-width:0}
figcaption{grid-column:1/-1}
figcaption p{margin:2px 0 0;color:var(--ink-2)}
svg{display:block;max-width:100%;height:auto;overflow:visible}
svg text{font-size:12px}svg text:not([fill]){fill:var(--ink-2)}
svg .grid,svg .axis{stroke:var(--grid)}svg .guide{stroke:var(--ink-2);stroke-dasharray:3 3}
svg .mark{stroke:var(--paper);stroke-width:1px;vector-effect:non-scaling-stroke}
svg .label{paint-order:stroke;stroke:var(--paper);stroke-width:3.5px;stroke-linejoin:round}svg .strong{font-weight:600}
svg .label:not([fill]){fill:var(--ink)}
.scroll{overflow:auto;max-height:400px}
table{border-collapse:collapse;font-size:13.5px;font-variant-numeric:tabular-nums;width:100%}
th,td{text-align:right;padding:5px 10px;border-bottom:1px solid var(--grid);vertical-align:top}
th:first-child,td:first-child{text-align:left;padding-left:0;overflow-wrap:anywhere;min-width:7em}
thead th{color:var(--ink-2);font-weight:500;position:sticky;top:0;background:var(--paper)}
th.text,td.text{text-align:left;color:var(--ink-2)}
tbody tr:hover td{background:var(--panel)}
.reached{color:var(--good);white-space:nowrap}.missed{color:var(--bad);font-weight:600;white-space:nowrap}
details{margin:10px 0;border:1px solid var(--grid);border-radius:8px}
summary{cursor:pointer;padding:9px 14px;font-weight:500}
details>div{padding:0 14px 10px;overflow-x:auto}
ul.notes{padding-left:18px;margin:10px 0}
ul.notes li{max-width:90ch;margin:4px 0}
@media (max-width:900px){figure{grid-template-columns:minmax(0,1fr)}.scroll{max-height:260px}}
`;
