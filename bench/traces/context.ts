import type { BareDuckDb } from "./bare-duckdb.js";
import type { SharedTexts } from "./made-up-traces.js";
import type { Options } from "./options.js";

/** What all measurements of a run share. */
export interface Context {
  readonly options: Options;
  /** Where all files go. */
  readonly folder: string;
  readonly texts: SharedTexts;
  readonly bare: BareDuckDb;
}
