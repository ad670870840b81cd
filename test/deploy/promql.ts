import { parser } from "@prometheus-io/lezer-promql";
import { collectDefaultMetrics, Registry } from "prom-client";
import { ERROR_CODES } from "../../src/foundation/errors.js";
import { RECORDED, WATCHED } from "../../src/gateway/features/operations/metrics/definitions.js";

/** What Prometheus adds to every metric. */
const TARGET_LABELS = ["job", "instance"];
const HISTOGRAM_SUFFIX = /_(?:bucket|sum|count)$/;

interface KnownMetric {
  readonly type: string;
  readonly labels: readonly string[];
}

function knownMetrics(): ReadonlyMap<string, KnownMetric> {
  const known = new Map<string, KnownMetric>([["up", { type: "gauge", labels: [] }]]);
  for (const { name, type, labels } of Object.values({ ...RECORDED, ...WATCHED }))
    known.set(name, { type, labels });
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const text = registry.getMetricsAsArray();
  for (const { name, type } of text) known.set(name, { type: String(type), labels: [] });
  return known;
}

const KNOWN = knownMetrics();

/** What a query takes the increase or the rate of. */
export interface CountedSeries {
  readonly name: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

/** The counters whose increase or rate a query takes, with their label matchers. */
export function countedSeries(query: string): readonly CountedSeries[] {
  const counted: CountedSeries[] = [];
  parser.parse(query).iterate({
    enter(node) {
      if (node.name !== "MatrixSelector") return;
      const [, name = "", matchers = ""] =
        /^(\w+)(?:\{(.*)\})?\[/s.exec(query.slice(node.from, node.to)) ?? [];
      const parsed = [...matchers.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)];
      counted.push({
        name,
        matchers: parsed.map(([, label = "", operator = "", value = ""]) => ({ label, operator, value })),
      });
    },
  });
  return counted;
}

/** What is wrong with a query: its syntax, metrics and labels that do not exist, rates of what is no counter, unknown error codes. */
export function problemsOf(query: string): readonly string[] {
  const text = query.replaceAll("$__rate_interval", "5m");
  const problems: string[] = [];
  const labelsInScope = new Set(TARGET_LABELS);
  const grouped: string[] = [];
  parser.parse(text).iterate({
    enter(node) {
      const here = text.slice(node.from, node.to);
      if (node.type.isError) problems.push(`syntax near \`${text.slice(node.from, node.from + 20)}\``);
      if (node.name === "VectorSelector") {
        const name = node.node.getChild("Identifier");
        const found = metricOf(name === null ? "" : text.slice(name.from, name.to));
        if (found === undefined) problems.push(`no metric: ${here}`);
        for (const label of found?.labels ?? []) labelsInScope.add(label);
        for (const matcher of node.node.getChild("LabelMatchers")?.getChildren("UnquotedLabelMatcher") ??
          []) {
          problems.push(...matcherProblems(text.slice(matcher.from, matcher.to), found));
        }
      }
      if (node.name === "FunctionCall" && /^(?:rate|increase)\(/.test(here)) {
        const name = /\((\w+)/.exec(here)?.[1] ?? "";
        if (metricOf(name)?.type === "gauge") problems.push(`a rate of a gauge: ${name}`);
      }
      if (node.name === "GroupingLabels") grouped.push(...here.replace(/[()\s]/g, "").split(","));
    },
  });
  const unknown = grouped.filter((label) => label !== "" && !labelsInScope.has(label));
  return [...problems, ...unknown.map((label) => `no label to group by: ${label}`)];
}

function metricOf(name: string): KnownMetric | undefined {
  const base = name.replace(HISTOGRAM_SUFFIX, "");
  const histogram = KNOWN.get(base);
  if (histogram?.type !== "histogram" || base === name) {
    const metric = KNOWN.get(name);
    return metric?.type === "histogram" ? undefined : metric;
  }
  return {
    type: "counter",
    labels: name.endsWith("_bucket") ? [...histogram.labels, "le"] : histogram.labels,
  };
}

function matcherProblems(matcher: string, metric: KnownMetric | undefined): readonly string[] {
  const [, label = "", values = ""] = /^(\w+)\s*(?:=~|!~|!=|=)\s*"(.*)"$/.exec(matcher) ?? [];
  if (![...TARGET_LABELS, ...(metric?.labels ?? [])].includes(label)) return [`no label: ${matcher}`];
  if (label !== "code" || metric?.labels.includes("route") !== true) return [];
  const isCode = (value: string) => value === "" || value in ERROR_CODES;
  return values.split("|").every(isCode) ? [] : [`no error code: ${matcher}`];
}
