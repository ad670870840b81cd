import type { SourceTree } from "./sources/source-tree.js";

/** One model's answer to one prompt, as an importer reads it. Unknown is null. */
export interface ImportedRow {
  /** Unique for the prompt within the set. */
  readonly id: string;
  readonly benchmark: string;
  readonly category: string;
  readonly prompt: string;
  readonly model: string;
  /** In [0, 1]; null = not observed. */
  readonly score: number | null;
  readonly tokensIn?: number | null;
  readonly tokensOut?: number | null;
  readonly costUsd?: number | null;
}

/** Reads a published set in its own format. @throws ImportError naming the file and what is wrong with it */
export type Importer = (tree: SourceTree) => AsyncIterable<ImportedRow>;

/** A source that is not what its importer knows; the message names the file and the remedy, and never shows prompt text. */
export class ImportError extends Error {
  override readonly name = "ImportError";
}

/** What four letters are to most tokenizers; sets that recorded answers but no counts are estimated by it. */
export function tokensOfText(text: string): number {
  return text.length / 4;
}

/** A number within [0, 1], else null: a score outside says that the measure is not the one expected. */
export function scoreOf(value: unknown): number | null {
  const score = typeof value === "boolean" ? Number(value) : value;
  return typeof score === "number" && score >= 0 && score <= 1 ? score : null;
}

export function amountOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}
