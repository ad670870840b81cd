import { describe, expect, it } from "vitest";
import { figuresOf, type Measured, type Round, rateBelow } from "../../../bench/gateway/figures.js";

const round = (p50: number, cpuUs: number): Round => ({
  single: { p50, p99: 2 * p50, cpuUs },
  ramp: [
    { perSecond: 1000 / p50, p99: 4 },
    { perSecond: 2000 / p50, p99: 12 },
  ],
  stream: { first: p50, gap: 21 },
});

const measured: readonly Measured[] = [
  { name: "direct", rounds: [round(1, 0), round(2, 0), round(3, 0)], memory: undefined },
  {
    name: "Sextant",
    rounds: [round(1.2, 100), round(2.2, 150), round(3.2, 200)],
    memory: { idle: 1, loaded: 2, after: 3 },
  },
  { name: "Other one", rounds: [round(2, 400), round(3, 300), round(4, 400)], memory: undefined },
];

describe("The gateway's figures", () => {
  const figures = new Map(figuresOf(measured).map((figure) => [figure.id, figure]));

  it("are computed within a round, so that a slow round affects all alike", () => {
    const added = figures.get("gateway/sextant/added-p50");
    expect(added?.samples?.map((ms) => Math.round(1000 * ms))).toEqual([200, 200, 200]);
    expect(figures.get("gateway/other-one/cpu")).toMatchObject({ samples: [400, 300, 400], value: 400 });
    expect(figures.get("gateway/sextant/memory-after")?.value).toBe(3);
  });

  it("take the highest rate of the loads whose p99 is below the limit", () => {
    const { ramp } = round(1, 0);
    expect([5, 10, 50, 1].map((limit) => rateBelow(ramp, limit))).toEqual([1000, 1000, 2000, 0]);
  });
});
