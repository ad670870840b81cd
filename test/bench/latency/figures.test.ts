import { describe, expect, it } from "vitest";
import { figuresOf } from "../../../bench/latency/figures.js";
import { CURVE, type Round, type Timing, timeInterleaved } from "../../../bench/latency/interleave.js";

/** A round in which half of all took `middle` and one in a hundred ten times as long. */
const round = (middle: number): Round => ({
  mean: middle,
  curve: CURVE.map((share) => (share >= 0.99 ? 10 * middle : share >= 0.5 ? middle : middle / 2)),
});

const timing = (id: string, middles: readonly number[]): Timing => ({
  id,
  label: id,
  rounds: middles.map(round),
});

describe("The figures of `bench latency`", () => {
  it("are the median and the tail of a case, the median also relative to a bare scan in the same round", () => {
    const timings = [timing("latency/scan/a5000", [10, 20, 40]), timing("latency/embed/t50", [5, 10, 20])];
    const figures = new Map(figuresOf(timings).map((figure) => [figure.id, figure]));
    expect(figures.get("latency/embed/t50/p50")).toMatchObject({
      value: 10,
      unit: "us",
      samples: [5, 10, 20],
    });
    expect(figures.get("latency/embed/t50/p99")?.value).toBe(100);
    expect(figures.get("latency/embed/t50/p50_ratio")).toMatchObject({
      value: 0.5,
      samples: [0.5, 0.5, 0.5],
      unit: "ratio",
      against: "latency/scan/a5000/p50",
    });
    expect(figures.has("latency/scan/a5000/p50_ratio")).toBe(false);
  });
});

describe("Interleaved timing", () => {
  it("times every case in each round, in their order, and discards the first round", async () => {
    const seen: string[] = [];
    const cases = ["a", "b"].map((id) => ({ id, label: id, run: () => seen.push(id) }));
    const found = await timeInterleaved(cases, {
      rounds: 2,
      milliseconds: 0,
      onRound: (done) => seen.push(`${done}`),
    });
    expect(seen.filter((id, at) => id !== seen[at - 1]).join("")).toMatch(/^(ab)+0(ab)+1(ab)+2$/);
    for (const { rounds } of found) {
      expect(rounds).toHaveLength(2);
      for (const { curve } of rounds) expect(curve).toEqual(curve.toSorted((a, b) => a - b));
    }
  });
});
