import { describe, expect, it } from "vitest";
import { leftOutSetFigures } from "../../../bench/current/left-out-set-figures.js";

describe("The figures of sets left out whole", () => {
  const known = [0.2, 0.4, 0.6, 0.8].map((measured, at) => ({
    model: `model-${at}`,
    prompts: 10,
    measured,
    measuredVariance: 0.001,
    stderr: 0.1,
    expected: measured / 2 + 0.5,
    adjusted: { measured: measured - 0.5, expected: (measured - 0.5) / 2 },
  }));
  const figures = leftOutSetFigures([{ set: "mine", entries: 4, known }]);
  const found = (id: string) => figures.find((figure) => figure.id === `current/left_out/${id}`);

  it("are the level and the size of differences", () => {
    expect(found("level_error/median")).toMatchObject({ value: 0.25, better: "lower" });
    expect(found("slope/median")?.value).toBeCloseTo(2);
  });
});
