import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CircuitBreaker, type Pass } from "../../../../src/gateway/inference/attempts/circuit-breaker.js";

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

  it("closes when the probe succeeds", () => {
    const breaker = opened();
    expect(breaker.succeeded(enter(breaker, COOLDOWN_MS))).toBe(true);
    expect(breaker.state(COOLDOWN_MS)).toBe("closed");
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
});

/** What the breaker promises, written down as slowly and plainly as can be. */
class PlainModel {
  openUntilMs: number | null = null;
  strikes = 0;
  probe: number | null = null;
  /** Calls under way that still count for the present closed period. */
  counting = new Set<number>();

  state(nowMs: number) {
    if (this.openUntilMs === null) return "closed";
    return nowMs < this.openUntilMs ? "open" : "half_open";
  }

  enters(call: number, nowMs: number): boolean {
    const state = this.state(nowMs);
    if (state === "closed") this.counting.add(call);
    if (state === "half_open" && this.probe === null) {
      this.probe = call;
      return true;
    }
    return state === "closed";
  }

  ends(call: number, outcome: "succeeded" | "failed" | "released", nowMs: number): void {
    const counts = this.counting.delete(call);
    if (this.probe === call) {
      this.probe = null;
      if (outcome === "succeeded") this.close(0);
      if (outcome === "failed") this.open(nowMs);
    } else if (counts) {
      if (outcome === "succeeded") this.strikes = 0;
      if (outcome === "failed" && ++this.strikes >= FAILURES) this.open(nowMs);
    }
  }

  answers(call: number): void {
    if (this.probe !== call) return;
    this.close(FAILURES - 1);
    this.counting.add(call);
  }

  open(nowMs: number): void {
    this.openUntilMs = nowMs + COOLDOWN_MS;
    this.counting.clear();
    this.probe = null;
  }

  close(strikes: number): void {
    this.openUntilMs = null;
    this.strikes = strikes;
    this.counting.clear();
    this.probe = null;
  }
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ type: "enter" as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom("succeeded" as const, "failed" as const, "failed" as const, "released" as const),
      which: fc.nat(7),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("answered" as const), which: fc.nat(7) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("wait" as const), ms: fc.nat(120) }) },
);

describe("A circuit breaker under any order of calls", () => {
  it("matches the reference model with any number of concurrent calls", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const breaker = circuit();
        const model = new PlainModel();
        const underWay: { call: number; pass: Pass }[] = [];
        let nowMs = 0;
        steps.forEach((step, call) => {
          if (step.type === "wait") nowMs += step.ms;
          else if (step.type === "enter") {
            const pass = breaker.enter(nowMs);
            expect(pass !== null).toBe(model.enters(call, nowMs));
            if (pass !== null) underWay.push({ call, pass });
          } else {
            const index = step.which % Math.max(underWay.length, 1);
            const chosen = underWay[index];
            if (chosen === undefined) return;
            if (step.type === "answered") {
              chosen.pass = breaker.answered(chosen.pass).pass;
              model.answers(chosen.call);
            } else {
              underWay.splice(index, 1);
              breaker[step.type](chosen.pass, nowMs);
              model.ends(chosen.call, step.type, nowMs);
            }
          }
          expect(breaker.state(nowMs)).toBe(model.state(nowMs));
        });
      }),
      { numRuns: 1000 },
    );
  });
});
