import { readAmount, readName, readNumber, shortened } from "./field-values.js";
import type { RawRow } from "./jsonl.js";
import { OutcomeDataError } from "./outcome-data-error.js";
import { readRows, TABLE_FILE } from "./read-rows.js";
import { RowSelection } from "./row-filter.js";

/** File names that `readOutcomes` accepts. */
export const OUTCOMES_FILE = TABLE_FILE;

/**
 * The rows of one outcomes file, `{id, model, score, tokens_in?, tokens_out?, tokens_reasoning?, cost_usd?, latency_ms?, ttft_ms?,
 * failures?, n_samples?, scale?}`, in file order.
 * Memory does not grow with the file for CSV and JSONL, and with the largest row group for parquet.
 *
 * @throws OutcomeDataError naming the location of the first fault
 */
export async function* readOutcomes(
  file: string,
  {
    only = new RowSelection(),
    seconds,
    ...options
  }: {
    readonly only?: RowSelection;
    /** Column with the seconds of a whole answer, in place of `latency_ms`. */
    readonly seconds?: string | undefined;
    readonly signal?: AbortSignal | undefined;
  } = {},
): AsyncGenerator<OutcomeRow> {
  if (!OUTCOMES_FILE.test(file)) {
    throw new OutcomeDataError(
      { file },
      "outcomes are read from .parquet, .csv, .jsonl, .csv.gz or .jsonl.gz",
    );
  }
  const columns = [...OUTCOME_FIELDS, ...only.fields, ...(seconds === undefined ? [] : [seconds])];
  for await (const raw of readRows(file, { columns, ...options })) {
    if (!only.takesAnswer(raw)) continue;
    const row = parseOutcomeRow(raw, file);
    const taken = seconds === undefined ? null : readAmount(raw, { file, field: seconds });
    yield taken === null ? row : { ...row, latencyMs: 1000 * taken };
  }
}

/** The score of one model on one prompt. */
export interface OutcomeRow {
  /** Line or row of the file, counted from 1. */
  readonly row: number;
  readonly id: string;
  readonly model: string;
  /** The source's column for the reasoning effort; undefined without such a column. */
  readonly effort: string | null | undefined;
  /** The source's own name for the model, where `model` was edited. */
  readonly modelSource: string | undefined;
  /** What the score means; null = not known. */
  readonly scale: string | null;
  /** In [0, 1]; null = not observed. */
  readonly score: number | null;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  /** Hidden reasoning among `tokensOut`, where it was counted. */
  readonly tokensReasoning: number | null;
  readonly costUsd: number | null;
  /** Scored samples behind `score`, from 1 to 1,000,000. */
  readonly samples: number;
  /** Milliseconds of the whole answer and to its first content; null = not known. */
  readonly latencyMs: number | null;
  readonly ttftMs: number | null;
  /** Calls that failed before this answer, or in its place; null = not counted. */
  readonly failures: number | null;
  /** With which a router chose the model for the prompt, in (0, 1]; null = not known, or not chosen by a router. */
  readonly probability: number | null;
}

const REQUIRED_OUTCOME_FIELDS = ["id", "model", "score"] as const;
const OUTCOME_FIELDS = [
  ...REQUIRED_OUTCOME_FIELDS,
  "tokens_in",
  "tokens_out",
  "tokens_reasoning",
  "cost_usd",
  "n_samples",
  "effort",
  "model_source",
  "probability",
  "latency_ms",
  "ttft_ms",
  "failures",
  "scale",
] as const;

/** Characters of a message that list the fields of a row. */
const MAX_FOUND = 300;

/** @throws OutcomeDataError naming the first field that is missing or out of range */
function parseOutcomeRow(raw: RawRow, file: string): OutcomeRow {
  requireFields(raw, file);
  const at = (field: string) => ({ file, field });
  return {
    row: raw.row,
    id: readName(raw, at("id")),
    model: readName(raw, at("model")),
    effort: raw.values.effort === undefined ? undefined : readText(raw.values.effort),
    modelSource: readText(raw.values.model_source) ?? undefined,
    scale: readText(raw.values.scale),
    score: readScore(raw, file),
    tokensIn: readAmount(raw, at("tokens_in")),
    tokensOut: readAmount(raw, at("tokens_out")),
    tokensReasoning: readAmount(raw, at("tokens_reasoning")),
    costUsd: readAmount(raw, at("cost_usd")),
    samples: readSamples(raw, file),
    probability: readProbability(raw, file),
    latencyMs: readAmount(raw, at("latency_ms")),
    ttftMs: readAmount(raw, at("ttft_ms")),
    failures: readAmount(raw, at("failures")),
  };
}

const readText = (value: unknown): string | null =>
  typeof value === "string" && value.trim() !== "" ? value : null;

function requireFields(raw: RawRow, file: string): void {
  const missing = REQUIRED_OUTCOME_FIELDS.filter((field) => raw.values[field] === undefined);
  if (missing.length === 0) return;
  const found = shortened(Object.keys(raw.values).join(", "), MAX_FOUND);
  throw new OutcomeDataError(
    { file, row: raw.row },
    `outcomes need ${missing.map((field) => `"${field}"`).join(", ")}, found only: ${found}; rename or add them`,
  );
}

function readScore(raw: RawRow, file: string): number | null {
  const score = readTruth(raw.values.score) ?? readNumber(raw, { file, field: "score" });
  if (score === null || (score >= 0 && score <= 1)) return score;
  throw new OutcomeDataError(
    { file, row: raw.row, field: "score" },
    `is ${score}, outside [0, 1]; divide scores by the best possible one, and write null where none was observed`,
  );
}

/** A truth value of JSON or Parquet, or as pandas and spreadsheets write it in CSV, as 1 or 0. */
function readTruth(value: unknown): number | undefined {
  const text = typeof value === "string" ? value.trim().toLowerCase() : value;
  if (text === true || text === "true") return 1;
  return text === false || text === "false" ? 0 : undefined;
}

/** More than any evaluation has; it is a weight among the rows of one prompt. */
const MOST_SAMPLES = 1_000_000;

function readSamples(raw: RawRow, file: string): number {
  const samples = readNumber(raw, { file, field: "n_samples" }) ?? 1;
  if (Number.isSafeInteger(samples) && samples >= 1 && samples <= MOST_SAMPLES) return samples;
  throw new OutcomeDataError(
    { file, row: raw.row, field: "n_samples" },
    `is ${samples}, not a whole number from 1 to ${MOST_SAMPLES}; write null when it is not known`,
  );
}

function readProbability(raw: RawRow, file: string): number | null {
  const probability = readNumber(raw, { file, field: "probability" });
  if (probability === null || (probability > 0 && probability <= 1)) return probability;
  throw new OutcomeDataError(
    { file, row: raw.row, field: "probability" },
    `is ${probability}, not a number above 0 and up to 1; write null where a router did not choose the model`,
  );
}
