import type { Estimate } from "../../../foundation/bootstrap.js";

/** What a cost weight would have chosen, cost and scored. */
export interface ReplayReport {
  readonly costWeight: number;
  readonly profileVersion: string;
  /** Requests that were decided again. */
  readonly requests: number;
  /** Of these, requests that go to another model. */
  readonly changed: number;
  readonly spend: {
    /** Requests whose cost is known; the figures are of these. */
    readonly requests: number;
    readonly actualUsd: number;
    /** What is billed stays for requests that keep their model; for the others, expected costs corrected by what was billed. */
    readonly predictedUsd: Estimate;
    /** Of the prediction against what was billed, as a share of that, by request; null when nothing was billed. */
    readonly change: Estimate | null;
  };
  /** Mean expected quality of the models that answered, and the change of it; the interval contains what is not known of the models on these prompts. */
  readonly quality: { readonly actual: number; readonly change: Estimate };
  /** Requests by the model that answered and the one chosen, the most requests first; kept ones are left out. */
  readonly moves: readonly ReplayMove[];
}

export interface ReplayMove {
  readonly from: string;
  readonly to: string;
  readonly requests: number;
  readonly quality: number;
}

/** Why requests are not part of a report. */
export interface ReplaySkips {
  /** The model that answered, or all but one of the candidates, have no profile or cannot be chosen now. */
  undecidable: number;
}

export interface ReplaySummary {
  readonly reports: readonly ReplayReport[];
  readonly skipped: ReplaySkips;
  /** Clients' scores against what was expected of the models that answered; null without any. */
  readonly feedback: { readonly requests: number; readonly mean: number; readonly expected: number } | null;
}

/** Requests that cannot be decided again. */
export interface LeftOutRequests {
  /** Their text was not kept. */
  readonly text: number;
  /** They named their model, and no models to choose among were given. */
  readonly named: number;
  /** They failed, or asked for embeddings. */
  readonly failed: number;
}

/** What other settings would have made of past requests. */
export interface TracesReplay extends ReplaySummary {
  readonly leftOut: LeftOutRequests;
}
