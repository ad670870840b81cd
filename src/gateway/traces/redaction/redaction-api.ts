/** What the thread that redacts does. */
import type { RedactionEntry } from "../../settings.js";

export interface RedactionOptions {
  readonly entries: readonly RedactionEntry[];
  /** Longest time for the texts of one trace, in milliseconds. */
  readonly limitMs: number;
}

export type RedactionApi = {
  /** The texts of each trace, redacted; null where that took too long. */
  redact(texts: readonly (readonly string[])[]): readonly (readonly string[] | null)[];
};
