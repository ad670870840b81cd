import type { Environment } from "../environment.js";
import { formatValue } from "./format.js";
import { type Judgement, judge, sameData } from "./judge.js";
import { escapeCell, markdownTable } from "./markdown.js";
import type { BenchmarkResult, Figure } from "./result.js";

/** Two runs of one suite beside each other. */
export interface Comparison {
  /** Sentences: what differs between the machines, the code, the data. */
  readonly differences: readonly string[];
  readonly judgements: readonly Judgement[];
}

export function compareResults(before: BenchmarkResult, after: BenchmarkResult): Comparison {
  return { differences: differencesOf(before, after), judgements: judge(before, after) };
}

const SHOWN: readonly (keyof Environment)[] = ["processor", "cores", "node", "commit", "load"];

/** One sentence for each thing that differs and may explain a figure. */
export function differencesOf(before: BenchmarkResult, after: BenchmarkResult): string[] {
  const sentences = SHOWN.filter((key) => before.environment[key] !== after.environment[key]).map(
    (key) =>
      `${key}: ${before.environment[key] ?? "unknown"} before, ${after.environment[key] ?? "unknown"} after`,
  );
  if (before.suite !== after.suite) sentences.unshift(`suite: ${before.suite} before, ${after.suite} after`);
  if (before.command !== after.command)
    sentences.push(`command: \`${before.command}\` before, \`${after.command}\` after`);
  if (!sameData(before, after)) sentences.push(`data: ${dataLine(before)} before, ${dataLine(after)} after`);
  if (before.seeds.join() !== after.seeds.join())
    sentences.push(`seeds: ${before.seeds.join(", ")} before, ${after.seeds.join(", ")} after`);
  for (const [when, { environment }] of [["before", before] as const, ["after", after] as const]) {
    if (environment.load > environment.cores)
      sentences.push(`the machine was busy ${when}: load ${environment.load} on ${environment.cores} cores`);
  }
  return sentences;
}

function dataLine({ datasets }: BenchmarkResult): string {
  if (datasets.length === 0) return "none";
  return datasets.map(({ name, sha256 }) => `${name} (${sha256.slice(0, 8)})`).join(", ");
}

const ORDER: readonly Judgement["verdict"][] = ["missing", "worse", "better", "new", "same", "not judged"];

/** Differences, then a table: what got worse first. */
export function renderComparison({ differences, judgements }: Comparison): string {
  const sorted = judgements.toSorted((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));
  const rows = sorted.map((judgement) => [
    `${escapeCell(judgement.figure.label)} (${judgement.id})`,
    formatValue(judgement.before, judgement.figure.unit),
    formatValue(judgement.after, judgement.figure.unit),
    changeText(judgement),
    judgement.verdict,
    escapeCell(judgement.reason),
  ]);
  const counts = ORDER.map((verdict) => [
    verdict,
    judgements.filter((judgement) => judgement.verdict === verdict).length,
  ])
    .filter(([, count]) => count !== 0)
    .map(([verdict, count]) => `${count} ${verdict}`);
  return [
    ...differences.map((difference) => `- ${difference}`),
    "",
    markdownTable(["figure", "before", "after", "change", "verdict", "judged"], rows),
    "",
    counts.join(", "),
  ].join("\n");
}

/** `+3.1 %` of a relative change, `+0.0120` in the figure's own unit else; empty when unknown. */
export function changeText({
  change,
  scale,
  figure,
}: Pick<Judgement, "change" | "scale" | "figure">): string {
  if (change === null) return "";
  const sign = change < 0 ? "−" : "+";
  if (scale === "relative") return `${sign}${(100 * Math.abs(change)).toFixed(1)} %`;
  return `${sign}${absolute(Math.abs(change), figure.unit)}`;
}

function absolute(change: number, unit: Figure["unit"]): string {
  return unit === "share" ? `${(100 * change).toFixed(2)} points` : formatValue(change, unit);
}
