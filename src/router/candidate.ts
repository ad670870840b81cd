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

/** Why a model cannot be called. */
export interface Unavailable {
  /** `retired`: its vendor has stopped running it. `not_served`: no provider is known to run it. */
  readonly reason: Extract<ExclusionReason, "retired" | "not_served">;
  /** Day of the retirement, `2026-01-31`, where it is known. */
  readonly retiredAt?: string;
}

/** Which models can be called today. */
export interface ModelAvailability {
  /** Why the model cannot be called; null when it can, or when that is unknown. */
  unavailability(model: string): Unavailable | null;
  /** Changes whenever `unavailability` may answer otherwise than before. Cheap: asked for every request. */
  availabilityEpoch(): number;
}

/** Why a model is left out of a decision. */
export const EXCLUSION_REASONS = [
  "context_window",
  "images_unsupported",
  "tools_unsupported",
  "unknown_price",
  "no_provider",
  "retired",
  "not_served",
] as const;

export type ExclusionReason = (typeof EXCLUSION_REASONS)[number];

export interface Exclusion {
  readonly model: string;
  readonly reason: ExclusionReason;
  /** For `retired`: the day, `2026-01-31`, where it is known. */
  readonly retiredAt?: string;
}
