import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boxOf, type LabelPosition, placeLabels } from "../../../bench/report/charts/place-labels.js";

const room = { bounds: { left: 0, top: 0, right: 600, bottom: 300 }, obstacles: [] };

/** Places one below the other, as beside the end of a line. */
function column(x: number, y: number): LabelPosition[] {
  return Array.from({ length: 41 }, (_, step) => ({
    x,
    y: y + (step - 20) * 10,
    align: "left" as const,
  })).sort((a, b) => Math.abs(a.y - y) - Math.abs(b.y - y));
}

describe("placeLabels", () => {
  it("puts labels at their preferred position when it is free", () => {
    expect(placeLabels([{ text: "ours", positions: column(20, 100) }], room)).toEqual([
      { x: 20, y: 100, align: "left" },
    ]);
  });

  it("avoids overlaps as long as there is room", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 110, max: 190 }), { maxLength: 8 }), (heights) => {
        const labels = heights.map((y, index) => ({ text: `series ${index}`, positions: column(20, y) }));
        const boxes = placeLabels(labels, room).map((position, at) => boxOf(`series ${at}`, position));
        for (const [a, first] of boxes.entries())
          for (const second of boxes.slice(a + 1))
            expect(Math.abs(first.top - second.top)).toBeGreaterThanOrEqual(10);
      }),
    );
  });

  it("avoids marks and keeps labels within the frame", () => {
    const positions: LabelPosition[] = [
      { x: 10, y: 50, align: "left" },
      { x: 590, y: 50, align: "left" },
      { x: 10, y: 150, align: "left" },
    ];
    const obstacles = [{ left: 0, top: 40, right: 100, bottom: 60 }];
    expect(placeLabels([{ text: "a long name", positions }], { ...room, obstacles })).toEqual([positions[2]]);
  });
});
