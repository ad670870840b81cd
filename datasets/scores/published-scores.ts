/**
 * The collected tables of published scores (see "Published scores" in README.md) → one canonical file of scores, a line a
 * score, that `sextant profile build --scores` reads.
 */
import { join } from "node:path";
import { catalogId } from "../../src/engine/catalog/models/dataset-names.js";
import { nameCsvCells, parseCsv } from "../../src/workbench/outcomes/csv.js";
import { parseJsonLines } from "../../src/workbench/outcomes/jsonl.js";
import { readLines } from "../../src/workbench/outcomes/text-lines.js";
import { ANNOUNCED } from "./announced.js";

/** A line of the canonical file. */
export interface ScoreLine {
  readonly model: string;
  readonly benchmark: string;
  /** In [0, 1], higher is better. */
  readonly score: number;
  readonly source: string;
  readonly date: string | null;
  /** Facts that place a model when scores are few; null when unknown. */
  readonly released: string | null;
  readonly output_usd_per_mtok: number | null;
}

type Cells = Readonly<Record<string, unknown>>;

/** One harness for all of these: columns of the uniform table, as shares. */
const UNIFORM_BENCHMARKS = [
  "mmlu_pro",
  "gpqa",
  "hle",
  "livecodebench",
  "scicode",
  "ifbench",
  "lcr",
  "terminalbench_hard",
  "tau2",
  "math_500",
  "aime",
  "aime_25",
];
const UNIFORM_SOURCE = "Artificial Analysis, by arimxyer/models@980451de";

/** Words of a makers' variant that name an effort; what else a variant says makes it another benchmark. */
const EFFORTS = ["xhigh", "high", "low", "medium", "max"];

/** All scores that may build what ships, sorted by model, benchmark, source and score. */
export async function publishedScores(folder: string, announced = ANNOUNCED): Promise<ScoreLine[]> {
  const facts = await modelFacts(folder);
  const lines = [
    ...(await uniformScores(folder)),
    ...(await openScores(folder)),
    ...(await makersScores(folder)),
    ...announced.map(lineOf),
  ];
  const keyOf = (line: ScoreLine): string =>
    JSON.stringify([line.model, line.benchmark, line.source, line.date, line.score]);
  return lines
    .map((line) => {
      const known = facts.get(line.model.split(":")[0] ?? line.model);
      return {
        ...line,
        released: known?.released ?? line.released,
        output_usd_per_mtok: known?.output_usd_per_mtok ?? line.output_usd_per_mtok,
      };
    })
    .map((line) => ({ line, key: keyOf(line) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ line }) => line);
}

async function uniformScores(folder: string): Promise<ScoreLine[]> {
  const lines: ScoreLine[] = [];
  for await (const row of csvRows(join(folder, "uniform-2026-04.csv"))) {
    const model = catalogId(text(row.model) ?? "", text(row.effort));
    for (const benchmark of UNIFORM_BENCHMARKS) {
      const score = amount(row[benchmark]);
      if (score === null || score > 1) continue;
      lines.push({
        model,
        benchmark,
        score,
        source: UNIFORM_SOURCE,
        date: "2026-04",
        released: text(row.release_date),
        output_usd_per_mtok: amount(row.price_output),
      });
    }
  }
  return lines;
}

async function openScores(folder: string): Promise<ScoreLine[]> {
  const lines: ScoreLine[] = [];
  for await (const row of csvRows(join(folder, "scores-open.csv"))) {
    const unit = text(row.unit) ?? "";
    const value = amount(row.score);
    const benchmark = text(row.benchmark);
    if (value === null || benchmark === null) continue;
    const share = unit.includes("%") || value > 1 ? value / 100 : value;
    const score = unit.includes("lower better") ? 1 - share : share;
    if (!(score >= 0 && score <= 1)) continue;
    lines.push({
      model: catalogId(text(row.model) ?? "", text(row.effort)),
      benchmark,
      score,
      source: text(row.source) ?? "",
      date: text(row.date),
      released: null,
      output_usd_per_mtok: null,
    });
  }
  return lines;
}

