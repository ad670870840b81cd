import type { Price } from "./price.js";

/**
 * Facts of a model in the catalog file: its price-list entry, its names at providers, its limits, inputs and
 * capabilities. Uncertain facts are omitted and count as unknown.
 */
export interface ModelEntry {
  readonly maker?: string;
  /** A day, a month or a year. */
  readonly released?: string;
  /** Other names of the same model. */
  readonly aliases?: readonly string[];
  /** Price-list entry of the same model; `none` when the list's nearest entries are other models. */
  readonly listed?: { readonly provider: string; readonly id: string } | "none";
  /** Catalog id whose price, context and capabilities also apply to this one: the same weights with other settings. */
  readonly priced_as?: string;
  /** How the settings of a `priced_as` model are requested. Absent when that is impossible, so that no provider serves it. */
  readonly variant?: Variant;
  /**
   * Provider → its name of the model, where that is neither the id nor the listed one. Null where the provider has
   * another model under the id.
   */
  readonly names: Readonly<Record<string, string | null>>;
  /** Provider → price, where the price list has none. */
  readonly prices: Readonly<Record<string, Price>>;
  /** `completions` for weights without a chat template; absent = `chat`. */
  readonly api?: "completions";
  /** Dated model of the vendor's undated name, whose profile it shares. */
  readonly snapshot?: string;
  /** Context window in tokens, prompt and answer together. */
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  readonly input?: readonly string[];
  readonly images?: boolean;
  readonly tools?: boolean;
  readonly structuredOutput?: boolean;
  /** Where the facts are from. */
  readonly source: string;
  readonly asOf?: string;
}

/**
 * How a model is asked to think, in words of no dialect: as little or as much as `effort` says, with a budget of tokens,
 * or not at all where it is a choice. `plain`: the same request as for the model itself.
 */
export type Variant =
  | "plain"
  | { readonly effort: string }
  | { readonly thinkingTokens: number }
  | { readonly thinking: "on" | "off" };
