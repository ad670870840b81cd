import { expect, it } from "vitest";
import type { AnchorSet } from "../../../src/engine/estimation/anchor-set.js";
import { stepsToCommonScale } from "../../../src/engine/router/common-scale.js";

const set = (logOdds: Readonly<Record<string, number>>) => {
  const summaries = Object.entries(logOdds).map(([model, odds]) => ({
    model,
    expected_quality: 1 / (1 + Math.exp(-odds)),
  }));
  return { name: Object.keys(logOdds).join(), summaries } as unknown as AnchorSet;
};

it("brings the set that shares the most models to the scale first, so that others are compared with it, too", () => {
  const first = set({ a: 0, b: 0, c: 0 });
  const few = set({ a: -1, b: -1, d: 2 });
  const most = set({ a: -1, b: -1, c: -1, d: -1 });
  const steps = stepsToCommonScale([first, few, most]);
  [0, 0, 1].forEach((step, at) => {
    expect(steps[at]).toBeCloseTo(step);
  });
});
