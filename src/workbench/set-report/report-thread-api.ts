/** What the thread that makes reports of profile sets does. */

import type { SetReport } from "../../engine/profiles/set-report.js";
import type { ModelFacts } from "../../engine/router/candidate.js";

/** A set that is in use, and all that reading it again takes. */
export interface ReportQuestion {
  readonly folder: string;
  /** Of the set as it is in use. */
  readonly version: string;
  readonly embedder: {
    readonly id: string;
    readonly fingerprint: string;
    readonly difficulty?: { readonly fingerprint: string } | undefined;
  };
  /** The models that are in use. */
  readonly models: ReadonlyMap<string, ModelFacts>;
  readonly seed: number;
  readonly mostPoints: number;
}

export type ReportApi = {
  /** @throws SextantError `profiles_rejected` when the files of the set are not those in use */
  report(question: ReportQuestion): SetReport;
};
