import { describe, expect, it } from "vitest";
import { renderChart } from "../../../bench/report/charts/render-chart.js";
import { PALETTE } from "../../../bench/report/charts/theme.js";
import { renderPage } from "../../../bench/report/page/render-page.js";
import type { BenchmarkResult, Chart } from "../../../bench/report/result.js";
import { everyChart } from "./every-chart.js";
import { ratioFigure, resultWith } from "./results-for-test.js";

const HOSTILE = [
  `<script>alert("x")</script>`,
  `"><img src=x onerror=alert(1)>`,
  `</title></svg></text><style>*{display:none}</style>`,
  `' onmouseover='alert(1)`,
  "&lt;already escaped&gt; & not",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what a template language would fill in
  "${alert(1)} {{alert(1)}} ]]> --> */",
  "\u202eegnar\u202c \u0000\u001b[31m",
  "نموذج عربي",
  "",
];

/** A page whose every text is hostile. */
function hostile(text: string): BenchmarkResult[] {
  return everyChart().map((result) => ({
    ...result,
    ...{ question: text, command: text, notes: [text] },
    environment: { ...result.environment, processor: text, commit: text },
    datasets: result.datasets.map((set) => ({ ...set, name: text })),
    figures: result.figures.map((figure) => ({ ...figure, label: text, note: text })),
    charts: result.charts.map((chart) => hostileChart(chart, text)),
  }));
}

function hostileChart(chart: Chart, text: string): Chart {
  return {
    ...{ ...chart, id: text, title: text, caption: text },
    ...{ x: { ...chart.x, label: text }, y: { ...chart.y, label: text } },
    series: chart.series.map((series) => ({
      ...{ ...series, name: text },
      points: series.points.map((point) => ({ ...point, label: text })),
    })),
  };
}

/** Tags in the order of their appearance, and nothing of what stands between them. */
function tagsOf(markup: string): string[] {
  return [...markup.matchAll(/<\/?([a-z]+)/gi)].map(([tag]) => tag);
}

const attributesOf = (markup: string): string[] =>
  [...markup.matchAll(/<[a-z][^>]*>/gi)].flatMap(([tag]) =>
    [...tag.matchAll(/\s([a-z-]+)=("[^"]*"|'[^']*')/gi)].map(([, name]) => String(name)),
  );

/** Control characters other than line ends, and those that turn the direction of what follows. */
const unseen = (text: string): string[] =>
  [...text].filter(
    (character) => character !== "\n" && /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(character),
  );

describe("The report page", () => {
  it("shows every kind of chart with a table beside it", async () => {
    const results = everyChart();
    const page = await renderPage(results);
    const charts = results.flatMap((result) => result.charts);
    expect(new Set(charts.map(({ kind }) => kind)).size).toBe(6);
    expect(page.match(/<svg /g)).toHaveLength(charts.length);
    expect(page.match(/<figure /g)).toHaveLength(charts.length);
    for (const { title, caption } of charts) {
      expect(page).toContain(`<h3>${title}</h3>`);
      expect(page).toContain(`<p>${caption.replaceAll("'", "&#39;")}</p>`);
    }
  });

  it("is self-contained: no script, no external link, and a content security policy that forbids them", async () => {
    const page = await renderPage(everyChart());
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(|javascript:/i);
    expect([...page.matchAll(/(?:href|src)="([^"]*)"/g)].every(([, to]) => to?.startsWith("#"))).toBe(true);
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  });

  it("defines every colour that the charts use, for the light and the dark theme", async () => {
    const page = await renderPage(everyChart());
    const used = new Set([...page.matchAll(/var\((--[a-z0-9-]+)\)/g)].map(([, name]) => String(name)));
    expect(used.size).toBeGreaterThan(8);
    for (const name of used) {
      if (["--panel", "--good", "--bad"].includes(name)) continue;
      for (const rules of [PALETTE.light, PALETTE.dark]) expect(rules).toContain(`${name}:`);
    }
  });

  it("shows which goals were reached and which were missed", async () => {
    const page = await renderPage(everyChart());
    expect(page.match(/✓ reached/g)?.length).toBeGreaterThan(1);
    expect(page).toContain("✗ missed");
    expect(page).toContain("≤ 120 µs");
  });

  it("warns of a run on a busy machine", async () => {
    const time = { ...ratioFigure("latency/a/p50", [1]), unit: "us" as const };
    const quiet = resultWith({ figures: [time] });
    const busy = { ...quiet, environment: { ...quiet.environment, load: 7 } };
    expect(await renderPage([quiet])).not.toContain("The machine was busy");
    expect(await renderPage([busy])).toContain("The machine was busy (load 7 on 2 cores)");
    expect(await renderPage([{ ...busy, figures: [] }])).not.toContain("The machine was busy");
  });

  it.each(HOSTILE)("escapes every text: %j", async (text) => {
    const plain = await renderPage(hostile("x"));
    const page = await renderPage(hostile(text));
    const tags = new Set(tagsOf(plain));
    expect(tagsOf(page).filter((tag) => !tags.has(tag))).toEqual([]);
    expect(page.match(/<bdi>/g)?.length).toBe(plain.match(/<bdi>/g)?.length);
    const known = new Set(attributesOf(plain));
    expect(attributesOf(page).filter((name) => !known.has(name))).toEqual([]);
    expect(unseen(page)).toEqual([]);
  });
});

describe("A chart", () => {
  const chart = everyChart()[0]?.charts[0] as Chart;
  const withPoints = (points: Chart["series"][number]["points"], parts: Partial<Chart> = {}): Chart => ({
    ...{ ...chart, ...parts },
    series: [{ name: "ours", mark: "line", ours: true, points }],
  });

  it("shows the values of its marks as tooltips", async () => {
    const svg = await renderChart(chart);
    expect(svg).toContain("<title>oracle: USD per 1,000 prompts 2, mean quality 0.943</title>");
    expect(svg).toContain(
      "<title>best single (single models): USD per 1,000 prompts 9, mean quality 0.69</title>",
    );
  });

  it("renders no points, one point, equal points, and values outside a logarithmic axis", async () => {
    const cases = [
      [],
      [{ x: 1, y: 1 }],
      [
        { x: 2, y: 3 },
        { x: 2, y: 3 },
      ],
      [
        { x: 0, y: 1 },
        { x: -1, y: 2 },
      ],
    ];
    for (const points of cases) {
      const svg = await renderChart(withPoints(points));
      expect(svg).toContain("<svg ");
      expect(svg).not.toContain("NaN");
    }
  });

  it("labels its lines directly, in their colours", async () => {
    const svg = await renderChart(chart);
    for (const name of ["ours", "zero router", "clusters", "oracle"]) {
      expect(svg).toMatch(new RegExp(`<text [^>]*fill="var\\(--[a-z0-9]+\\)"[^>]*>${name}</text>`));
    }
  });

  it("thins out long lines to limit the size of the page", async () => {
    const points = Array.from({ length: 50_000 }, (_, index) => ({ x: 1 + index, y: index }));
    expect((await renderChart(withPoints(points))).length).toBeLessThan(40_000);
  });

  it("starts bars at zero, so that their lengths are comparable", async () => {
    const bars = everyChart()[0]?.charts.find(({ kind }) => kind === "bars") as Chart;
    const svg = await renderChart(bars);
    const ticks = [...svg.matchAll(/<text [^>]*>([0-9.]+)<\/text>/g)].map(([, text]) => text);
    expect(ticks).toContain("0");
  });
});
