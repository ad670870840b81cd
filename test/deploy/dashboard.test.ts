import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { problemsOf } from "./promql.js";

const FILE = new URL("../../deploy/grafana/dashboards/sextant.json", import.meta.url);

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}
const dashboard = JSON.parse(readFileSync(FILE, "utf8")) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
};
const panels = dashboard.panels.filter(({ type }) => type !== "row");

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
