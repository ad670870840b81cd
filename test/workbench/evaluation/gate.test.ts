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
    id: `p${index}`,
    benchmark: "b",
    model: "x",
    costUsd,
    quality: index < right ? 1 : 0,
  }));
}

const BASELINE: Baseline = {
  profileVersion: "set@1",
  costWeight: 0.3,
  decisions: decisions(150),
  latency: latency(0.5),
};

interface Given {
  readonly tolerance?: typeof DEFAULT_TOLERANCE;
  /** Of the decisions' time to that of the reference; null: not measured. */
  readonly ratio?: number | null;
  readonly baseline?: Baseline;
  readonly costWeight?: number;
}

const judged = (
  now: readonly EvaluatedDecision[],
  { tolerance = DEFAULT_TOLERANCE, ratio = 0.5, baseline = BASELINE, costWeight = 0.3 }: Given = {},
) =>
  judge(
    { decisions: now, costWeight },
    { baseline, latency: ratio === null ? undefined : latency(ratio) },
    { tolerance },
  );

describe("The gate", () => {
  it.each<[string, readonly EvaluatedDecision[], Given, readonly string[]]>([
    ["is the same", decisions(150), {}, []],
    ["is better", decisions(180, 0.005), { ratio: 0.3 }, []],
    ["has lost one prompt, which is within noise", decisions(149), {}, []],
    ["is slower within noise", decisions(150), { ratio: 0.55 }, []],
    ["costs 2% more beyond noise", decisions(150, 0.0102), {}, []],
    ["costs 4% more beyond noise", decisions(150, 0.0104), {}, ["cost"]],
    ["is worse beyond noise", decisions(130, 0.012), { ratio: 0.8 }, ["quality", "cost", "latency"]],
    [
      "is worse within the tolerance",
      decisions(130, 0.012),
      { tolerance: { quality: 0.11, cost: 0.25, latency: 0.7 }, ratio: 0.7 },
      [],
    ],
  ])("of what %s finds the worse figures", (_, now, given, worse) => {
    const { passed, checks } = judged(now, given);
    expect(checks.filter(({ isWorse }) => isWorse === true).map(({ figure }) => figure)).toEqual(worse);
    expect(passed).toBe(worse.length === 0);
  });

  it("compares no costs that it does not know, and no latency unless it is given in both", () => {
    const verdicts = ({ checks }: ReturnType<typeof judged>) => checks.map(({ isWorse }) => isWorse);
    expect(verdicts(judged(decisions(150, null), { ratio: null }))).toEqual([false, null]);
    const baseline = { ...BASELINE, latency: null };
    expect(verdicts(judged(decisions(150), { baseline, ratio: 1 }))).toEqual([false, false, null]);
  });

  it("refuses another cost weight", () => {
    expect(() => judged(decisions(150), { costWeight: 0.4 })).toThrow("`costWeight` 0.3, this is 0.4");
  });
});

describe("A baseline file", () => {
  it("reads as it was written", () => {
    expect(decodeBaseline(encodeBaseline(BASELINE), "b.json")).toEqual(BASELINE);
  });

  it.each([
    ["{", "b.json is not JSON"],
    ["{}", "b.json is not a baseline of this version"],
    [encodeBaseline(BASELINE).replace('"version": 2', '"version": 1'), "not a baseline of this version"],
  ])("that is %j is refused with its name", (text, message) => {
    expect(() => decodeBaseline(text, "b.json")).toThrow(message);
  });
});

describe("The JUnit report", () => {
  it("has a test case for each check, with failures and what was not compared", () => {
    const result = judged(decisions(120), { baseline: { ...BASELINE, latency: null } });
    const [loss, cost, untimed] = result.checks.map(({ message }) => message);
    expect(loss).toMatch(/^Quality changed by −15\.00 points \[−[12]\d\.\d\d, −\d+\.\d\d\] over 200 prompts/);
    expect(cost).toContain("Cost changed by 0.0%");
    const classname = "a &quot;name&quot; &amp; &lt;more&gt;";
    const counts = 'tests="3" failures="1" skipped="1"';
    const named = (figure: string) =>
      `    <testcase classname="${classname}" name="${figure} is not worse than the baseline"`;
    expect(junitReport(result, 'a "name" & <more>').split("\n")).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<testsuites ${counts}>`,
      `  <testsuite name="${classname}" ${counts}>`,
      `${named("quality")}><failure message="${loss}"/></testcase>`,
      `${named("cost")}/>`,
      `${named("latency")}><skipped message="${untimed}"/></testcase>`,
      "  </testsuite>",
      "</testsuites>",
      "",
    ]);
  });
});
