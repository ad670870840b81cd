/** What the page of the value says in words. */
import { describe, expect, it } from "vitest";
import { rangeNamed } from "../../src/console/charts/ranges.js";
import { headlineOf, modelsText, valueTile } from "../../src/console/value/headline.js";
import { comparisonText, feedbackText } from "../../src/console/value/quality-text.js";
import type { ComparisonBody } from "../../src/gateway/features/comparisons/schema.js";
import type { ValueBody } from "../../src/gateway/features/replay/value-schema.js";

const compared = (value: number, further: number): NonNullable<ValueBody["saving"]> => ({
  models: [{ model: "gpt-5.5", share: 1 }],
  ...{ requests: 100, spent_usd: 10, saved_share: { value: value / (value + 10), low: 0, high: 1 } },
  saved_usd: { value, low: value - further, high: value + further },
});
const comparison = (verdict: ComparisonBody["verdict"], further: number) =>
  ({
    with: "auto:0.5",
    comparisons: 100,
    verdict,
    quality: { value: 0, low: -further, high: further },
  }) as ComparisonBody;

describe("What routing saved", () => {
  it("is the same figure, share and interval on the page and on the overview", () => {
    const value = { saving: compared(10, 2), cheaper: null } as ValueBody;
    const said = { note: "50% at equal quality", isBad: false };
    const headline = { title: "Saved by routing", figure: "$10.00", interval: "$8.00 to $12.00", ...said };
    expect(headlineOf(value)).toMatchObject(headline);
    const tile = {
      name: "Saved",
      value: "$10.00",
      more: "$8.00 to $12.00",
      href: "/value?range=7d",
      ...said,
    };
    expect(valueTile(value, rangeNamed("7d"))).toEqual(tile);
  });

  it("is no difference where the interval contains zero, nothing without a bill, and a cheaper fixed model before all", () => {
    const open = headlineOf({ saving: compared(-1, 2), cheaper: null });
    expect(open).toMatchObject({ note: "no difference found", isBad: false });
    expect(headlineOf({ saving: null, cheaper: null })).toBeNull();
    expect(headlineOf({ saving: compared(10, 2), cheaper: compared(-4, 1) })).toMatchObject({
      title: "A fixed model would have been cheaper",
      ...{ figure: "$4.00", note: "40% less at equal quality", interval: "$3.00 to $5.00", isBad: true },
    });
  });

  it("names both models of a mixture", () => {
    const mixture = [0.62, 0.38].map((share, at) => ({ model: `m${at}`, share }));
    expect([modelsText(mixture), modelsText(mixture.slice(1))]).toEqual([
      "62% m0 and 38% m1, at random",
      "m1",
    ]);
  });
});

describe("Whether quality is kept", () => {
  it("is answered by the comparison with most answers, or with how many more are needed", () => {
    expect(
      comparisonText([{ ...comparison("worse", 0.1), comparisons: 9 }, comparison("as_good", 0.008)]),
    ).toBe(
      "auto:0.5 is as good as the answers served: 0.0 points (−0.8 to +0.8) in 100 blind comparisons of any period.",
    );
    expect(comparisonText([comparison("unclear", 0.05)])).toMatch(
      /^Not known yet: .* about 2,400 more are needed/,
    );
    const narrow = { value: -0.004, low: -0.0102, high: 0.0022 };
    expect(comparisonText([{ ...comparison("unclear", 0), quality: narrow }])).toMatch(
      /^Not known yet: .*\(−1\.0 to \+0\.2\) in 100 blind comparisons[^;]*\.$/,
    );
    expect(comparisonText([])).toMatch(/^No blind comparisons yet/);
  });

  it("is what clients said, with how many scores are missing", () => {
    const feedback = {
      count: 236,
      mean: { value: 0.8, low: 0.742, high: 0.846 },
      models: [],
      presets: [],
      weeks: [],
    };
    expect(feedbackText({ ...feedback, missing: 10 })).toBe(
      "Clients scored 236 answers 80% on average (74% to 85%); 10 more would narrow this to ±5 points.",
    );
    expect(feedbackText({ ...feedback, missing: 0 })).toMatch(/on average \(74% to 85%\)\.$/);
    expect(feedbackText({ ...feedback, count: 0, mean: null, missing: 385 })).toMatch(
      /^No feedback yet: 385 scores/,
    );
  });
});
