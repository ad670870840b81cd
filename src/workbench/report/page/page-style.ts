import { REPORT_STYLE } from "../style.js";

/** The style of the page: light and dark by the system's setting, light on paper, one column on a phone. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --bg: light-dark(#f5f6f8, #0d1015); --surface: light-dark(#fff, #161a21); --line: light-dark(#dfe3e9, #2b323d);
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
