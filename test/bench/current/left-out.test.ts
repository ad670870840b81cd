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
  const above = [-30, -4, 0, 2, 2];
  const dial = { per: "call" as const, models: 4, prompts: 10, above, realOverExpected: [2, 1, 1, 0.5, 1] };
  const figures = leftOutSetFigures([{ set: "mine", entries: 4, known, dial }]);
  const found = (id: string) => figures.find((figure) => figure.id === `current/left_out/${id}`);

  it("are the level, the size of differences, the dial and its dollars", () => {
    expect(found("level_error/median")).toMatchObject({ value: 0.25, better: "lower" });
    expect(found("slope/median")?.value).toBeCloseTo(2);
    expect([found("dial/least")?.value, found("dial/mean")?.value]).toEqual([-30, -6]);
    expect([found("dollars/call/least")?.value, found("dollars/call/greatest")?.value]).toEqual([0.5, 2]);
    expect(found("dollars/task/least")?.value).toBeNull();
    expect(found("mine/dollars/0.4")).toMatchObject({ value: 0.5, note: "4 models, 10 prompts" });
  });
});
