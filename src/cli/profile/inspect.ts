import Table from "cli-table3";
import { describeSet, loadProfileSets } from "../../engine/index.js";
import type { ModelSummary, SetDescription } from "../../engine/profiles/describe-set.js";
import { recommendedWeightText } from "../../workbench/index.js";
import { JSON_OPTION, writeResult } from "../command.js";
import { path } from "../options.js";
import { profileSubcommand } from "./explained.js";

export const SET_OPERAND = { name: "<folder>", about: "a profile set, or a folder of several" };

export const inspectCommand = profileSubcommand("inspect", {
  about: "show what a profile set contains",
  operands: [SET_OPERAND],
  options: JSON_OPTION,
  async run({ json }, context, folder) {
    const reports = (await loadProfileSets(path(folder, context), { index: "exact" })).map(describeSet);
    const text = () => reports.map(renderProfileSet).join("\n\n\n");
    await writeResult(reports.length === 1 ? reports[0] : reports, text, { json, context });
  },
});

/** A set for a person, as tables. */
function renderProfileSet(report: SetDescription): string {
  return [
    renderFacts(report),
    renderRows("Sources", ["name", "anchors", "licence", "commit", "url"], report.sources.map(sourceCells)),
    renderRows(
      "Tuned parameters",
      ["parameter", "value"],
      Object.entries(report.parameters).map(parameterCells),
    ),
    renderRows(
      `Models (${report.models.length})`,
      ["model", "expected quality", "basis", "samples", "published", "lengths", "benchmarks"],
      report.models.map(modelCells),
    ),
    LEGEND,
  ].join("\n\n");
}

const LEGEND = [
  "expected quality: over all topics of the set, the difficulty of prompts taken out, ± its standard error;",
  "basis: graded answers (measured), published scores or, without any, maker, date and price (placed), or both;",
  "samples: prompts with a graded answer;",
  "published: scores that the model was placed by; lengths: what was measured of its answers.",
].join("\n");

function renderFacts(report: SetDescription): string {
  const facts: readonly (readonly [string, string])[] = [
    ["profile set", report.name],
    ["version", report.version],
    ["built at", report.built_at],
    ["embedder", `${report.embedder.id}, ${report.embedder.dimensions} dimensions`],
    ["fingerprint", report.embedder.fingerprint],
    ["anchors", String(report.anchors)],
    ["benchmarks", String(report.benchmarks.length)],
    ["topics", String(report.topics.length)],
    ["difficulty", report.difficulty === null ? "no model" : "weighed by the embedder's difficulty model"],
    ["size", formatBytes(report.bytes)],
    ["seed", String(report.seed)],
    ...recommendedFacts(report),
  ];
  return facts.map(([name, value]) => `${name.padEnd(12)} ${value}`).join("\n");
}

function recommendedFacts({
  recommended_cost_weight: recommended,
}: SetDescription): (readonly [string, string])[] {
  if (recommended === null) return [];
  return [["recommended", `cost weight ${recommended.cost_weight}, ${recommendedWeightText(recommended)}`]];
}

/** In kilobytes or megabytes of a thousand. */
export function formatBytes(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function renderRows(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const style = { head: [], border: [], compact: true };
  const table = new Table({ head: [...head], style });
  for (const row of rows) table.push([...row]);
  return `${title}\n${table.toString()}`;
}

function sourceCells(source: SetDescription["sources"][number]): string[] {
  return [
    source.name,
    String(source.anchors),
    source.licence ?? "–",
    source.commit ?? "–",
    source.url ?? "–",
  ];
}

function parameterCells([name, value]: readonly [string, number]): string[] {
  return [name.replaceAll("_", " "), String(Number(value.toPrecision(4)))];
}

function modelCells(model: ModelSummary): string[] {
  const measured = [model.measured.tokens ? "tokens" : "", model.measured.cost ? "cost" : ""];
  return [
    model.model,
    `${model.expected_quality.toFixed(3)} ± ${model.quality_stderr.toFixed(3)}`,
    model.basis,
    String(model.samples),
    String(model.published.length),
    measured.filter((name) => name !== "").join(", ") || "–",
    describeBenchmarks(model.benchmarks) || "–",
  ];
}

const BENCHMARKS_SHOWN = 3;

function describeBenchmarks(benchmarks: Readonly<Record<string, number>>): string {
  const entries = Object.entries(benchmarks).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const fit = entries.length <= BENCHMARKS_SHOWN + 1;
  const shown = (fit ? entries : entries.slice(0, BENCHMARKS_SHOWN)).map(
    ([name, count]) => `${name} ${count}`,
  );
  const more = entries.length - shown.length;
  return more > 0 ? `${shown.join(", ")}, ${more} more` : shown.join(", ");
}
