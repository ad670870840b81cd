/**
 * Fits how many tokens models hide, by level, maker and model, from sources in which they were counted; called by `answer-lengths.ts`,
 * which writes what is found to `catalog/hidden-tokens.json`.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describeModel } from "../src/engine/catalog/describe-model.js";
import type { HiddenTokens } from "../src/engine/catalog/hidden-tokens.js";
import { catalogId } from "../src/engine/catalog/models/dataset-names.js";
import { reasoningOf } from "../src/engine/catalog/models/reasoning.js";
import { hiddenFactor } from "../src/engine/estimation/expected-tokens.js";
import type { ModelLookup } from "../src/engine/router/candidate.js";
import { solve } from "../src/workbench/fitting/linear-solve.js";

/** One answer, or the mean of some. */
export interface HiddenCount {
  readonly source: string;
  readonly model: string;
  readonly effort: string;
  /** As the source has it. */
  readonly name?: string | undefined;
  readonly hidden: number;
  /** In tiers. */
  readonly difficulty: number;
  /** Answers that it is the mean of. */
  readonly answers: number;
}

/**
 * Tokens at a level before the fit. Ratios between levels are not fitted: most models were asked at one level each, and those at `high`
 * are others than those at `medium`. Within models: low to medium 2.9 (6 pairs), medium to high 2.8 (5), high to xhigh 2.9 (9), to `max`
 * 2.4 and 9; over all tables of `effort_all.csv` low .31 to .37 of medium, high 1.85 to 3.7, xhigh 3 to 9, max 7 and more.
 */
const LEVELS: Readonly<Record<string, number>> = {
  minimal: 60,
  low: 125,
  medium: 350,
  adaptive: 700,
  thinking: 700,
  high: 800,
  xhigh: 2000,
  max: 3000,
};
/** Ridge penalties in observations: a maker, a model, a source (variance of what models and sources differ by). */
const PENALTIES: Readonly<Record<string, number>> = { maker: 2, base: 2, source: 1, all: 1e-9 };
/** Answers after which half of a mean is believed. */
const PSEUDO_ANSWERS = 10;
const FEWEST_ANSWERS = 5;
/** A run of fewer tokens on average did not think; a model without a known dial that hides more in most answers does. */
const LEAST_MEAN = 12;
const UNDECLARED_MEAN = 100;

interface Observation {
  readonly source: string;
  readonly terms: readonly string[];
  /** Log of the ratio of the counted tokens to those of its level and the prompts' difficulty. */
  readonly log: number;
  readonly weight: number;
}

