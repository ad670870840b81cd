import { describe, expect, it } from "vitest";
import { CircuitBreaker, type Pass } from "../../../src/gateway/run/circuit-breaker.js";

const FAILURES = 3;
const COOLDOWN_MS = 100;
const circuit = (): CircuitBreaker =>
  new CircuitBreaker({ failures: FAILURES, cooldownMs: COOLDOWN_MS, probes: 1 });

/** Leave to call that has to be given. */
function enter(breaker: CircuitBreaker, nowMs: number): Pass {
  const pass = breaker.enter(nowMs);
  if (pass === null) throw new Error(`no leave at ${nowMs}`);
  return pass;
}

function opened(): CircuitBreaker {
  const breaker = circuit();
  for (let failure = 0; failure < FAILURES; failure++) breaker.failed(enter(breaker, 0), 0);
  return breaker;
}

describe("A circuit breaker", () => {
  it("opens at the last of a number of consecutive failures, and reports it once", () => {
    const breaker = circuit();
    const told = [1, 2, 3].map(() => breaker.failed(enter(breaker, 0), 0));
    expect(told).toEqual([false, false, true]);
    expect(breaker.state(0)).toBe("open");
    expect(breaker.enter(COOLDOWN_MS - 1)).toBeNull();
  });

  it("opens for another cooldown when the probe fails, without another report", () => {
    const breaker = opened();
    expect(breaker.failed(enter(breaker, COOLDOWN_MS), COOLDOWN_MS + 50)).toBe(false);
    expect(breaker.state(COOLDOWN_MS + 149)).toBe("open");
    expect(breaker.state(COOLDOWN_MS + 150)).toBe("half_open");
  });

  it("closes on probation at a probe's first content: one failure opens it again", () => {
    const breaker = opened();
    const { pass, closed } = breaker.answered(enter(breaker, COOLDOWN_MS));
    expect(closed).toBe(true);
    expect(breaker.state(COOLDOWN_MS)).toBe("closed");
    expect(breaker.failed(pass, COOLDOWN_MS)).toBe(true);
    expect(breaker.state(COOLDOWN_MS)).toBe("open");
  });

  it("ignores the results of calls that began before it opened", () => {
    const breaker = circuit();
    const old = enter(breaker, 0);
    const older = enter(breaker, 0);
    for (let failure = 0; failure < FAILURES; failure++) breaker.failed(enter(breaker, 0), 0);
    breaker.succeeded(old);
    expect(breaker.state(1)).toBe("open");
    breaker.succeeded(enter(breaker, COOLDOWN_MS));
    breaker.failed(enter(breaker, COOLDOWN_MS), COOLDOWN_MS);
    breaker.failed(enter(breaker, COOLDOWN_MS), COOLDOWN_MS);
    breaker.failed(older, COOLDOWN_MS);
    expect(breaker.state(COOLDOWN_MS)).toBe("closed");
  });

  it("stays closed when a success comes between failures", () => {
    const breaker = circuit();
    for (let call = 0; call < 9; call++) {
      if (call % FAILURES === FAILURES - 1) breaker.succeeded(enter(breaker, 0));
      else breaker.failed(enter(breaker, 0), 0);
    }
    expect(breaker.state(0)).toBe("closed");
  });

  it("allows one probe after the cooldown, and another when that was aborted", () => {
    const breaker = opened();
    expect(breaker.state(COOLDOWN_MS)).toBe("half_open");
    const probe = enter(breaker, COOLDOWN_MS);
    expect([COOLDOWN_MS, 10 * COOLDOWN_MS].map((atMs) => breaker.enter(atMs))).toEqual([null, null]);
    breaker.released(probe);
    expect(breaker.enter(COOLDOWN_MS)).not.toBeNull();
  });

  it("rests at once and as long as the longest rest, whatever earlier calls come to, and is then probed once", () => {
    const breaker = circuit();
    const earlier = enter(breaker, 0);
    expect([breaker.rest(500), breaker.rest(50)]).toEqual([true, false]);
    breaker.succeeded(earlier);
    expect([breaker.state(499), breaker.enter(499)]).toEqual(["open", null]);
    const probe = enter(breaker, 500);
    expect(breaker.enter(500)).toBeNull();
    expect(breaker.succeeded(probe)).toBe(true);
  });

  it("ends the probation with the first success", () => {
    const breaker = opened();
    const { pass } = breaker.answered(enter(breaker, COOLDOWN_MS));
    expect(breaker.succeeded(pass)).toBe(false);
    breaker.failed(enter(breaker, COOLDOWN_MS), COOLDOWN_MS);
    expect(breaker.state(COOLDOWN_MS)).toBe("closed");
  });
});
