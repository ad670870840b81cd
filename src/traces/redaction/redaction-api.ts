/** What the redactor and its worker thread say to each other. */
import type { RedactionEntry } from "../../settings/settings.js";

export interface RedactionOptions {
  readonly entries: readonly RedactionEntry[];
  /** Longest time for the texts of one trace, in milliseconds. */
  readonly limitMs: number;
}

/** The texts of each trace. */
export interface RedactionRequest {
  readonly request: number;
  readonly texts: readonly (readonly string[])[];
}

/** The redacted texts of each trace; null where they took too long. */
export interface RedactionAnswer {
  readonly request: number;
  readonly texts: readonly (readonly string[] | null)[];
}
