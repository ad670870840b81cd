import { describe, expect, it } from "vitest";
import { figuresOf, ratiosOf } from "../../../bench/http/figures.js";
import type { Round } from "../../../bench/http/measure.js";

const round = (cpuUs: number, late: number): Round => ({
  cpuUs,
  requestsPerSecond: 1e5 / cpuUs,
  loopDelay: { p50: late / 2, p99: late, max: 10 * late },
});
const decision = { id: "decision", label: "decision", rounds: [round(100, 1), round(200, 2), round(300, 4)] };
const echo = { id: "echo", label: "echo", rounds: [round(20, 0.5), round(25, 1), round(50, 2)] };

describe("The figures of `bench http`", () => {
  it("give requests per core as well as per second", () => {
    const values = new Map(figuresOf(decision).map(({ id, value }) => [id, value]));
    expect(values.get("http/decision/cpu")).toBe(200);
    expect(values.get("http/decision/per_core")).toBe(5_000);
    expect(values.get("http/decision/per_second")).toBe(500);
    expect(values.get("http/decision/loop_delay/p99")).toBe(2);
  });

  it("are ratios to the echo server within a round", () => {
    const [cpu, perSecond, late] = ratiosOf(decision, echo);
    expect(cpu).toMatchObject({
      samples: [5, 8, 6],
      value: 6,
      against: "http/echo/cpu",
      better: "lower",
    });
    expect(perSecond).toMatchObject({ better: "higher", id: "http/decision/per_second_over_echo" });
    expect(late?.samples).toEqual([2, 2, 2]);
  });
});
