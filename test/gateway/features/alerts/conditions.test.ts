import { describe, expect, it } from "vitest";
import {
  type AlertFacts,
  conditionsOf,
  type RequestCounts,
} from "../../../../src/gateway/features/alerts/conditions.js";
import { type AlertRules, alertsSchema } from "../../../../src/gateway/features/alerts/settings.js";

const { rules } = alertsSchema.parse({});
const budget = {
  name: "teams",
  value: "search",
  period: "day",
  usedUsd: 0,
  limitUsd: 10,
  warnAt: 0.8,
  by: "team",
  isUsedUp: false,
  forecastUsd: null,
  preset: null,
};
const facts: AlertFacts = { budgets: [], keys: [], spend: null, requests: null, providers: new Map() };
const found = (given: Partial<AlertFacts>, own: Partial<AlertRules> = {}) =>
  conditionsOf(
    { ...facts, spend: { dayUsd: 0, dayBeforeUsd: 0 }, requests: [], ...given },
    { ...rules, ...own },
  );
const titles = (...asked: Parameters<typeof found>) => found(...asked).conditions.map(({ title }) => title);

describe("The rule", () => {
  it("`budget` warns from the share of the budget on, and apart from that when it is used up", () => {
    const at = (usedUsd: number, preset: string | null = null) =>
      found({ budgets: [{ ...budget, usedUsd, preset, isUsedUp: usedUsd >= 9.9 }] }).conditions;
    expect(at(7.99)).toEqual([]);
    expect(at(8).map(({ title, detail }) => [title, detail])).toEqual([
      ["Budget teams of search is nearly used", "$8.00 of $10.00 a day (80%) is used."],
    ]);
    expect(at(9.9).map(({ title }) => title)).toEqual([
      "Budget teams of search is nearly used",
      "Budget teams of search is used up",
    ]);
    expect(at(10)[1]?.detail).toContain("Requests are refused.");
    expect(at(10, "economy")[1]?.detail).toContain("The preset economy answers.");
  });

  it("`budget_forecast` fires where spending that goes on exceeds the budget", () => {
    const at = (forecastUsd: number | null) =>
      titles({ budgets: [{ ...budget, by: "metadata.customer", value: "", forecastUsd }] });
    expect([at(null), at(10), at(10.01)]).toEqual([
      [],
      [],
      ["Budget teams of requests without metadata.customer will not last"],
    ]);
  });

  it("`spend_rise` compares the day with the same part of one a week ago, above a least amount", () => {
    const at = (dayUsd: number, dayBeforeUsd: number) => titles({ spend: { dayUsd, dayBeforeUsd } });
    expect([at(9.9, 0), at(20, 10), at(20.1, 10)]).toEqual([
      [],
      [],
      ["Spend is far above that of a week ago"],
    ]);
    expect(at(10, 0)).toHaveLength(1);
  });

  describe("`error_rate`", () => {
    const counts = (parts: Partial<RequestCounts>): RequestCounts => ({
      ...{ by: "model", name: "m", all: 0, failed: 0, shareBefore: null },
      ...parts,
    });

    it.each([
      ["more than before", { all: 100, failed: 10, shareBefore: 0.05 }, true],
      ["as before", { all: 100, failed: 10, shareBefore: 0.07 }, false],
      ["mostly, as before", { all: 10, failed: 6, shareBefore: 0.7 }, true],
      ["for the first time", { all: 10, failed: 5 }, true],
      ["a few times", { all: 4, failed: 4 }, false],
      ["seldom", { all: 1000, failed: 20 }, false],
      ["not now", { all: 0, failed: 0, shareBefore: 1 }, false],
    ])("finds a model that fails %s: %o", (_, parts, isFound) => {
      expect(titles({ requests: [counts(parts)] })).toEqual(isFound ? ["High error rate: model m"] : []);
    });

    it("says what fails, how much of it, and what was usual", () => {
      const all = counts({ by: "all", name: "", all: 20, failed: 6, shareBefore: 0.02 });
      const provider = counts({ by: "provider", name: "lab", all: 5, failed: 5 });
      const { conditions } = found({ requests: [all, provider] });
      expect(conditions.map(({ target, title, detail }) => [target, title, detail])).toEqual([
        [null, "High error rate", "6 of 20 requests failed in 60 minutes (30%; 2% in the day before)."],
        [
          { type: "provider", id: "lab" },
          "High error rate: provider lab",
          "5 of 5 requests failed in 60 minutes (100%; no requests in the day before).",
        ],
      ]);
      const only = counts({ all: 5, failed: 5 });
      expect(titles({ requests: [{ ...all, failed: 5 }, provider, only] })).toEqual([
        "High error rate: provider lab",
      ]);
    });
  });

  it("`provider_down` counts the models that are not called for now", () => {
    const at = (out: number, called: number) => titles({ providers: new Map([["lab", { out, called }]]) });
    expect([at(0, 0), at(1, 3), at(1, 2)]).toEqual([[], [], ["Provider lab is down"]]);
  });

  it("`key_near_limit` has a threshold of its own", () => {
    const keys = [{ id: "key_a", name: "app", usedUsd: 8, limitUsd: 10 }];
    expect(titles({ keys }, { key_near_limit: { share: 0.9 } })).toEqual([]);
    expect(titles({ keys })).toEqual(["Key app is near its limit"]);
    const nearly = found({ keys: [{ id: "key_a", name: "app", usedUsd: 9.96, limitUsd: 10 }] }).conditions;
    expect(nearly.map(({ detail }) => detail)).toEqual(["$9.96 of $10.00 a month (99.6%) is used."]);
  });

  it("that is off finds nothing, and one whose facts cannot be asked is unknown", () => {
    const down = { budgets: null, keys: null, spend: null, requests: null };
    expect([...found(down, { error_rate: false }).unknown]).toEqual([
      ...["budget", "budget_forecast", "spend_rise", "key_near_limit"],
    ]);
    expect(
      titles({ keys: [{ id: "key_a", name: "app", usedUsd: 9, limitUsd: 9 }] }, { key_near_limit: false }),
    ).toEqual([]);
  });
});
