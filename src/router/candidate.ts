/** What the catalog knows of a model, as far as a decision needs it. Unknown is null, never a guess. */
export interface ModelFacts {
  /** Provider a decision names for this model; null when the catalog knows none. */
  readonly provider: string | null;
  /** The model whose profile stands for this one (a deployment's); absent = its own. */
  readonly profile?: string;
  readonly price: { readonly inputUsdPerMtok: number; readonly outputUsdPerMtok: number } | null;
  readonly contextTokens: number | null;
  readonly capabilities: { readonly images: boolean | null; readonly tools: boolean | null };
}

/** Total: an unknown model gets facts that are all null. */
export type ModelLookup = (model: string) => ModelFacts;

export type ExclusionReason =
  | "context_window"
  | "images_unsupported"
  | "tools_unsupported"
  | "unknown_price"
  | "no_provider";

export interface Exclusion {
  readonly model: string;
  readonly reason: ExclusionReason;
}
