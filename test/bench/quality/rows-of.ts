import type { OutcomeRows } from "../../../bench/quality/outcomes/outcome-rows.js";
import type { BenchPrompt } from "../../../bench/quality/outcomes/outcome-set.js";

interface RowFacts {
  readonly text?: string;
  readonly benchmark?: string;
  readonly category?: string;
  readonly quality: readonly number[];
  readonly costUsd?: readonly number[];
  readonly tokensIn?: readonly number[];
  readonly tokensOut?: readonly number[];
}

/** Planted outcomes; what a row does not say is not known. */
export function rowsOf(models: readonly string[], rows: readonly RowFacts[]): OutcomeRows {
  const table = (field: "quality" | "costUsd" | "tokensIn" | "tokensOut"): Float64Array =>
    Float64Array.from(rows.flatMap((row) => row[field] ?? models.map(() => Number.NaN)));
  const prompts = rows.map(
    (row, index): BenchPrompt => ({
      id: `p${index}`,
      benchmark: row.benchmark ?? "b",
      category: row.category ?? "c",
      text: row.text ?? `prompt ${index}`,
    }),
  );
  return {
    prompts,
    models,
    quality: table("quality"),
    costUsd: table("costUsd"),
    tokensIn: table("tokensIn"),
    tokensOut: table("tokensOut"),
  };
}
