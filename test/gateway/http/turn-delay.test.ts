import { describe, expect, it } from "vitest";
import { TurnDelay } from "../../../src/gateway/http/plugins/admission.js";

const MAX_QUEUE_MS = 1000;
const STANDING_MS = 200;

/** Requests that keep the processor for some time each, in turns of the event loop, by a clock that stands still otherwise. */
function startQueue(requestMs: number) {
  let nowMs = 5000;
  const pending: (() => void)[] = [];
  const delay = new TurnDelay({
    maxQueueMs: MAX_QUEUE_MS,
    clock: () => nowMs,
    afterTurn: (callback) => void pending.push(callback),
  });
  return {
    /** How many of so many requests that are read in one turn are answered. */
    turn(requests: number): number {
      let answered = 0;
      for (let request = 0; request < requests; request++) {
        if (delay.isTooLate()) continue;
        answered += 1;
        nowMs += requestMs;
      }
      for (const callback of pending.splice(0)) callback();
      return answered;
    },
    wait(ms: number): void {
      nowMs += ms;
    },
  };
}

describe("The delay of requests", () => {
  it("lets a burst wait for maxQueueMs, and nobody longer", () => {
    expect(startQueue(100).turn(5)).toBe(5);
    expect(startQueue(100).turn(40)).toBe(11);
  });

  it("lets requests wait for a fifth of it once turns have been long for all of it", () => {
    const { turn } = startQueue(50);
    const answered = Array.from({ length: 6 }, () => turn(100));
    expect(answered).toEqual([21, 5, 5, 5, 5, 5]);
    expect(5 * 50).toBeLessThanOrEqual(STANDING_MS + 50);
  });

  it("counts a moderate queue that stands as one, although no turn of it takes maxQueueMs", () => {
    const { turn } = startQueue(100);
    expect([turn(5), turn(5), turn(5), turn(5)]).toEqual([5, 5, 3, 3]);
  });

  it("allows a burst again after a short turn, and after a pause", () => {
    const { turn, wait } = startQueue(100);
    expect([turn(20), turn(20)]).toEqual([11, 3]);
    turn(1);
    expect(turn(20)).toBe(11);
    expect(turn(20)).toBe(3);
    wait(STANDING_MS + 1);
    expect(turn(20)).toBe(11);
  });

  it("never refuses the first request of a turn", () => {
    const { turn } = startQueue(5000);
    expect([turn(1), turn(1), turn(1), turn(3)]).toEqual([1, 1, 1, 1]);
  });
});
