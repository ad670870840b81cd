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
