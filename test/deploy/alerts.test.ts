import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { problemsOf } from "./promql.js";

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
  groups: z.array(z.strictObject({ name: z.string().min(1), rules: z.array(rule).min(1) })).min(1),
});

const rules = rulesFile.parse(parse(read("deploy/alerts.yml"))).groups.flatMap((group) => group.rules);

describe("The alert rules", () => {
  it("are all explained in docs/operations.md, and no others", () => {
    const explained = [...read("docs/operations.md").matchAll(/^\| `(Sextant\w+)` \|/gm)].map(
      ([, name]) => name,
    );
    expect(explained.sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });

  it("have distinct names", () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });

  it.each(rules.map((entry) => [entry.alert, entry] as const))(
    "ask for metrics and labels that exist: %s",
    (_, { expr }) => {
      expect(problemsOf(expr)).toEqual([]);
    },
  );

  it.each(rules.map((entry) => [entry.alert, entry] as const))(
    "name in their texts only labels that the query keeps: %s",
    (_, { expr, annotations }) => {
      const labels = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = ""]) => label);
      const kept = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(/,\s*/) ?? ["job", "instance"];
      expect(labels.filter((label) => !kept.includes(label))).toEqual([]);
    },
  );
});
