import { describe, expect, it } from "vitest";
import type { EvaluatedDecision } from "../../../src/workbench/evaluation/evaluate.js";
import {
  type Baseline,
  DEFAULT_TOLERANCE,
  decodeBaseline,
  encodeBaseline,
  judge,
  junitReport,
} from "../../../src/workbench/evaluation/gate.js";

const latency = (value: number) => ({
  medianUs: 100 * value,
  ratio: { value, low: value - 0.02, high: value + 0.02 },
});

/** 200 decisions, of which that many are right. */
function decisions(right: number, costUsd: number | null = 0.01): EvaluatedDecision[] {
  return Array.from({ length: 200 }, (_, index) => ({
    ...{ id: `p${index}`, benchmark: "b", model: "x", costUsd },
    quality: index < right ? 1 : 0,
  }));
}

const baseline: Baseline = {
  ...{ profileVersion: "set@1", costWeight: 0.3, decisions: decisions(150) },
  latency: latency(0.5),
};

const judged = (
  now: readonly EvaluatedDecision[],
  {
    tolerance = DEFAULT_TOLERANCE,
    ratio = 0.5,
  }: { tolerance?: typeof DEFAULT_TOLERANCE; ratio?: number } = {},
) => judge({ decisions: now, costWeight: 0.3 }, { baseline, latency: latency(ratio) }, { tolerance });

const worse = (result: ReturnType<typeof judge>) =>
  result.checks.filter(({ isWorse }) => isWorse === true).map(({ figure }) => figure);

describe("The gate", () => {
  it("passes what is the same, and what is better", () => {
    expect(judged(baseline.decisions).passed).toBe(true);
    expect(judged(decisions(180, 0.005), { ratio: 0.3 }).passed).toBe(true);
  });

  it("fails a loss of quality, a higher cost and slower decisions that are beyond noise", () => {
    const result = judged(decisions(130, 0.012), { ratio: 0.8 });
    expect([result.passed, worse(result)]).toEqual([false, ["quality", "cost", "latency"]]);
    expect(result.checks[0]?.message).toMatch(
      /^Quality changed by −10\.00 points \[−1\d\.\d\d, −\d\.\d\d\] over 200 prompts/,
    );
    expect(result.checks[1]?.message).toContain("Cost changed by +20.0%");
  });

  it("passes what is within noise", () => {
    // One prompt lost.
    expect(worse(judged(decisions(149)))).toEqual([]);
    expect(worse(judged(baseline.decisions, { ratio: 0.55 }))).toEqual([]);
  });

  it("passes what is within the tolerance", () => {
    const tolerance = { quality: 0.11, cost: 0.25, latency: 0.7 };
    expect(worse(judged(decisions(130, 0.012), { tolerance, ratio: 0.7 }))).toEqual([]);
  });

  it("compares no costs that it does not know, and no latency unless it is given", () => {
    const result = judge(
      { decisions: decisions(150, null), costWeight: 0.3 },
      { baseline },
      { tolerance: DEFAULT_TOLERANCE },
    );
    expect(result.checks.map(({ isWorse }) => isWorse)).toEqual([false, null]);
    expect(result.passed).toBe(true);
    const untimed = judge(
      { decisions: decisions(150), costWeight: 0.3 },
      { baseline: { ...baseline, latency: null }, latency: latency(1) },
      { tolerance: DEFAULT_TOLERANCE },
    );
    expect(untimed.checks.map(({ isWorse }) => isWorse)).toEqual([false, false, null]);
  });

  it("refuses another cost weight", () => {
    const other = { decisions: baseline.decisions, costWeight: 0.4 };
    expect(() => judge(other, { baseline }, { tolerance: DEFAULT_TOLERANCE })).toThrow(
      "`costWeight` 0.3, this is 0.4",
    );
  });
});

describe("A baseline file", () => {
  it("reads as it was written", () => {
    expect(decodeBaseline(encodeBaseline(baseline), "b.json")).toEqual(baseline);
  });

  it.each([
    ["{", "b.json is not JSON"],
    ["{}", "b.json is not a baseline of this version"],
    ['{"version": 2}', "b.json is not a baseline of this version"],
  ])("that is %s is refused with its name", (text, message) => {
    expect(() => decodeBaseline(text, "b.json")).toThrow(message);
  });
});

describe("The JUnit report", () => {
  it("has a test case for each check, with failures and what was not compared", () => {
    const result = judge(
      { decisions: decisions(120), costWeight: 0.3 },
      { baseline: { ...baseline, latency: null }, latency: latency(1) },
      { tolerance: DEFAULT_TOLERANCE },
    );
    const [loss, cost, latencyMessage] = result.checks.map(({ message }) => message);
    const classname = "a &quot;name&quot; &amp; &lt;more&gt;";
    const counts = 'tests="3" failures="1" skipped="1"';
    const named = (figure: string) =>
      `    <testcase classname="${classname}" name="${figure} is not worse than the baseline"`;
    expect(loss).toContain("Quality changed by −15.00 points");
    expect(cost).toContain("Cost changed by 0.0%");
    expect(junitReport(result, 'a "name" & <more>').split("\n")).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<testsuites ${counts}>`,
      `  <testsuite name="${classname}" ${counts}>`,
      `${named("quality")}><failure message="${loss}"/></testcase>`,
      `${named("cost")}/>`,
      `${named("latency")}><skipped message="${latencyMessage}"/></testcase>`,
      "  </testsuite>",
      "</testsuites>",
      "",
    ]);
  });
});
