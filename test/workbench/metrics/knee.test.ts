import { expect, it } from "vitest";
import { kneeOf } from "../../../src/workbench/metrics/hull.js";

it("kneeOf finds the point before which savings cost little quality, and beyond which they cost more", () => {
  const curve = [
    { cost: 0.01, quality: 0.9 },
    { cost: 0.004, quality: 0.89 },
    { cost: 0.003, quality: 0.8 },
    { cost: 0.001, quality: 0.5 },
  ];
  expect(kneeOf(curve)).toBe(1);
  expect(kneeOf(curve.toReversed())).toBe(2);
});

it("kneeOf finds none on a curve that is nearly straight, such as one measured where it led to a loss of 29 points", () => {
  const measured = [
    ...[0.945, 0.0205, 0.915, 0.0194, 0.87, 0.0173, 0.81, 0.0148, 0.8, 0.0137, 0.73, 0.0111, 0.655, 0.00799],
    ...[0.61, 0.00676, 0.575, 0.00556, 0.5, 0.00379],
  ];
  const curve = Array.from({ length: measured.length / 2 }, (_, at) => ({
    quality: measured[2 * at] as number,
    cost: measured[2 * at + 1] as number,
  }));
  expect(kneeOf(curve)).toBeNull();
});

it.each([
  [0.74, null],
  [0.76, 1],
])("kneeOf takes a point that saves half of the cost and keeps %d of the quality as %s", (quality, knee) => {
  const ends = { cheapest: { cost: 0, quality: 0 }, best: { cost: 1, quality: 1 } };
  expect(kneeOf([ends.best, { cost: 0.5, quality }, ends.cheapest])).toBe(knee);
});

it("kneeOf ignores points that others beat, and finds none without a point between the ends", () => {
  const cheap = { cost: 0.001, quality: 0.5 };
  const beaten = { cost: 0.009, quality: 0.2 };
  const expensive = { cost: 0.01, quality: 0.9 };
  const unknown = { cost: Number.NaN, quality: 0.5 };
  for (const curve of [[cheap, beaten, expensive], [cheap], [unknown], []]) expect(kneeOf(curve)).toBeNull();
});
