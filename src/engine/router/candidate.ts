/** US dollars per million tokens. */
interface ModelRates {
  readonly inputUsdPerMtok: number;
  readonly outputUsdPerMtok: number;
  /** For prompt tokens that the provider reads from its cache; null or absent: no discount. */
  readonly cachedInputUsdPerMtok?: number | null;
  /** For prompt tokens that the provider writes to its cache; null or absent: the rate of other prompt tokens. */
  readonly cacheWriteUsdPerMtok?: number | null;
}

/** Its own rates are those of short prompts. */
export interface ModelPrice extends ModelRates {
  /** Rates of the whole request once its prompt exceeds that length, shortest first. */
  readonly tiers?: readonly { readonly abovePromptTokens: number; readonly rates: ModelRates }[];
}

/** The rates of a request by the length of its prompt in tokens. */
export function ratesAt<Rates extends object>(
  price: Rates & {
    readonly tiers?: readonly { readonly abovePromptTokens: number; readonly rates: Rates }[];
  },
  promptTokens: number,
): Rates {
  return price.tiers?.findLast(({ abovePromptTokens }) => promptTokens > abovePromptTokens)?.rates ?? price;
}

/** How the provider's prompt cache works; `catalog/facts.ts` says it of each provider. */
export interface PromptCache {
  /** `automatic`: every prompt is cached. `on_request`: only what a reply reported as read or written. */
  readonly mode: "automatic" | "on_request";
  /** Shorter prompts are not cached. */
  readonly minimumTokens: number;
  /** Cached tokens are a multiple of it. */
  readonly stepTokens: number;
  /** After the last use. */
  readonly lifetimeMs: number;
}

/** The facts of a model that a decision needs. Unknown is null, never a guess. */
export interface ModelFacts {
  /** Provider a decision names for this model; null when the catalog knows none. */
  readonly provider: string | null;
  /** The model whose profile applies to this one (to a deployment); absent = its own. */
  readonly profile?: string;
  readonly price: ModelPrice | null;
  /** Of `provider`; absent: nothing is expected to be cached. */
  readonly promptCache?: PromptCache;
  readonly contextTokens: number | null;
  readonly capabilities: { readonly images: boolean | null; readonly tools: boolean | null };
  /** Of a plain id; absent for a model without a choice of efforts. */
  readonly efforts?: EffortDial;
}

/** A model at one of the efforts of reasoning that it can be asked for. */
export interface EffortVariant {
  /** `gpt-5.6-sol:high`; the plain id at the default effort. */
  readonly model: string;
  /** Level of thinking: 0 for none, 1 for `high`. */
  readonly level: number;
  /** Hidden reasoning tokens on a prompt of medium difficulty that the level lets expect, before any measurement. */
  readonly hiddenTokens: number;
}

/** The efforts of a model, as plain data. */
export interface EffortDial {
  readonly variants: readonly EffortVariant[];
  /** Id by the word that a request names an effort with: at the nearest effort that the model has. */
  readonly byWord: Readonly<Record<string, string>>;
}

/** Returns facts for any name: those of an unknown model are all null. */
export type ModelLookup = (model: string) => ModelFacts;

/** Why a model cannot be called. */
export interface Unavailable {
  /** `retired`: its vendor has stopped running it. `not_served`: no provider is known to run it. */
  readonly reason: Extract<ExclusionReason, "retired" | "not_served">;
  /** Day of the retirement, `2026-01-31`, where it is known. */
  readonly retiredAt?: string;
}

/** Which models are available today, and since when that and their facts hold. */
export interface ModelAvailability {
  /** Why the model cannot be called; null when it can, or when that is unknown. */
  unavailability(model: string): Unavailable | null;
  /** Changes whenever `unavailability`, or a lookup of facts, may return something else. Cheap: called for every request. */
  epoch(): number;
}

/** Reasons for the exclusion of a model from a decision. */
export const EXCLUSION_REASONS = [
  "context_window",
  "images_unsupported",
  "tools_unsupported",
  "unsupported_parameter",
  "unknown_price",
  "too_slow",
  "unknown_latency",
  "not_allowed",
  "too_expensive",
  "no_provider",
  "paused",
  "retired",
  "not_served",
] as const;

export type ExclusionReason = (typeof EXCLUSION_REASONS)[number];

export interface Exclusion {
  readonly model: string;
  readonly reason: ExclusionReason;
  /** The field of the request that the model cannot do, of `unsupported_parameter`, `too_slow` and `unknown_latency`. */
  readonly param?: string;
  /** For `retired`: the day, `2026-01-31`, where it is known. */
  readonly retiredAt?: string;
}
