import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { problemsOf } from "./promql.js";

const FILE = new URL("../../deploy/grafana/dashboards/sextant.json", import.meta.url);

const datasource = z.strictObject({ type: z.literal("prometheus"), uid: z.literal("$" + "{datasource}") });
const gridPos = z.strictObject({
  h: z.int().min(1),
  w: z.int().min(1).max(24),
  x: z.int().min(0),
  y: z.int().min(0),
});
const row = z.object({ id: z.int(), type: z.literal("row"), title: z.string().min(1), gridPos });
const panel = z.object({
  id: z.int(),
  type: z.enum(["timeseries", "stat", "bargauge"]),
  title: z.string().min(1),
  description: z.string().min(1),
  datasource,
  gridPos,
  fieldConfig: z.object({ defaults: z.object({ unit: z.string().min(1) }) }),
  targets: z
    .array(z.object({ refId: z.string(), datasource, expr: z.string().min(1), legendFormat: z.string() }))
    .min(1),
});
const dashboardSchema = z.object({
  uid: z.literal("sextant"),
  title: z.string().min(1),
  schemaVersion: z.int().min(36),
  panels: z.array(z.discriminatedUnion("type", [row, panel])),
  templating: z.object({ list: z.array(z.object({ name: z.string(), type: z.string() })) }),
});

const dashboard = dashboardSchema.parse(JSON.parse(readFileSync(FILE, "utf8")));
const panels = dashboard.panels.filter((entry) => entry.type !== "row");

describe("The dashboard", () => {
  it.each(panels.map((entry) => [entry.title, entry] as const))(
    "asks for metrics and labels that exist: %s",
    (_, { targets }) => {
      for (const { expr } of targets) expect(problemsOf(expr), expr).toEqual([]);
    },
  );

  it("uses only variables that it defines", () => {
    const defined = dashboard.templating.list.map(({ name }) => name);
    const used = panels.flatMap(({ targets }) =>
      targets.flatMap(({ expr }) => [...expr.matchAll(/\$(\w+)/g)]),
    );
    const names = new Set(used.map(([, name = ""]) => name).filter((name) => !name.startsWith("__")));
    expect([...names].filter((name) => !defined.includes(name))).toEqual([]);
  });
});
