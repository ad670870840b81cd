import { describe, expect, it } from "vitest";
import { figuresOf, type MeasuredCase, type Round } from "../../../bench/gateway/figures.js";

const round = (p50Ms: number, cpuUs: number): Round => ({
  p50Ms,
  firstContentMs: p50Ms / 2,
  requestsPerSecond: 1_000 / p50Ms,
  cpuUs,
});
const rounds = (entries: Readonly<Record<string, readonly Round[]>>) => new Map(Object.entries(entries));

const json: MeasuredCase = {
  id: "json-1",
  name: "JSON, 1 at a time",
  shape: "json",
  rounds: rounds({
    direct: [round(1, 0), round(2, 0), round(3, 0)],
    floor: [round(1.1, 50), round(2.1, 50), round(3.1, 50)],
    Sextant: [round(1.2, 100), round(2.2, 150), round(3.2, 200)],
    Portkey: [round(2, 400), round(3, 400), round(4, 400)],
  }),
};

describe("The gateway overhead", () => {
  const figures = new Map(figuresOf(json).map((figure) => [figure.id, figure]));

  it("is computed within a round, so that a slow round affects both sides alike", () => {
    const added = figures.get("gateway/json-1/sextant/added");
    expect(added?.samples?.map(Math.round)).toEqual([200, 200, 200]);
    expect(added).toMatchObject({ goal: 150, against: "gateway/json-1/direct/p50" });
    expect(figures.get("gateway/json-1/sextant/cpu_over_floor")?.samples).toEqual([2, 3, 4]);
    expect(figures.get("gateway/json-1/sextant/added_over_portkey")?.value).toBeCloseTo(0.2);
    expect(figures.get("gateway/json-1/sextant/cpu_over_portkey")?.samples).toEqual([0.25, 0.375, 0.5]);
  });
});
