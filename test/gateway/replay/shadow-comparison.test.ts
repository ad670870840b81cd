import { describe, expect, it } from "vitest";
import { ShadowComparison } from "../../../src/gateway/replay/shadow-comparison.js";

const candidate = (model: string, expected_quality: number, expected_cost_usd: number | null) => ({
  ...{ model, expected_quality, expected_cost_usd },
});
const candidates = [candidate("large", 0.9, 0.01), candidate("small", 0.7, 0.001)];
const shadowed = (selected_model: string, more: object = {}) => ({
  profile_version: "next@1",
  selected_model,
  expected_quality: 0.8,
  expected_cost_usd: 0.002,
  live_model: { expected_quality: 0.75, expected_cost_usd: 0.008 },
  ...more,
});

describe("ShadowComparison", () => {
  it("counts other choices, and sums up what either set expects of them", () => {
    const comparison = new ShadowComparison();
    comparison.add({ selected_model: "large", candidates });
    comparison.add({ selected_model: "large", candidates, shadow: shadowed("small") });
    // A draw is no decision.
    const exploration = { preferred_model: "large" };
    comparison.add({ selected_model: "small", exploration, candidates, shadow: shadowed("large") });
    const failed = { profile_version: "next@1", error: "missing_profiles" };
    comparison.add({ selected_model: "large", candidates, shadow: failed });
    const [report, ...others] = comparison.reports();
    expect(others).toEqual([]);
    expect(report).toMatchObject({ profileVersion: "next@1", requests: 2, undecided: 1, changed: 1 });
    expect(report?.byLive.requests).toBe(2);
    expect(report?.byLive.quality).toBeCloseTo(-0.1, 12);
    expect(report?.byLive.costUsd).toBeCloseTo(0.02, 12);
    expect(report?.byLive.costChangeUsd).toBeCloseTo(-0.009, 12);
    expect(report?.byShadow.quality).toBeCloseTo(0.05, 12);
    expect(report?.byShadow.costChangeUsd).toBeCloseTo(-0.012, 12);
  });

  it("leaves out what one set knows nothing of, and keeps versions apart", () => {
    const comparison = new ShadowComparison();
    const strange = shadowed("elsewhere", { live_model: null, expected_cost_usd: null });
    comparison.add({ selected_model: "large", candidates, shadow: strange });
    const other = { ...strange, profile_version: "next@2" };
    comparison.add({ selected_model: "large", candidates, shadow: other });
    expect(comparison.reports()).toMatchObject([
      { profileVersion: "next@1", changed: 1, byLive: { requests: 0 }, byShadow: { requests: 0 } },
      { profileVersion: "next@2", changed: 1 },
    ]);
  });
});
