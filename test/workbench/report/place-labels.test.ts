import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placeLabels } from "../../../src/workbench/report/place-labels.js";

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
