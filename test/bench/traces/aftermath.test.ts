import { describe, expect, it } from "vitest";
import { countsOf } from "../../../bench/traces/aftermath.js";

const life = (answered: Record<string, number>, visible: readonly string[] = []) => ({
  startMs: 0,
  answered: new Map(Object.entries(answered)),
  visible: new Set(visible),
});

describe("The aftermath of a crash", () => {
  it("is as old as the oldest answer without a trace", () => {
    const counts = countsOf(life({ a: 900, b: 120, c: 80, d: 10 }), ["a", "d"]);
    expect(counts).toMatchObject({ kept: 2, lost: 2, oldestLostMs: 120 });
  });

  it("names traces that were seen before and are gone, answered or not", () => {
    expect(countsOf(life({ a: 900 }, ["a", "unanswered"]), ["a"])).toMatchObject({ lost: 0, gone: 1 });
  });

  it("names duplicate traces, and does not count traces of other requests for an answer", () => {
    const counts = countsOf(life({ a: 900 }), ["a", "a", "unanswered"]);
    expect(counts).toMatchObject({ kept: 1, lost: 0, twice: 1 });
  });
});
