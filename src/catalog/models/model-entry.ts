import type { Price } from "./price.js";
import type { Variant } from "./variant.js";

/**
 * What the catalog file knows of a model: which entry of the price list bills the same weights, where it can be run under
 * which name, its limits, what it reads and can do. What is not certain is left out and counts as unknown.
 */
export interface ModelEntry {
  readonly maker?: string;
  readonly family?: string;
  /** A day, a month or a year. */
  readonly released?: string;
  /** Other names of the same model. */
  readonly aliases?: readonly string[];
  /** Price-list entry of the same model; `none` when the list's nearest entries are other models. */
  readonly listed?: { readonly provider: string; readonly id: string } | "none";
  /** Catalog id whose price, context and capabilities hold for this one too: the same weights with other settings. */
  readonly priced_as?: string;
  /** How the settings of a `priced_as` model are asked for. Absent when no request can: then no provider serves it. */
  readonly variant?: Variant;
  /**
   * Provider → name it knows the model by, where that is neither our id nor the listed one. Null where what it sells under
   * our id is another model.
   */
  readonly names: Readonly<Record<string, string | null>>;
  /** Provider → price, for what the price list does not have. */
  readonly prices: Readonly<Record<string, Price>>;
  /** `completions` for weights without a chat template; absent = `chat`. */
  readonly api?: "completions";
  /** Dated model that the vendor's undated name stands for: its profile stands for this name too. */
  readonly snapshot?: string;
  /** Context window in tokens, prompt and answer together. */
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  readonly input?: readonly string[];
  readonly images?: boolean;
  readonly tools?: boolean;
  readonly structuredOutput?: boolean;
  readonly openWeights?: boolean;
  /** Where the facts are from. */
  readonly source: string;
  readonly asOf?: string;
}
