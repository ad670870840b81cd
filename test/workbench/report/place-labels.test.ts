/** Labels of a chart: what they may not cover, measured on the drawn chart and by the function alone. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frontierChart } from "../../../src/workbench/report/charts.js";
import type { Element } from "../../../src/workbench/report/element.js";
import { placeLabels } from "../../../src/workbench/report/place-labels.js";
import { all, textOf } from "./drawn.js";

interface Extent {
  readonly name: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** From the edge of a label to a point; 0 within it. */
const distance = ({ left, right, top, bottom }: Extent, { x, y }: Place): number =>
  Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));

const overlap = (one: Extent, other: Extent): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

describe("The labels of the chart of cost and quality", () => {
  // As it was measured with three models and 200 prompts: the recommended weights are close to each other.
  const measured = [
    ...[0, 0.945, 0.0205, 0.0375, 0.925, 0.0196, 0.04375, 0.915, 0.0194, 0.1, 0.81, 0.0148],
    ...[0.2875, 0.655, 0.00799, 0.5, 0.575, 0.00556, 1, 0.5, 0.00379],
  ];
  const chart = frontierChart({
    sweep: Array.from({ length: measured.length / 3 }, (_, step) => ({
      cost_weight: measured[3 * step] as number,
      quality: measured[3 * step + 1] as number,
      cost_usd: (measured[3 * step + 2] as number) / 1000,
    })),
    singles: [
      { model: "ada-math", quality: 0.555, cost_usd: 0.000_018_9 },
      { model: "hopper-code", quality: 0.555, cost_usd: 0.000_037_8 },
      { model: "globe-7b", quality: 0.5, cost_usd: 0.000_003_79 },
    ],
    recommended: [0, 0.0375, 0.04375],
    knee: 0.2875,
    tuned: 0.0375,
  });
  const needed = ["ada-math", "hopper-code", "globe-7b", "tuned 0.0375", "knee 0.2875"];

  function labelsOf(svg: Element): Extent[] {
    const names = [...needed, "0", "0.04375"];
    const texts = all(svg).filter((part) => part.tag === "text" && names.includes(textOf(part)));
    return texts.map((part) => {
      const width = 7 * textOf(part).length;
      const shift = { start: 0, middle: 0.5, end: 1 }[String(part.attributes["text-anchor"])] ?? Number.NaN;
      const [left, base] = [Number(part.attributes.x) - shift * width, Number(part.attributes.y)];
      return { name: textOf(part), left, right: left + width, top: base - 10, bottom: base + 2 };
    });
  }

  /** With what their titles say. */
  const marksOf = (svg: Element) =>
    all(svg)
      .filter(({ tag }) => tag === "circle")
      .map((part) => ({
        title: textOf(part),
        x: Number(part.attributes.cx),
        y: Number(part.attributes.cy),
        radius: Number(part.attributes.r),
      }));

  const [wide, narrow] = all(chart).filter(({ tag }) => tag === "svg") as [Element, Element];
  it.each([
    ["wide", wide],
    ["narrow", narrow],
  ])("in a %s column name what has a name, cover no mark, and are nearest to their own mark", (_, svg) => {
    const [labels, marks] = [labelsOf(svg), marksOf(svg)];
    const names = labels.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(needed));
    expect(new Set(names).size).toBe(names.length);
    for (const label of labels) {
      expect(labels.filter((other) => other !== label && overlap(label, other))).toEqual([]);
      expect(marks.filter((mark) => distance(label, mark) < mark.radius)).toEqual([]);
    }
    const weights = marks.filter(({ title }) => /recommended|tuned/.test(title));
    for (const label of labels.filter(({ name }) => /^(tuned )?0[.\d]*$/.test(name))) {
      const [nearest] = weights.toSorted((a, b) => distance(label, a) - distance(label, b));
      expect(nearest?.title).toContain(`cost weight ${label.name.replace("tuned ", "")}:`);
    }
  });
});

describe("placeLabels", () => {
  const plot = { left: 0, right: 300, top: 0, bottom: 100 };
  const mark = { left: 150, top: 50, radius: 4 };
  const across = [
    { left: 0, top: 50 },
    { left: 300, top: 50 },
  ];

  it.each([
    ["to the right of its mark", {}, { anchor: "start", x: 158 }],
    ["elsewhere, beside a mark", { marks: [{ left: 170, top: 50, radius: 4 }] }, { anchor: "end", x: 142 }],
    ["elsewhere, off a curve", { curves: [across] }, { anchor: "middle", x: 150 }],
  ])("places a label %s", (_, taken, place) => {
    const labels = [{ ...mark, text: "model" }];
    expect(placeLabels(labels, { plot, marks: [], curves: [], ...taken })).toMatchObject([place]);
  });

  it("leaves out labels that have no place, the last first", () => {
    const labels = ["first", "second"].map((text) => ({ ...mark, text }));
    const toTheRight = { ...plot, left: 146, top: 40, bottom: 60 };
    const placed = placeLabels(labels, { plot: toTheRight, marks: [], curves: [] });
    expect(placed.map(({ label }) => label.text)).toEqual(["first"]);
  });

  it("places what is needed whatever it covers, and nothing beyond the plot", () => {
    const position = fc.record({
      left: fc.integer({ min: 0, max: 300 }),
      top: fc.integer({ min: 20, max: 80 }),
    });
    const property = fc.property(fc.array(position, { minLength: 1, maxLength: 12 }), (positions) => {
      const labels = positions.map((one, at) => ({
        ...one,
        radius: 4,
        text: `model-${at}`,
        isNeeded: at === 0,
      }));
      const placed = placeLabels(labels, { plot, marks: labels, curves: [positions] });
      expect(placed[0]?.label.text).toBe("model-0");
      for (const { x, anchor, label } of placed) {
        const width = 7.4 * label.text.length;
        const left = x - { start: 0, middle: width / 2, end: width }[anchor];
        expect(left >= 0 && left + width <= 300.001).toBe(true);
      }
    });
    fc.assert(property, { numRuns: 40 });
  });
});
