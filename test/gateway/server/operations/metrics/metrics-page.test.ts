import { describe, expect, it } from "vitest";
import {
  RECORDED,
  WATCHED,
  type WatchedMetric,
} from "../../../../../src/gateway/server/operations/metrics/definitions.js";
import { createMetrics } from "../../../../../src/gateway/server/operations/metrics/metrics.js";

const WITH_PROCESSES = {
  sum: "the sum of all processes",
  first: "the same in all processes",
  min: "the lowest of all processes",
  max: "the highest of all processes",
};

function metricsPage(): string {
  const rows = Object.values({ ...RECORDED, ...WATCHED }).map((metric) => {
    const { name, type, labels, help } = metric;
    const aggregator = "aggregator" in metric ? metric.aggregator : "sum";
    const shown = labels.map((label) => `\`${label}\``).join(", ");
    return `| \`${name}\` | ${type} | ${shown} | ${help} | ${WITH_PROCESSES[aggregator]} |`;
  });
  return `# Metrics

\`GET /metrics\` answers in Prometheus's text format, without credentials. [Operations](operations.md#what-to-watch) says
what to alert on; [deploy](../deploy) has a Grafana dashboard and Prometheus alert rules made of these metrics.

With \`SEXTANT_WORKERS\` above 1, any process answers for all of them, and the last column says how. Counts of a worker process that ended stay in the
sums, as of the last time that the metrics were read. Several instances are scraped one by one; what they share through Redis, \`sextant_key_limit_used_ratio\`
and \`sextant_keys_near_limit\`, is what each of them last heard: take the highest.

Models outside the catalog share the label \`other\`, so that no client can add labels; there are at most 500 others. \`none\` stands for a request that reached no model or
provider. API keys are shown by their ids, by their names only with \`SEXTANT_METRICS_KEY_NAMES=true\`; subjects of tokens never.

Counters that [alert rules](operations.md#what-to-watch) watch one by one begin at 0, for Prometheus sees no increase in a series that begins with its first event. Where
models are not known before, the rule counts a new series as a whole: \`(x unless x offset 1h) or increase(x[1h])\`.

| metric | type | labels | | several processes |
|---|---|---|---|---|
${rows.join("\n")}

Beside these, \`process_…\` and \`nodejs_…\` have processor time, memory, garbage collection and event loop delay (\`nodejs_eventloop_lag_p99_seconds\`, of the
slowest process) of [prom-client](https://github.com/siimon/prom-client#default-metrics).
`;
}

describe("docs/metrics.md", () => {
  it("is generated from the definitions (`npx vitest run test/gateway/server/operations/metrics/metrics-page.test.ts -u` writes it)", async () => {
    await expect(metricsPage()).toMatchFileSnapshot("../../../../../docs/metrics.md");
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
