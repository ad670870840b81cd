import { readFileSync } from "node:fs";
import { z } from "zod";
import { nearestName } from "../../foundation/nearest-name.js";
import { parseWrittenJson } from "../../foundation/written-json.js";
import { ModelCells } from "../fitting/model-cells.js";
import type { ModelOutcomes } from "../fitting/outcome-table.js";
import { findDataFiles } from "../outcomes/find-files.js";
import { OutcomeDataError } from "../outcomes/outcome-data-error.js";
import { readPublishedScores } from "../outcomes/published-scores.js";
import { type OutcomeRow, readOutcomes } from "../outcomes/read-outcomes.js";
import { type PromptFileOptions, readPrompts } from "../outcomes/read-prompts.js";
import type { PlaceableSet } from "./placeable-set.js";
import { anchorCandidates, type EmbedTexts, withoutPromptsOf } from "./prompts-of-the-set.js";

/** A published score of the model to place. */
export interface GivenScore {
  readonly benchmark: string;
  /** In [0, 1]. */
  readonly score: number;
  readonly source: string;
  /** ISO 8601 date; null when unknown. */
  readonly date: string | null;
}

export interface EvidenceOptions extends PromptFileOptions {
  /** Id of the model to place. */
  readonly model: string;
  /** Catalog id of a name in a file. */
  readonly rename: (original: string, row: Pick<OutcomeRow, "effort" | "modelSource">) => string;
}

const plainScores = z.record(z.string().min(1), z.number());

/**
 * The published scores of a model: rows of it in `.jsonl` or `.csv` as `readPublishedScores` reads them, or a `.json`
 * object of benchmarks and scores.
 *
 * @throws OutcomeDataError at the first fault, or when the file has no score of the model
 */
export async function readScoresOf(file: string, options: EvidenceOptions): Promise<GivenScore[]> {
  if (file.endsWith(".json")) return readPlainScores(file);
  const found: GivenScore[] = [];
  const others = new Set<string>();
  const rename = (name: string, effort: string | null | undefined) =>
    name === options.model ? name : options.rename(name, { effort, modelSource: undefined });
  for await (const row of readPublishedScores(file, { ...options, rename })) {
    if (row.model !== options.model) others.add(row.model);
    else found.push({ benchmark: row.benchmark, score: row.score, source: row.source, date: row.date });
  }
  if (found.length === 0) throw noRows(file, { ...options, others, what: "scores" });
  return found;
}

async function readPlainScores(file: string): Promise<GivenScore[]> {
  const refusal = (detail: string) =>
    new OutcomeDataError({ file }, `cannot be read as JSON such as {"gpqa": 0.84} (${detail})`);
  const json = parseWrittenJson(() => readFileSync(file, "utf8"), refusal);
  const parsed = plainScores.safeParse(json);
  if (!parsed.success) {
    throw new OutcomeDataError(
      { file },
      'is no object of benchmarks and scores; write it as {"gpqa": 0.84, "aime_25": 0.71}',
    );
  }
  return Object.entries(parsed.data).map(([benchmark, score]) => {
    const problem = scoreProblem(score);
    if (problem !== undefined) throw new OutcomeDataError({ file, field: benchmark }, problem);
    return { benchmark, score, source: "unnamed", date: null };
  });
}

/** What is wrong with a published score, and the remedy; undefined when it is valid. */
export function scoreProblem(score: number): string | undefined {
  if (score >= 0 && score <= 1) return undefined;
  const remedy =
    score > 1 && score <= 100
      ? `divide percentages by 100: ${Number((score / 100).toPrecision(6))}`
      : "scale it to the best possible score";
  return `is ${score}, not a number in [0, 1]; ${remedy}`;
}

/** Graded answers of the model to place. */
export interface GivenAnswers {
  /** Answers to anchors of the set. */
  readonly outcomes: ModelOutcomes;
  /** Answers to other prompts. */
  readonly own: readonly { readonly text: string; readonly score: number }[];
}

export const noAnswers = (model: string): GivenAnswers => ({
  outcomes: new ModelCells(model).finish(new Uint32Array(0)),
  own: [],
});

/**
 * The rows of the model in outcomes files, assigned to anchors or to the user's own prompts.
 *
 * @param paths files or folders of outcomes, and of prompts; those among them that are prompts of the set count as such
 * @param options.embed is called with prompts that have the id of an anchor
 * @throws OutcomeDataError at the first fault, at an unknown id, or when there is no row of the model
 */
