import Table from "cli-table3";
import { type Basis, basisOf } from "../../estimation/basis.js";
import type { PublishedSource } from "../../estimation/profile-summary.js";
import type { LoadedSet } from "../../profiles/load.js";
import type { ModelProfile } from "../../profiles/model-profile.js";

/** What `sextant profile inspect --json` prints of one set. */
export interface ProfileSetReport {
  readonly name: string;
  readonly version: string;
  readonly built_at: string;
  readonly embedder: { readonly id: string; readonly fingerprint: string; readonly dimensions: number };
  readonly anchors: number;
  readonly bytes: number;
  readonly seed: number;
  readonly benchmarks: readonly string[];
  /** What the models' skills are told apart by. */
  readonly topics: readonly string[];
  /** How a prompt's difficulty becomes ease; null in sets built without a difficulty model. */
  readonly difficulty: NonNullable<LoadedSet["manifest"]["difficulty"]> | null;
  readonly sources: LoadedSet["manifest"]["sources"];
  readonly parameters: LoadedSet["manifest"]["parameters"];
  /** Best expected quality first. */
  readonly models: readonly ModelReport[];
}

interface ModelReport {
  readonly model: string;
  readonly original_names: readonly string[];
  readonly basis: Basis;
  /** Over all topics of the set, the difficulty of prompts taken out: comparable between models. */
  readonly expected_quality: number;
  /** Standard error of `expected_quality`. */
  readonly quality_stderr: number;
  /** Anchors the model was scored on. */
  readonly samples: number;
  /** Over those anchors, easy or hard as they are: not comparable between models. */
  readonly mean_quality: number;
  /** Published scores that the model was placed by. */
  readonly published: readonly PublishedSource[];
  readonly measured: { readonly tokens: boolean; readonly cost: boolean };
  readonly benchmarks: Readonly<Record<string, number>>;
}

export function reportProfileSet({ set, manifest, profiles }: LoadedSet): ProfileSetReport {
  return {
    name: manifest.name,
    version: set.version,
    built_at: manifest.built_at,
    embedder: manifest.embedder,
    anchors: manifest.anchors,
    bytes: manifest.files.reduce((sum, { bytes }) => sum + bytes, 0),
    seed: manifest.seed,
    benchmarks: manifest.benchmarks,
    topics: manifest.topics,
    difficulty: manifest.difficulty ?? null,
    sources: manifest.sources,
    parameters: manifest.parameters,
    models: profiles.map(reportModel).sort(byExpectedQuality),
  };
}

/** Best first; of equal ones the surer, then by id. */
function byExpectedQuality(a: ModelReport, b: ModelReport): number {
  return (
    b.expected_quality - a.expected_quality ||
    a.quality_stderr - b.quality_stderr ||
    (a.model < b.model ? -1 : 1)
  );
}

function reportModel({ facts, tokens, cost }: ModelProfile): ModelReport {
  return {
    model: facts.model,
    original_names: facts.original_names,
    basis: basisOf(facts),
    expected_quality: facts.overall_quality,
    quality_stderr: facts.overall_error,
    samples: facts.scored,
    mean_quality: facts.mean_quality,
    published: facts.published,
    measured: { tokens: tokens?.lengths !== undefined, cost: cost?.lengths !== undefined },
    benchmarks: facts.benchmarks,
  };
}

/** The same for a person, as tables. */
export function renderProfileSet(report: ProfileSetReport): string {
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

function renderFacts(report: ProfileSetReport): string {
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
  ];
  return facts.map(([name, value]) => `${name.padEnd(12)} ${value}`).join("\n");
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

function sourceCells(source: ProfileSetReport["sources"][number]): string[] {
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

function modelCells(model: ModelReport): string[] {
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
