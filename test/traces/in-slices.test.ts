import { describe, expect, it } from "vitest";
import { inSlices } from "../../src/traces/in-slices.js";

/** A thread on which an item takes a tenth of a millisecond, and other work as long as it is told between slices. */
function thread(otherWorkMs: number) {
  let nowMs = 0;
  let items = 0;
  const slices: number[] = [];
  const clock = {
    now: () => nowMs,
    nextTurn: () => {
      slices.push(items);
      items = 0;
      nowMs += otherWorkMs;
      return Promise.resolve();
    },
  };
  const work = () => {
    items += 1;
    nowMs += 0.1;
  };
  return { clock, work, slices };
}

const items = Array.from({ length: 2000 }, (_, index) => index);

describe("work in slices", () => {
  it("does everything, in order", async () => {
    const done: [number, number][] = [];
    await inSlices(items, (item, index) => done.push([item, index]));
    expect(done).toEqual(items.map((item) => [item, item]));
  });

  it("lets others in after half a millisecond or so while they want little", async () => {
    const { clock, work, slices } = thread(0.2);
    await inSlices(items, work, clock);
    expect(Math.max(...slices)).toBeLessThanOrEqual(8);
    expect(slices.length).toBeGreaterThan(200);
  });

  it("takes a quarter of the time of others when they want much", async () => {
    const { clock, work, slices } = thread(200);
    await inSlices(items, work, clock);
    // 50 ms of 0.1 ms items each time, instead of 8.
    expect(slices.slice(1).every((count) => count >= 500 && count < 520)).toBe(true);
  });
});
