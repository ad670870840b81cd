import { describe, expect, it } from "vitest";
import { CallStatistics, EXPECTED_FIGURES } from "../../../src/gateway/run/call-statistics.js";

const MINUTE_MS = 60_000;

describe("What is expected of a provider", () => {
  it("is the prior before any call, and hardly moves with the first", () => {
    const figures = new CallStatistics();
    const before = figures.figuresAt(0);
    expect(before.errorRate).toBeCloseTo(EXPECTED_FIGURES.errorRate, 9);
    expect(before.firstContentMs).toBeCloseTo(EXPECTED_FIGURES.firstContentMs, 6);
    expect(before.tokensPerSecond).toBeCloseTo(EXPECTED_FIGURES.tokensPerSecond, 9);
    figures.failed(0);
    expect(figures.figuresAt(0).errorRate).toBeCloseTo(1.1 / 11, 9);
  });

  it("comes near what was measured with many calls", () => {
    const figures = new CallStatistics();
    for (let call = 0; call < 200; call++)
      figures.succeeded(0, { firstContentMs: 200, counted: { tokens: 300, totalMs: 3000 } });
    const { errorRate, firstContentMs, tokensPerSecond } = figures.figuresAt(0);
    expect(errorRate).toBeLessThan(0.001);
    expect(firstContentMs).toBeGreaterThan(200);
    expect(firstContentMs).toBeLessThan(220);
    expect(tokensPerSecond).toBeCloseTo(99.2, 1);
  });

  it("returns to the prior, so that a slow one is tried again", () => {
    const figures = new CallStatistics();
    for (let call = 0; call < 40; call++) figures.succeeded(0, { firstContentMs: 9000 });
    expect(figures.figuresAt(0).firstContentMs).toBeGreaterThan(5000);
    expect(figures.figuresAt(60 * MINUTE_MS).firstContentMs).toBeLessThan(1300);
  });
});