/** Fits all, and prints how far off each source is when it is left out. */
export function fitHiddenTokens(counts: readonly HiddenCount[]): HiddenTokens {
  const { observations, undeclared } = observationsOf(counts);
  console.log(
    "\n| hidden tokens, source left out whole | models | real over expected | typical factor |\n|---|--:|--:|--:|",
  );
  for (const source of new Set(observations.map((one) => one.source))) {
    const without = fitTerms(observations.filter((one) => one.source !== source));
    const logs = observations
      .filter((one) => one.source === source)
      .map(({ log, terms }) => log - sumOf(terms, without));
    const mean = (of: (log: number) => number): number =>
      Math.exp(logs.reduce((sum, log) => sum + of(log), 0) / logs.length);
    console.log(
      `| ${source} | ${logs.length} | ${mean((log) => log).toFixed(2)} | ${mean(Math.abs).toFixed(2)} |`,
    );
  }
  const found = fitTerms(observations);
  const factor = (value: number): number => Number(Math.exp(value).toPrecision(2));
  const ofKind = (kind: string): Record<string, number> =>
    Object.fromEntries(
      [...found]
        .filter(([term]) => term.startsWith(`${kind}:`))
        .map(([term, value]) => [term.slice(kind.length + 1), factor(value)] as const)
        .filter(([, value]) => value !== 1)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  const usual = found.get("all:") as number;
  const levels = Object.entries(LEVELS).map(([level, tokens]) => [level, factor(usual + Math.log(tokens))]);
  return {
    levels: Object.fromEntries(levels),
    makers: ofKind("maker"),
    models: ofKind("base"),
    undeclared: [...undeclared].sort(),
  };
}

function observationsOf(counts: readonly HiddenCount[]) {
  // Prices are not read.
  const lookup: ModelLookup = () => ({
    provider: null,
    price: null,
    contextTokens: null,
    capabilities: { images: null, tools: null },
  });
  const groups = new Map<string, HiddenCount[]>();
  for (const count of counts) {
    const id = catalogId(count.model, count.effort, { sourceName: count.name });
    const key = `${count.source} ${id}`;
    groups.set(key, [...(groups.get(key) ?? []), count]);
  }
  const undeclared = new Set<string>();
  const observations = [...groups].flatMap(([key, group]): Observation[] => {
    const [source = "", id = ""] = key.split(" ");
    const { base, family, thinking, effort } = describeModel(id, lookup);
    const answers = group.reduce((sum, one) => sum + one.answers, 0);
    const hidden = group.reduce((sum, one) => sum + one.answers * one.hidden, 0);
    const many = group.filter((one) => one.hidden > UNDECLARED_MEAN).length > group.length / 2;
    const thinks =
      thinking ??
      (effort === null && many && hidden > UNDECLARED_MEAN * answers && reasoningOf(base) === undefined
        ? "thinking"
        : null);
    const tokens = LEVELS[thinks ?? ""];
    // A swarm of agents hides what all of them think.
    if (tokens === undefined || answers < FEWEST_ANSWERS || id.includes("multi-agent")) return [];
    if (hidden < LEAST_MEAN * answers) return [];
    if (thinking === null) undeclared.add(base);
    const foreseen = group.reduce((sum, one) => sum + one.answers * hiddenFactor(one.difficulty), 0) * tokens;
    return [
      {
        source,
        terms: ["all:", `maker:${family}`, `base:${base}`, `source:${source}`],
        log: Math.log(hidden / foreseen),
        weight: answers / (answers + PSEUDO_ANSWERS),
      },
    ];
  });
  return { observations, undeclared };
}

/** What is known of an answer of a source that was not fitted to. */
const sumOf = (terms: readonly string[], found: ReadonlyMap<string, number>): number =>
  terms.reduce((sum, term) => sum + (found.get(term) ?? 0), 0);

function fitTerms(observations: readonly Observation[]): Map<string, number> {
  const terms = [...new Set(observations.flatMap((one) => one.terms))];
  const places = new Map(terms.map((term, at) => [term, at]));
  const size = terms.length;
  const matrix = new Float64Array(size * size);
  const right = new Float64Array(size);
  terms.forEach((term, at) => {
    matrix[at * size + at] = PENALTIES[term.slice(0, term.indexOf(":"))] as number;
  });
  for (const { terms: own, log, weight } of observations) {
    const at = own.map((term) => places.get(term) as number);
    for (const a of at) {
      right[a] = (right[a] as number) + weight * log;
      for (const b of at) matrix[a * size + b] = (matrix[a * size + b] as number) + weight;
    }
  }
  const found = solve(matrix, right);
  return new Map(terms.map((term, at) => [term, found[at] as number]));
}

/** Means of models by effort, of a table in commas. */
export async function readMeans(
  file: string,
  source: string,
  { column, answers, difficulty }: { column: string; answers: number; difficulty: number },
): Promise<HiddenCount[]> {
  const [head = "", ...lines] = (await readFile(join(file), "utf8")).trim().split("\n");
  const names = head.split(",");
  return lines.flatMap((line) => {
    const cells = line.split(",");
    const cell = (name: string): string => cells[names.indexOf(name)] ?? "";
    const hidden = Number.parseFloat(cell(column));
    if (Number.isNaN(hidden)) return [];
    const name = names.includes("name") ? cell("name") : undefined;
    return [{ source, model: cell("model"), effort: cell("effort"), name, hidden, difficulty, answers }];
  });
}
