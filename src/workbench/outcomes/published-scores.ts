import { readName, readNumber, readOptionalName, readPrice } from "./field-values.js";
import type { RawRow } from "./jsonl.js";
import { OutcomeDataError } from "./outcome-data-error.js";
import { readRows } from "./read-rows.js";

/** A published score of a model on a benchmark. */
export interface PublishedScore {
  readonly model: string;
  readonly benchmark: string;
  /** In [0, 1]; higher is better. */
  readonly score: number;
  /** Publisher: an address, or a repository and commit. */
  readonly source: string;
  /** ISO 8601 date; null when unknown. */
  readonly date: string | null;
  /** Facts of the model that determine its placement when it has few scores; null when unknown. */
  readonly released: string | null;
  readonly outputUsdPerMtok: number | null;
}

/** File names that `readPublishedScores` accepts. */
const SCORES_FILE = /\.(jsonl|csv)(\.gz)?$/;

/**
 * Published scores from JSON Lines or CSV: `model`, `benchmark`, `score` in [0, 1], `source`, and optionally `effort`,
 * `date`, `released` (the model's) and `output_usd_per_mtok` (its price), a row a score.
 *
 * @throws OutcomeDataError naming the location of the first fault
 */
export async function* readPublishedScores(
  file: string,
  {
    rename,
    signal,
  }: {
    readonly rename: (model: string, effort: string | null | undefined) => string;
    readonly signal?: AbortSignal | undefined;
  },
): AsyncGenerator<PublishedScore> {
  if (!SCORES_FILE.test(file))
    throw new OutcomeDataError({ file }, "published scores are read from .jsonl or .csv, or these with .gz");
  for await (const raw of readRows(file, { columns: [], signal })) {
    const name = readName(raw, { file, field: "model" });
    yield {
      model: rename(
        name,
        raw.values.effort === undefined ? undefined : readOptionalName(raw, { file, field: "effort" }),
      ),
      benchmark: readName(raw, { file, field: "benchmark" }),
      score: readScore(raw, file),
      source: readName(raw, { file, field: "source" }),
      date: readOptionalName(raw, { file, field: "date" }),
      released: readOptionalName(raw, { file, field: "released" }),
      outputUsdPerMtok: readPrice(raw, { file, field: "output_usd_per_mtok" }),
    };
  }
}

function readScore(raw: RawRow, file: string): number {
  const score = readNumber(raw, { file, field: "score" });
  if (score !== null && score >= 0 && score <= 1) return score;
  throw new OutcomeDataError(
    { file, row: raw.row, field: "score" },
    `is ${score}, not a number in [0, 1]; divide percentages by 100, and subtract from 1 where lower is better`,
  );
}
