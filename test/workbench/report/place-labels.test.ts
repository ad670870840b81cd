/** Labels of a chart: what they may not cover, measured on the drawn chart and by the function alone. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frontierChart } from "../../../src/workbench/report/charts.js";
import type { Element } from "../../../src/workbench/report/element.js";
import { placeLabels } from "../../../src/workbench/report/place-labels.js";

const all = ({ content, ...found }: Element): Element[] => [
  { content, ...found },
  ...content.flatMap((part) => (typeof part === "string" ? [] : all(part))),
];
const textOf = ({ content }: Element): string =>
  content.map((part) => (typeof part === "string" ? part : textOf(part))).join("");

interface Extent {
  readonly name: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const contains = ({ left, right, top, bottom }: Extent, x: number, y: number): boolean =>
  x > left && x < right && y > top && y < bottom;

const gapTo = (
  extent: Extent,
  mark: { readonly x: number; readonly y: number; readonly radius: number },
): number =>
  Math.hypot(
    Math.max(extent.left - mark.x, 0, mark.x - extent.right),
    Math.max(extent.top - mark.y, 0, mark.y - extent.bottom),
  ) - mark.radius;

const centreTo = (extent: Extent, mark: { readonly x: number; readonly y: number }): number =>
  gapTo(extent, { ...mark, radius: 0 });

describe("The labels of the chart of cost and quality", () => {
  // As it was measured with three models and 200 prompts: the recommended weights are close to each other.
  const measured = [
    ...[
      0, 0.945, 0.0205, 0.0375, 0.925, 0.0196, 0.04375, 0.915, 0.0194, 0.05, 0.87, 0.0173, 0.1, 0.81, 0.0148,
    ],
    ...[0.175, 0.745, 0.0115, 0.25, 0.71, 0.0104, 0.2875, 0.655, 0.00799, 0.3, 0.61, 0.00676],
    ...[0.5, 0.575, 0.00556, 0.75, 0.545, 0.00476, 1, 0.5, 0.00379],
  ];
  const singles = [
    { model: "ada-math", quality: 0.555, cost_usd: 0.000_018_9 },
    { model: "hopper-code", quality: 0.555, cost_usd: 0.000_037_8 },
    { model: "globe-7b", quality: 0.5, cost_usd: 0.000_003_79 },
  ];
  const chart = frontierChart({
    sweep: Array.from({ length: measured.length / 3 }, (_, step) => ({
      cost_weight: measured[3 * step] as number,
      quality: measured[3 * step + 1] as number,
      cost_usd: (measured[3 * step + 2] as number) / 1000,
    })),
    singles,
    ...{ recommended: [0, 0.0375, 0.04375], knee: 0.2875, tuned: 0.0375 },
  });
  const names = [...singles.map(({ model }) => model), "0", "0.04375", "tuned 0.0375", "knee 0.2875"];
  const [wide, narrow] = all(chart).filter(({ tag }) => tag === "svg") as [Element, Element];

  function labelsOf(svg: Element): Extent[] {
    const texts = all(svg).filter((part) => part.tag === "text" && names.includes(textOf(part)));
    return texts.map((part) => {
      const name = textOf(part);
      const width = 7 * name.length;
      const shift = { start: 0, middle: 0.5, end: 1 }[String(part.attributes["text-anchor"])] ?? Number.NaN;
      const [left, base] = [Number(part.attributes.x) - shift * width, Number(part.attributes.y)];
      return { name, left, right: left + width, top: base - 10, bottom: base + 2 };
    });
  }

  /** With what their titles say. */
  function marksOf(svg: Element) {
    const circles = all(svg).filter(({ tag }) => tag === "circle");
    return circles.map((part) => ({
      title: textOf(part),
      x: Number(part.attributes.cx),
      y: Number(part.attributes.cy),
      radius: Number(part.attributes.r),
    }));
  }

  describe.each([
    ["wide", wide],
    ["narrow", narrow],
  ])("in a %s column", (_, svg) => {
    const labels = labelsOf(svg);

    it("name every model and the weights that have a name", () => {
      const labelled = labels.map(({ name }) => name);
      expect(labelled).toEqual(
        expect.arrayContaining([...singles.map(({ model }) => model), "tuned 0.0375", "knee 0.2875"]),
      );
      expect(new Set(labelled).size).toBe(labelled.length);
    });

    it("cover no other label, no mark and no part of the curve", () => {
      const curve = all(svg).find(({ attributes }) => attributes.class === "curve");
      const points = [...String(curve?.attributes.d).matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, x, y]) => ({
        x: Number(x),
        y: Number(y),
      }));
      expect(points).toHaveLength(12);
      for (const label of labels) {
        for (const other of labels)
          if (other !== label)
            expect(
              label.left < other.right &&
                other.left < label.right &&
                label.top < other.bottom &&
                other.top < label.bottom,
              `${label.name} and ${other.name}`,
            ).toBe(false);
        for (const mark of marksOf(svg))
          expect(gapTo(label, mark), `${label.name} and ${mark.title}`).toBeGreaterThanOrEqual(0);
        points.slice(1).forEach((to, at) => {
          const from = points[at] as { x: number; y: number };
          for (let part = 0; part <= 1; part += 0.02)
            expect(
              contains(label, from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)),
              `${label.name} and the curve`,
            ).toBe(false);
        });
      }
    });

    it("are nearer to their own mark than to that of another weight", () => {
      const marks = marksOf(svg).filter(({ title }) => /recommended|tuned/.test(title));
      for (const label of labels.filter(({ name }) => /^(tuned )?0[.\d]*$/.test(name))) {
        const nearest = marks.toSorted((a, b) => centreTo(label, a) - centreTo(label, b))[0];
        expect(nearest?.title).toContain(`cost weight ${label.name.replace("tuned ", "")}:`);
      }
    });
  });
});

describe("placeLabels", () => {
  const plot = { left: 0, right: 300, top: 0, bottom: 100 };
  const mark = { left: 150, top: 50, radius: 4 };

  it("places a label to the right of its mark, or elsewhere where that is taken", () => {
    const labels = [{ ...mark, text: "model" }];
    const free = { plot, marks: [], curves: [] };
    expect(placeLabels(labels, free)).toMatchObject([{ anchor: "start", x: 158 }]);
    const marks = [{ left: 170, top: 50, radius: 4 }];
    expect(placeLabels(labels, { ...free, marks })).toMatchObject([{ anchor: "end", x: 142 }]);
    const curve = [
      { left: 0, top: 50 },
      { left: 300, top: 50 },
    ];
    expect(placeLabels(labels, { ...free, curves: [curve] })).toMatchObject([{ anchor: "middle", x: 150 }]);
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
    fc.assert(
      fc.property(fc.array(position, { minLength: 1, maxLength: 12 }), (positions) => {
        const labels = positions.map((one, at) => ({
          ...{ ...one, radius: 4, text: `model-${at}`, isNeeded: at === 0 },
        }));
        const curves = [positions];
        const placed = placeLabels(labels, { plot, marks: labels, curves });
        expect(placed[0]?.label.text).toBe("model-0");
        for (const { x, anchor, label } of placed) {
          const width = 7.4 * label.text.length;
          const left = x - { start: 0, middle: width / 2, end: width }[anchor];
          expect(left >= 0 && left + width <= 300.001).toBe(true);
        }
      }),
    );
  });
});
