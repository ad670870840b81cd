import { describe, expect, it } from "vitest";
import { CancelController } from "../../../src/foundation/cancel-signal.js";
import { systemTimers } from "../../../src/foundation/timers.js";
import { ModelLimits } from "../../../src/gateway/run/call-limits.js";
import { ClientDisconnected, wait } from "../../../src/gateway/run/cancellation.js";
import { UpstreamCall } from "../../../src/gateway/run/upstream-call.js";
import { ManualTime } from "../../fakes/manual-time.js";

function limitOf(endsAtMs = 10_000) {
  const time = new ManualTime();
  const passedAt: number[] = [];
  let started = 0;
  const timers = {
    ...time.timers,
    after: (delayMs: number, run: () => void) => {
      started += 1;
      return time.timers.after(delayMs, run);
    },
  };
  const call = new UpstreamCall("openai", {
    clock: time.clock,
    timers,
    deadlineMs: endsAtMs,
    clientSignal: new CancelController(),
    limits: new ModelLimits({ upstreamHeadersTimeoutMs: 0, upstreamIdleTimeoutMs: 0, modelLimits: [] }).usual,
  });
  call.onCancel(() => passedAt.push(time.clock()));
  const limit = {
    allow: (ms: number) => call.allow({ ms, name: "idle_timeout_ms" }, "more"),
    pause: () => call.pause(),
    stop: () => call.end(),
  };
  const firesAt = async (atMs: number) => {
    await time.advance(atMs - 1 - time.clock());
    expect(passedAt).toEqual([]);
    await time.advance(1);
    expect(passedAt).toEqual([atMs]);
    expect(time.running).toBe(0);
  };
  return { limit, time, passedAt, firesAt, started: () => started };
}

describe("The time limit of a call", () => {
  it("fires when it is over", async () => {
    const { limit, firesAt } = limitOf();
    limit.allow(100);
    await firesAt(100);
  });

  it("moves earlier", async () => {
    const { limit, firesAt } = limitOf();
    limit.allow(5000);
    limit.allow(10);
    await firesAt(10);
  });

  it("moves later without resetting its timer", async () => {
    const { limit, time, firesAt, started } = limitOf();
    limit.allow(100);
    for (let piece = 0; piece < 50; piece++) {
      await time.advance(1);
      limit.allow(100);
    }
    expect(started()).toBe(1);
    await firesAt(150);
    expect(started()).toBe(2);
  });

  it("never extends past the total limit, even while it is paused", async () => {
    const { limit, firesAt } = limitOf(300);
    limit.allow(100);
    limit.pause();
    await firesAt(300);
  });

  it("applies again after a pause", async () => {
    const { limit, time, firesAt } = limitOf();
    limit.allow(100);
    limit.pause();
    await time.advance(500);
    limit.allow(100);
    await firesAt(600);
  });

  it("ends when it is stopped", async () => {
    const { limit, time, passedAt } = limitOf();
    limit.allow(100);
    limit.stop();
    expect(time.running).toBe(0);
    await time.advance(20_000);
    expect(passedAt).toEqual([]);
  });
});

describe("The wait before a retry", () => {
  it("ends at once when the client disconnects, or has already disconnected", async () => {
    const time = new ManualTime();
    const client = new AbortController();
    const options = { timers: time.timers, signal: client.signal };
    const waiting = wait(1000, options);
    client.abort();
    await expect(waiting).rejects.toThrow(ClientDisconnected);
    await expect(wait(1000, options)).rejects.toThrow(ClientDisconnected);
    expect(time.running).toBe(0);
  });
});

it("A timer of the process does not run when it was stopped", async () => {
  let ran = 0;
  const stop = systemTimers.after(1, () => {
    ran += 1;
  });
  stop();
  // Its timers do not keep a process alive.
  const held = setTimeout(() => {}, 60_000);
  await new Promise<void>((resolve) => systemTimers.after(2, resolve));
  clearTimeout(held);
  expect(ran).toBe(0);
});
