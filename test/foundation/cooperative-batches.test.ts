import { describe, expect, it } from "vitest";
import { forEachCooperatively } from "../../src/foundation/cooperative-batches.js";

/** A thread on which an item takes a tenth of a millisecond, and other work as long as it is told between batches. */
function thread(otherWorkMs: number) {
  let nowMs = 0;
  let items = 0;
  const batches: number[] = [];
  const clock = {
    now: () => nowMs,
    yield: () => {
      batches.push(items);
      items = 0;
      nowMs += otherWorkMs;
      return Promise.resolve();
    },
  };
  const work = () => {
    items += 1;
    nowMs += 0.1;
  };
  return { clock, work, batches };
}

const items = Array.from({ length: 2000 }, (_, index) => index);

describe("cooperativeBatches", () => {
  it("runs the task for every item, in order", async () => {
    const done: [number, number][] = [];
    await forEachCooperatively(items, (item, index) => done.push([item, index]));
    expect(done).toEqual(items.map((item) => [item, item]));
  });

  it("yields to other work after about half a millisecond while there is little of it", async () => {
    const { clock, work, batches } = thread(0.2);
    await forEachCooperatively(items, work, clock);
    expect(Math.max(...batches)).toBeLessThanOrEqual(8);
    expect(batches.length).toBeGreaterThan(200);
  });

  it("takes a quarter of the time while there is much other work", async () => {
    const { clock, work, batches } = thread(200);
    await forEachCooperatively(items, work, clock);
    // 50 ms of 0.1 ms items each time, instead of 8.
    expect(batches.slice(1).every((count) => count >= 500 && count < 520)).toBe(true);
  });
});
