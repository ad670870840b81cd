import { expect, it } from "vitest";
import { kneeOf } from "../../../src/workbench/metrics/knee.js";

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

it("kneeOf ignores points that others beat, and takes the best of a straight line", () => {
  const beaten = { cost: 0.009, quality: 0.2 };
  const [cheap, dear] = [
    { cost: 0.001, quality: 0.5 },
    { cost: 0.01, quality: 0.9 },
  ];
  expect(kneeOf([cheap, beaten, dear])).toBe(2);
  expect(kneeOf([cheap])).toBe(0);
  expect(kneeOf([{ cost: Number.NaN, quality: 0.5 }])).toBeNull();
  expect(kneeOf([])).toBeNull();
});
