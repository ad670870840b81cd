/** What the console works out by itself, without a browser. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  dollars,
  duration,
  percent,
  relativeTime,
  shortDollars,
} from "../../src/console/components/format.js";
import { stepsOf } from "../../src/console/overview/ranges.js";
import { publishedSources } from "../../src/console/profiles/published-sources.js";
import { logAxis, shareAxis } from "../../src/console/router/axis.js";
import { placeLabels } from "../../src/console/router/place-labels.js";
import { chunksOf } from "../../src/console/traces/chunks.js";

describe("Formatted figures of the console", () => {
  it.each([
    [null, "–"],
    [0, "$0"],
    [0.000_003_14, "$0.00000314"],
    [0.0127, "$0.0127"],
    [1.5, "$1.50"],
    [1234.5, "$1,235"],
  ])("show dollars: %s as %s", (value, text) => expect(dollars(value)).toBe(text));

  it.each([
    [0, "$0"],
    [0.1, "$0.1"],
    [0.000_01, "$0.00001"],
    [20, "$20"],
    [1500, "$1.5K"],
  ])("show dollars on an axis: %s as %s", (value, text) => expect(shortDollars(value)).toBe(text));

  it.each([
    [null, "–"],
    [0.512, "0.5 ms"],
    [812.4, "812 ms"],
    [1530, "1.53 s"],
    [30_000, "30.0 s"],
    [90_000, "1.5 min"],
  ])("show milliseconds: %s as %s", (value, text) => expect(duration(value)).toBe(text));

  it.each([
    [null, "–"],
    [0, "0%"],
    [0.037, "3.7%"],
    [0.5, "50%"],
  ])("show shares: %s as %s", (value, text) => expect(percent(value)).toBe(text));

  it("show recent times as relative, and earlier ones as dates", () => {
    const now = Date.UTC(2026, 0, 31);
    expect(relativeTime(now - 400, now)).toBe("now");
    expect(relativeTime(now - 95_000, now)).toBe("1m ago");
    expect(relativeTime(now - 90 * 86_400_000, now)).toBe("2025-11-02");
  });
});

describe("The segments of a long text", () => {
  it("join to the text, without a character lost, added or cut, except line ends between segments", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "\n", "👩", "é", " ".repeat(50), "x".repeat(3999)),
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, (whole) => {
        const chunks = chunksOf(whole);
        let at = 0;
        for (const chunk of chunks) {
          if (at > 0 && whole[at] === "\n" && !whole.startsWith(chunk, at)) at += 1;
          if (!whole.startsWith(chunk, at)) return false;
          at += chunk.length;
          if (whole[at] === "\n" && at < whole.length) at += 1;
          if (chunk.length > 4000 || Buffer.from(chunk).toString() !== chunk) return false;
        }
        return at === whole.length;
      }),
    );
  });

  it("are one for a short text", () => {
    expect(chunksOf("a\nb")).toEqual(["a\nb"]);
    expect(chunksOf("")).toEqual([""]);
  });
});

describe("The frontier plot", () => {
  it("places cheap models left and expensive ones right, within its frame, with round ticks", () => {
    const { toPixel, ticks } = logAxis([0.000_02, 0.001, 0.03], { from: 50, to: 850 });
    const pixels = [0.000_02, 0.001, 0.03].map(toPixel);
    expect(pixels).toEqual(pixels.toSorted((left, right) => left - right));
    for (const pixel of pixels) expect(pixel > 50 && pixel < 850).toBe(true);
    expect(ticks.map((tick) => tick.toPrecision(1))).toEqual(["0.0001", "0.001", "0.01"]);
  });

  it("scales its axis from below the lowest share to above the highest", () => {
    const { toPixel, ticks } = shareAxis([0.32, 0.85], { from: 300, to: 0 });
    expect([ticks[0], ticks.at(-1)?.toFixed(1)]).toEqual([0.3, "0.9"]);
    expect(toPixel(0.85)).toBeLessThan(toPixel(0.32));
  });

  it("places labels without overlap and within the frame, always including the first one", () => {
    const point = fc.record({ x: fc.integer({ min: 50, max: 850 }), y: fc.integer({ min: 20, max: 300 }) });
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 12 }), (points) => {
        const wishes = points.map(({ x, y }, at) => ({ text: `model-${at}`, x, y, isFirst: at === 0 }));
        const labels = placeLabels(wishes, { left: 50, right: 850, top: 16 });
        expect(labels[0]?.text).toBe("model-0");
        for (const { x, anchor, text } of labels) {
          const left = anchor === "start" ? x : x - text.length * 6.6;
          expect(left >= 50 && left + text.length * 6.6 <= 850).toBe(true);
        }
      }),
    );
  });
});

describe("The steps of a chart", () => {
  const figures = (...starts: string[]) => ({
    ...{ startMs: Date.parse("2026-01-01T00:00:00Z"), stepMs: 60_000 },
    all: starts.map((start) => ({ start })),
  });

  it("omit the last step while it is incomplete", () => {
    expect(stepsOf(figures("2026-01-01T00:01:00Z", "2026-01-01T00:02:00Z"), 180_000)).toHaveLength(2);
  });

  it("include an incomplete step when there is no other", () => {
    expect(stepsOf(figures("2026-01-01T00:02:00Z"), 180_000)).toHaveLength(3);
  });
});

describe("The published scores of a model", () => {
  it("are listed by source, each benchmark once, with the dates", () => {
    const score = (source: string, benchmark: string, date: string | null) => ({ source, benchmark, date });
    const published = [
      score("maker", "gpqa", "2026-04-23"),
      score("host", "hle", null),
      score("maker", "hle", "2026-02"),
      score("maker", "gpqa", "2026-04-23"),
      score("board", "tau2", "2026-05"),
    ];
    expect(publishedSources(published)).toEqual([
      { source: "maker", dates: "2026-02 to 2026-04-23", benchmarks: ["gpqa", "hle"] },
      { source: "host", dates: null, benchmarks: ["hle"] },
      { source: "board", dates: "2026-05", benchmarks: ["tau2"] },
    ]);
  });
});