export async function readAnswersOf(
  paths: { readonly outcomes: readonly string[]; readonly prompts: readonly string[] },
  set: Pick<PlaceableSet, "manifest" | "facts" | "vectors">,
  { embed, ...options }: EvidenceOptions & { readonly embed: EmbedTexts },
): Promise<GivenAnswers> {
  const texts = await withoutPromptsOf(set, await readTexts(paths.prompts, options), embed);
  return assignAnswers(paths.outcomes, { set, texts }, options);
}

/**
 * The same for prompts that are known already.
 *
 * @param about.texts of prompts outside the set, by id
 */
export async function assignAnswers(
  paths: readonly string[],
  {
    set,
    texts,
    onRow,
  }: {
    readonly set: Pick<PlaceableSet, "manifest" | "facts">;
    readonly texts: ReadonlyMap<string, string>;
    /** Called with the prompt's id of every graded answer of the model. */
    readonly onRow?: ((id: string) => void) | undefined;
  },
  options: EvidenceOptions,
): Promise<GivenAnswers> {
  const anchorOf = anchorFinder(set);
  const cells = new ModelCells(options.model);
  const own: { readonly text: string; readonly score: number }[] = [];
  const others = new Set<string>();
  let rows = 0;
  const files = await findDataFiles(paths, "outcomes");
  for (const file of files) {
    for await (const row of readOutcomes(file, options)) {
      const name = row.model === options.model ? row.model : options.rename(row.model, row);
      if (name !== options.model) {
        others.add(name);
        continue;
      }
      rows++;
      const location = { file, row: row.row, field: "id" };
      const text = texts.get(row.id);
      const anchor = text === undefined ? anchorOf(row.id, location) : undefined;
      if (row.score === null) continue;
      onRow?.(row.id);
      if (text !== undefined) own.push({ text, score: row.score });
      else if (anchor !== undefined) cells.add(row, { anchor, score: row.score });
    }
  }
  if (rows === 0) throw noRows(files[0] ?? "outcomes", { ...options, others, what: "outcomes" });
  const same = Uint32Array.from(set.facts.topic, (_, anchor) => anchor);
  return { outcomes: cells.finish(same), own };
}

async function readTexts(
  paths: readonly string[],
  options: PromptFileOptions,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  if (paths.length === 0) return texts;
  for (const file of await findDataFiles(paths, "prompts"))
    for await (const { id, text } of readPrompts(file, options)) texts.set(id, text);
  return texts;
}

interface RowLocation {
  readonly file: string;
  readonly row: number;
  readonly field: string;
}

/** Finds anchors by the prompt id of their source, with or without `source:` before it. */
function anchorFinder(set: Pick<PlaceableSet, "manifest" | "facts">) {
  const candidatesOf = anchorCandidates(set);
  const { name: setName, sources } = set.manifest;
  return (id: string, location: RowLocation): number => {
    const [found, ...more] = candidatesOf(id);
    if (found !== undefined && more.length === 0) return found.anchor;
    const within = [found, ...more].map((candidate) => candidate?.source);
    const problem =
      found === undefined
        ? `${JSON.stringify(id)} is no prompt of set "${setName}" (sources ${sources.map(({ name }) => name).join(", ")}); ` +
          "write ids as these sources do, or name your own prompts with `prompts`"
        : `${JSON.stringify(id)} is a prompt of ${within.join(" and of ")}; write "${found.source}:${id}" or the like`;
    throw new OutcomeDataError(location, problem);
  };
}

function noRows(
  file: string,
  {
    model,
    others,
    what,
  }: { readonly model: string; readonly others: ReadonlySet<string>; readonly what: string },
): OutcomeDataError {
  const nearest = nearestName(model, [...others]);
  const hint =
    nearest === undefined ? `has ${what} of ${listOf([...others].sort())}` : `did you mean "${nearest}"?`;
  return new OutcomeDataError(
    { file, field: "model" },
    `no row is of "${model}"; ${hint}; give rows with that name`,
  );
}

const MOST_SHOWN = 5;

const listOf = (names: readonly string[]): string =>
  names.length === 0
    ? "no model"
    : names.slice(0, MOST_SHOWN).join(", ") +
      (names.length > MOST_SHOWN ? ` and ${names.length - MOST_SHOWN} more` : "");
