import { describe, expect, it } from "vitest";
import { keepRetention } from "../../../src/gateway/traces/retention.js";
import { FakeClock } from "../../fakes/clock.js";

const DAY_MS = 86_400_000;

function bench(startMs: number) {
  const clock = new FakeClock(startMs);
  const calls: string[] = [];
  const lines: unknown[] = [];
  const line = (level: string) => (details: object, message: string) =>
    void lines.push([level, details, message]);
  let answer: () => Promise<number> = async () => 0;
  let signal: AbortSignal | undefined;
  const store = {
    removeBefore: (ms: number, options?: { readonly signal?: AbortSignal }) => {
      calls.push(new Date(ms).toISOString());
      signal = options?.signal;
      return answer();
    },
  };
  const log = { info: line("info"), warn: line("warn"), error: line("error") };
  const end = keepRetention(30, { store, timers: clock, now: clock.now, log });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    calls,
    lines,
    end,
    signal: () => signal,
    answerWith: (next: () => Promise<number>) => {
      answer = next;
    },
    async pass(ms: number) {
      clock.advance(ms);
      await settle();
    },
  };
}

describe("Retention of 30 days", () => {
  it("removes what is older than the start of the day 30 days ago, soon after the start and once a day", async () => {
    const it = bench(Date.parse("2026-03-15T13:45:00Z"));
    expect(it.calls).toEqual([]);
    await it.pass(60_000);
    expect(it.calls).toEqual(["2026-02-13T00:00:00.000Z"]);
    for (let hour = 0; hour < 9; hour++) await it.pass(3_600_000);
    expect(it.calls).toHaveLength(1);
    for (let hour = 0; hour < 24; hour++) await it.pass(3_600_000);
    expect(it.calls).toEqual(["2026-02-13T00:00:00.000Z", "2026-02-14T00:00:00.000Z"]);
  });

  it("is retried after an hour when it fails, and logs that and how many traces were removed, if any", async () => {
    const it = bench(DAY_MS * 100);
    it.answerWith(() => Promise.reject(new Error("the disk is full")));
    await it.pass(60_000);
    const failed = ["warn", { reason: "the disk is full" }, "old traces could not be removed"];
    expect(it.lines).toEqual([failed]);
    it.answerWith(async () => 12);
    await it.pass(3_600_000);
    const removed = { removed: 12, before: "1970-03-12T00:00:00.000Z" };
    expect(it.lines).toEqual([failed, ["info", removed, "old traces were removed"]]);
    it.answerWith(async () => 0);
    await it.pass(DAY_MS);
    expect([it.calls.length, it.lines.length]).toEqual([3, 2]);
  });

  it("does not start again while it is running, and is aborted on closing", async () => {
    const it = bench(DAY_MS * 100);
    it.answerWith(() => new Promise(() => {}));
    await it.pass(60_000);
    for (let hour = 0; hour < 50; hour++) await it.pass(3_600_000);
    expect(it.calls).toHaveLength(1);
    expect(it.signal()?.aborted).toBe(false);
    it.end();
    expect(it.signal()?.aborted).toBe(true);
    await it.pass(DAY_MS);
    expect(it.calls).toHaveLength(1);
  });
});
