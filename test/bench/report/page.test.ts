import { describe, expect, it } from "vitest";
import { renderChart } from "../../../bench/report/charts/render-chart.js";
import { renderPage } from "../../../bench/report/page/render-page.js";
import type { BenchmarkResult, Chart } from "../../../bench/report/result.js";
import { everyChart } from "./every-chart.js";

/** Tags, ends of attributes and comments, templates, an escape, and characters that are unseen or turn the direction. */
const HOSTILE =
  `<script>alert("x")</script>"><img src=x onerror=alert(1)></title></svg></text><style>*{}</style>` +
  `' onmouseover='alert(1) &lt;already escaped&gt; & not $\{alert(1)} {{1}} ]]> --> */ \u202eeg\u202c \u0000\u001b[31m`;

const TEXTS = /^(question|command|processor|commit|label|note|title|caption|name)$/;

/** Results whose every text is hostile. */
const hostile = (text: string): BenchmarkResult[] =>
  JSON.parse(JSON.stringify(everyChart()), (key, value) => {
    if (key === "notes") return [text];
    if (key === "charts") return value.map((chart: Chart) => ({ ...chart, id: text }));
    return TEXTS.test(key) && typeof value === "string" ? text : value;
  });

/** Names of tags and of their attributes. */
const markupOf = (page: string): Set<string> =>
  new Set(
    [...page.matchAll(/<[a-z][^>]*>/gi)].flatMap(([tag]) => [
      tag.split(/[\s>]/)[0] ?? "",
      ...[...tag.matchAll(/\s([a-z-]+)=("[^"]*"|'[^']*')/gi)].map(([, name = ""]) => name),
    ]),
  );

describe("The report page", () => {
  it("is self-contained: no script, no external link, and a content security policy that forbids them", async () => {
    const page = await renderPage(everyChart());
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(|javascript:/i);
    expect([...page.matchAll(/(?:href|src)="([^"]*)"/g)].every(([, to]) => to?.startsWith("#"))).toBe(true);
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  });

  it("escapes hostile texts, and shows no characters that are unseen or turn the direction", async () => {
    const [plain, page] = await Promise.all([renderPage(hostile("x")), renderPage(hostile(HOSTILE))]);
    expect([...markupOf(page)].filter((name) => !markupOf(plain).has(name))).toEqual([]);
    expect(page.match(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu)?.filter((found) => found !== "\n")).toEqual([]);
  });
});

it.each([
  ["no points", []],
  ["one point", [{ x: 1, y: 1 }]],
  ["equal points", [1, 1].map((x) => ({ x, y: 3 }))],
  ["values outside a logarithmic axis", [0, -1].map((x) => ({ x, y: 1 }))],
])("A chart is drawn with %s", async (_, points) => {
  const [chart] = everyChart()[0].charts;
  const svg = await renderChart({
    ...chart,
    series: [{ name: "ours", mark: "line", ours: true, points }],
  } as Chart);
  expect(svg).toContain("<svg ");
  expect(svg).not.toContain("NaN");
});
