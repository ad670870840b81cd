import { expect, it } from "vitest";
import { RotatingKeys } from "../../../../src/gateway/access/tokens/rotating-keys.js";

const TIMES = { freshMs: 100, usableMs: 1_000, cooldownMs: 10, retryMs: 5, timeoutMs: 1 };

it("Rotating keys abort a load at its time limit, and retry it after the pause", async () => {
  let nowMs = 0;
  let loads = 0;
  const faults: unknown[] = [];
  const keys = new RotatingKeys({
    load: (signal) => {
      loads++;
      return new Promise<string>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    },
    parse: (text) => ({ text }),
    times: TIMES,
    monotonicNow: () => nowMs,
    onFault: (fault) => faults.push(fault),
  });
  await keys.renew();
  expect([keys.failing, keys.current(), loads]).toEqual([true, undefined, 1]);
  nowMs += TIMES.retryMs;
  await keys.renew();
  expect([loads, faults.length]).toEqual([2, 1]);
});

it("Rotating keys return the same object for the same text, and another for another text", async () => {
  let nowMs = 0;
  let text = "a";
  const keys = new RotatingKeys({
    load: async () => text,
    parse: (loaded) => ({ loaded }),
    times: TIMES,
    monotonicNow: () => nowMs,
    onFault: () => expect.unreachable(),
  });
  await keys.renew();
  const before = keys.current();
  nowMs += 50;
  await keys.renew();
  expect(keys.current()).toBe(before);
  text = "b";
  nowMs += 50;
  await keys.renew();
  expect(keys.current()).toEqual({ loaded: "b" });
});
