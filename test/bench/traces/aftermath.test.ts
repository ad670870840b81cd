import { describe, expect, it } from "vitest";
import { countsOf } from "../../../bench/traces/aftermath.js";

const life = (answered: Record<string, number>, visible: readonly string[] = []) => ({
  startMs: 0,
  answered: new Map(Object.entries(answered)),
  visible: new Set(visible),
});

describe("what a crash cost", () => {
  it("is nothing when every answered request has a trace", () => {
    expect(countsOf(life({ a: 900, b: 20 }, ["a"]), ["b", "a"])).toEqual({
      answered: 2,
      kept: 2,
      lost: 0,
      oldestLostMs: null,
      gone: 0,
      twice: 0,
    });
  });

  it("is as old as the oldest answer without a trace", () => {
    const counts = countsOf(life({ a: 900, b: 120, c: 80, d: 10 }), ["a", "d"]);
    expect(counts).toMatchObject({ kept: 2, lost: 2, oldestLostMs: 120 });
  });

  it("names traces that had been seen and are gone, answered or not", () => {
    expect(countsOf(life({ a: 900 }, ["a", "unanswered"]), ["a"])).toMatchObject({ lost: 0, gone: 1 });
  });

  it("names traces that are there twice, and takes none of others for an answer's", () => {
    const counts = countsOf(life({ a: 900 }), ["a", "a", "unanswered"]);
    expect(counts).toMatchObject({ kept: 1, lost: 0, twice: 1 });
  });
});
