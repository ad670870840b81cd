import { describe, expect, it } from "vitest";
import { storeFigures } from "../../../bench/traces/append-figures.js";
import { gatewayFigures } from "../../../bench/traces/gateway-figures.js";
import { COUNT } from "../../../bench/traces/measure-searches.js";
import type { SizeResult } from "../../../bench/traces/measure-size.js";
import { searchChart, searchFigures } from "../../../bench/traces/search-figures.js";
import { SEARCHES } from "../../../bench/traces/searches.js";

const times = new Map(
  [...SEARCHES.map(({ name }) => name), COUNT].map((name, at) => [name, [at + 1, at + 2, at + 3]]),
);

const resultOf = (rows: number): SizeResult => ({
  rows,
  contentBytes: 1100,
  append: {
    steps: [
      { atMs: 1000, rows: rows / 2 },
      { atMs: 4000, rows: rows / 2 },
    ],
    bareRates: [100_000, 110_000],
    bytesPerRow: 540,
    closeMs: 900,
    peakAddedMb: 300,
    cpuUs: 40,
    bareCpuUs: 10,
  },
  kinds: {
    withoutTexts: { rate: 60_000, cpuUs: 12, bytesPerRow: 110 },
    shortTexts: { rate: 40_000, cpuUs: 18, bytesPerRow: 220 },
  },
  search: { openMs: 200, pages: times, texts: times, found: [1, 2, 3], absent: [1, 1, 1] },
  gateway: {
    quietP99: [2, 2, 4],
    searchingP99: [3, 4, 4],
    searches: 9,
    lagP99: [1, 2, 3],
    plainLagP99: [1, 1, 1],
    lagMost: 12,
    reached: [1999, 2000, 2000],
    spilled: 10,
    dropped: 0,
    peakMb: 500,
    plainPeakMb: 200,
  },
});

const figuresOf = (result: SizeResult) => [
  ...storeFigures(result),
  ...searchFigures(result),
  ...gatewayFigures(result),
];

describe("The figures of `bench traces`", () => {
  it("state what was measured", () => {
    const result = resultOf(1_000_000);
    const figures = new Map(figuresOf(result).map(({ id, value }) => [id.replace("traces/1m/", ""), value]));
    expect(Object.fromEntries(figures)).toMatchObject({
      "append/rate": 250_000,
      "append/to-bare": expect.closeTo(250 / 105),
      "append/longest-group": 3000,
      "append/without-texts/rate": 60_000,
      "disk/short-texts/bytes-per-row": 220,
      "lookup/p50": 2,
      "routing/searching-to-quiet": 1.5,
      "event-loop/p99": 2,
    });
  });

  it("omit the event loop when the gateway received fewer requests than planned", () => {
    const result = resultOf(1_000_000);
    const slow = { ...result, gateway: result.gateway && { ...result.gateway, reached: [1500, 1600, 1700] } };
    const figure = gatewayFigures(slow).find(({ id }) => id === "traces/1m/event-loop/p99");
    expect(figure?.value).toBeNull();
    expect(figure?.note).toMatch(/only 1600 requests\/s/);
  });

  it("report a search that timed out, and chart nothing for it", () => {
    const result = resultOf(1_000_000);
    const texts = new Map([["q-rare", [900, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]]]);
    const slow = { ...result, search: { ...result.search, pages: undefined, texts } };
    const figure = searchFigures(slow).find(({ id }) => id === "traces/1m/first-page/q-rare/p50");
    expect(figure).toMatchObject({ value: null, note: expect.stringMatching(/given up/) });
    expect(searchChart([slow])).toBeUndefined();
  });
});
