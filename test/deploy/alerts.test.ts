import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { alertsSchema } from "../../src/gateway/features/alerts/settings.js";
import { startWholeGateway } from "../e2e/whole-gateway.js";
import { type CountedSeries, countedSeries, problemsOf } from "./promql.js";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

const rule = z.strictObject({
  alert: z.string().regex(/^Sextant[A-Z]\w+$/),
  expr: z.string().min(1),
  for: z
    .string()
    .regex(/^\d+[smh]$/)
    .optional(),
  labels: z.strictObject({ severity: z.enum(["critical", "warning", "info"]) }),
  annotations: z.strictObject({ summary: z.string().min(1) }),
});
const rulesFile = z.strictObject({
  groups: z.array(z.strictObject({ name: z.string(), rules: z.array(rule) })),
});

const rules = rulesFile.parse(parse(read("deploy/alerts.yml"))).groups.flatMap((group) => group.rules);

/** A server of one process with two providers, before its first request. */
async function metricsAtStart(): Promise<string> {
  const gateway = await startWholeGateway({ OPENAI_API_KEY: "sk-test", ANTHROPIC_API_KEY: "sk-ant-test" });
  const { text } = await gateway.call("/metrics");
  await gateway.stop();
  return text;
}

/** The series of an exposition that a selector matches. */
const matching = (text: string, { name, matchers }: CountedSeries): readonly string[] =>
  text.split("\n").filter((line) => {
    const [, metric, labels = ""] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (metric !== name) return false;
    return matchers.every(({ label, operator, value }) => {
      const found = new RegExp(`(?:^|,)${label}="([^"]*)"`).exec(labels)?.[1] ?? "";
      const isMatch = operator.includes("~") ? new RegExp(`^(?:${value})$`).test(found) : found === value;
      return isMatch !== operator.startsWith("!");
    });
  });

/** One for each value of an alternative, such as `timeout` of `code=~"timeout|overloaded"`: none of them may be missing. */
const each = (series: CountedSeries): readonly CountedSeries[] => {
  const at = series.matchers.findIndex(({ operator, value }) => operator === "=~" && value.includes("|"));
  const values = series.matchers[at]?.value.split("|");
  if (values === undefined) return [series];
  return values.map((value) => ({
    ...series,
    matchers: series.matchers.map((matcher, index) =>
      index === at ? { ...matcher, operator: "=", value } : matcher,
    ),
  }));
};

describe("Every series whose increase or rate an alert rule takes", () => {
  it("is there before its first event, in which Prometheus would see no increase, or is counted whole when it is new", async () => {
    const text = await metricsAtStart();
    const counted = rules.flatMap(({ alert, expr }) =>
      countedSeries(expr).flatMap((series) => each(series).map((one) => ({ alert, expr, ...one }))),
    );
    expect(counted.length).toBeGreaterThan(20);
    const missing = counted.filter((series) => {
      const { expr, name } = series;
      return !expr.includes(`(${name} unless ${name} offset `) && matching(text, series).length === 0;
    });
    expect(missing).toEqual([]);
    for (const provider of ["openai", "anthropic"])
      expect(text).toContain(`sextant_attempts_total{provider="${provider}",code="credentials_refused"} 0`);
    for (const route of ["/v1/chat/completions", "/v1/messages", "/admin/keys"])
      expect(text).toContain(
        `sextant_http_requests_total{method="POST",route="${route}",status="500",code="internal_error"} 0`,
      );
  });
});

describe("The alert rules", () => {
  it("are all explained in docs/operations.md, and no others", () => {
    const explained = [...read("docs/operations.md").matchAll(/^\| `(Sextant\w+)` \|/gm)].map(
      ([, name]) => name,
    );
    expect(explained.sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });

  it("have the usual thresholds of the setting `alerts` where they are about the same", () => {
    const { error_rate: errors, spend_rise: rise } = alertsSchema.parse({}).rules;
    if (errors === false || rise === false) throw new TypeError("The rules are on.");
    const exprOf = (name: string) => rules.find(({ alert }) => alert === name)?.expr ?? "";
    for (const name of ["SextantServerErrors", "SextantProviderFailing"]) {
      expect(exprOf(name)).toMatch(new RegExp(`\\[${errors.minutes}m\\]\\)\\) >= ${errors.min_failed}\\b`));
      expect(exprOf(name)).toMatch(new RegExp(`\\[${errors.minutes}m\\]\\)\\) >= ${errors.share}$`));
    }
    expect(exprOf("SextantSpendJump")).toMatch(new RegExp(`>= ${rise.min_usd} .*> ${rise.ratio} \\*`));
  });

  it.each(rules.map((entry) => [entry.alert, entry] as const))(
    "ask for metrics and labels that exist, and name in their texts only labels that the query keeps: %s",
    (_, { expr, annotations }) => {
      expect(problemsOf(expr)).toEqual([]);
      const labels = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = ""]) => label);
      const kept = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(/,\s*/) ?? ["job", "instance"];
      expect(labels.filter((label) => !kept.includes(label))).toEqual([]);
    },
  );
});
