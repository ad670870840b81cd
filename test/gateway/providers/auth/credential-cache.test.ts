import { describe, expect, it } from "vitest";
import { CredentialCache } from "../../../../src/gateway/providers/auth/credential-cache.js";

const HOUR = 3_600_000;
const MINUTE = 60_000;

/** A cache of credentials that live for an hour, numbered from 1, at a time that the test sets. */
function cached(livesMs: number | null = HOUR) {
  const state = { nowMs: 0, loads: 0, fails: false };
  const waiting: (() => void)[] = [];
  const cache = new CredentialCache(
    async () => {
      state.loads += 1;
      const number = state.loads;
      await new Promise<void>((resolve) => waiting.push(resolve));
      if (state.fails) throw new Error("away");
      return { value: number, expiresAtMs: livesMs === null ? null : state.nowMs + livesMs };
    },
    () => state.nowMs,
  );
  /** Lets what is being loaded come. */
  const arrive = async () => {
    for (const resolve of waiting.splice(0)) resolve();
    await new Promise<void>((resolve) => setImmediate(resolve));
  };
  const first = async () => {
    const value = cache.get();
    await arrive();
    return value;
  };
  return { cache, state, arrive, first };
}

describe("A credential", () => {
  it("is loaded once for all that wait for it, and then kept", async () => {
    const { cache, state, arrive } = cached();
    const all = [cache.get(), cache.get(), cache.get()];
    await arrive();
    expect(await Promise.all(all)).toEqual([1, 1, 1]);
    state.nowMs = HOUR - 6 * MINUTE;
    expect(await cache.get()).toBe(1);
    expect(state.loads).toBe(1);
  });

  it("is renewed five minutes before its end, while requests still use it", async () => {
    const { cache, state, arrive, first } = cached();
    await first();
    state.nowMs = HOUR - 5 * MINUTE;
    expect(await Promise.all([cache.get(), cache.get()])).toEqual([1, 1]);
    expect(state.loads).toBe(2);
    await arrive();
    expect(await cache.get()).toBe(2);
  });

  it("stays in use where it cannot be renewed, and is asked for again half a minute later", async () => {
    const { cache, state, arrive, first } = cached();
    await first();
    state.fails = true;
    state.nowMs = HOUR - 5 * MINUTE;
    for (const [afterMs, loads] of [
      [0, 2],
      [29_000, 2],
      [1000, 3],
    ] as const) {
      state.nowMs += afterMs;
      expect(await cache.get()).toBe(1);
      await arrive();
      expect(state.loads).toBe(loads);
    }
  });

  it("is waited for once the old one is about to end, and its failure is the caller's", async () => {
    const { cache, state, arrive, first } = cached();
    await first();
    state.fails = true;
    state.nowMs = HOUR - 10_000;
    const value = cache.get();
    const rejected = expect(value).rejects.toThrow("away");
    await arrive();
    await rejected;
  });

  it("without an end is kept until it is refused", async () => {
    const { cache, state, first } = cached(null);
    await first();
    state.nowMs = 1000 * HOUR;
    expect(await cache.get()).toBe(1);
    cache.forget();
    expect(await first()).toBe(2);
  });
});