/**
 * Makers' own figures: shares, percentages and Elo ratings; other variants of a benchmark are other benchmarks. Some makers also print
 * columns of models of others, which the file gives to the printed model.
 */
async function makersScores(folder: string): Promise<ScoreLine[]> {
  const lines: ScoreLine[] = [];
  for await (const row of csvRows(join(folder, "models-dev-scores.csv"))) {
    const benchmark = text(row.benchmark);
    const clauses = (text(row.variant) ?? "").split(";").map((clause) => clause.trim());
    const score = shareOf(amount(row.score), text(row.metric) ?? "");
    if (score === null || benchmark === null || clauses.some((clause) => OTHER_MODEL.test(clause))) continue;
    const words = clauses.join(" ").toLowerCase().split(/[ =]/);
    const variant = clauses
      .filter((clause) => !CONDITION.test(clause))
      .join("; ")
      .replace(/^without tools$/, "no tools");
    lines.push({
      model: catalogId(text(row.model) ?? "", EFFORTS.find((effort) => words.includes(effort)) ?? null),
      benchmark: ["makers", benchmark, variant, text(row.version)].filter((part) => part).join("/"),
      score,
      source: text(row.source) ?? "",
      date: text(row.date),
      released: null,
      output_usd_per_mtok: null,
    });
  }
  return lines;
}

const lineOf = ([model, benchmark, score, source, date]: (typeof ANNOUNCED)[number]): ScoreLine => ({
  model: catalogId(model, null),
  benchmark: `makers/${benchmark}`,
  score,
  source,
  date,
  released: null,
  output_usd_per_mtok: null,
});

const OTHER_MODEL = /comparison column/;
/** What a run was made with, rather than what was asked. */
const CONDITION =
  /effort|^(?:low|medium|high|xhigh|max|thinking)$|safeguards|fallback|timeout|episodes|\bruns?\b|turns|steps|checkpoint|BF16|judge|tool calls/i;
/** Ratings of contests, distances and counts, which are not shares. */
const NO_SHARE = /rating|index|distance|tasks solved|dominance|position|RHAE|MMR/i;
/** Rating of the average model of an Elo scale, and points that multiply odds by ten. */
const ELO = { centre: 1500, perTen: 400 };

function shareOf(value: number | null, metric: string): number | null {
  if (value === null || value < 0) return null;
  if (metric === "Elo") return 1 / (1 + 10 ** ((ELO.centre - value) / ELO.perTen));
  return value > 100 || NO_SHARE.test(metric) ? null : value / 100;
}

/** Release dates and prices by id, from the table of current models and, where it has none, one host's list. */
async function modelFacts(
  folder: string,
): Promise<Map<string, Pick<ScoreLine, "released" | "output_usd_per_mtok">>> {
  const facts = new Map<string, Pick<ScoreLine, "released" | "output_usd_per_mtok">>();
  for await (const row of csvRows(join(folder, "models-served-2026-05.csv"))) {
    const price = amount(row.output_usd_per_mtok);
    facts.set(catalogId(text(row.model) ?? "", ""), {
      released: text(row.created),
      output_usd_per_mtok: price === 0 ? null : price,
    });
  }
  const path = join(folder, "models-dev.jsonl");
  for await (const { values } of parseJsonLines(readLines(path), path)) {
    const id = catalogId(text(values.id) ?? "", "");
    const cost = values.cost as { output?: number | null } | null | undefined;
    facts.set(id, {
      released: text(values.release_date) ?? facts.get(id)?.released ?? null,
      output_usd_per_mtok: cost?.output ?? facts.get(id)?.output_usd_per_mtok ?? null,
    });
  }
  return facts;
}

async function* csvRows(path: string): AsyncGenerator<Cells> {
  for await (const { values } of nameCsvCells(parseCsv(readLines(path), path), path)) yield values;
}

const text = (value: unknown): string | null =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : null;

function amount(value: unknown): number | null {
  const number = typeof value === "number" ? value : Number(text(value) ?? Number.NaN);
  return Number.isFinite(number) ? number : null;
}
