import { describe, expect, it } from "vitest";
import {
  RECORDED,
  WATCHED,
  type WatchedMetric,
} from "../../../../../src/gateway/features/operations/metrics/definitions.js";
import { createMetrics } from "../../../../../src/gateway/features/operations/metrics/metrics.js";
import { withTables } from "../../../../support/page-tables.js";

const rows = Object.values({ ...RECORDED, ...WATCHED }).map((metric) => {
  const { name, type, labels, help } = metric;
  const shown = labels.map((label) => `\`${label}\``).join(", ");
  return `| \`${name}\` | ${type} | ${shown} | ${help} |`;
});

describe("docs/metrics.md", () => {
  it("has a table of the definitions (`npx vitest run test/gateway/features/operations/metrics/metrics-page.test.ts -u` writes it)", async () => {
    const page = new URL("../../../../../docs/metrics.md", import.meta.url);
    const head = "| metric | type | labels | |";
    await expect(withTables(page, { [head]: rows })).toMatchFileSnapshot("../../../../../docs/metrics.md");
  });

  it("has every metric that there is", async () => {
    const metrics = createMetrics({ isKnownModel: () => true });
    for (const metric of Object.keys(WATCHED) as WatchedMetric[]) metrics.watch(metric, () => []);
    const exported = [...(await metrics.text()).matchAll(/^# TYPE (\w+) (\w+)/gm)].map(
      ([, name, type]) => `${name} ${type}`,
    );
    const defined = Object.values({ ...RECORDED, ...WATCHED }).map(({ name, type }) => `${name} ${type}`);
    expect(exported.sort()).toEqual(defined.sort());
  });
});
