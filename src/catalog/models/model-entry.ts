import type { Variant } from "./variant.js";

/**
 * What the price list does not know of a well-known model: which entry of the list bills the same weights, where it can
 * be run under which name, its context window, and whether it reads images and calls tools. Reviewed by hand; every fact
 * is from the vendor's page in `source`. What is not certain is left out and counts as unknown.
 */
export interface ModelEntry {
  /** Price-list entry of the same model; `none` when the list's nearest entries are other models. */
  readonly listed?: { readonly provider: string; readonly id: string } | "none";
  /** Catalog id whose price, context and capabilities hold for this one too: the same weights with other settings. */
  readonly priced_as?: string;
  /** How the settings of a `priced_as` model are asked for. Absent when no request can: then nobody offers it. */
  readonly variant?: Variant;
  /**
   * Provider → name it knows the model by, where that is neither our id nor the listed one. Null where what it sells under
   * our id is another model.
   */
  readonly names?: Readonly<Record<string, string | null>>;
  /** `completions` for weights without a chat template; absent = `chat`. */
  readonly api?: "completions";
  /** Dated model that the vendor's undated name stands for: its profile stands for this name too. */
  readonly snapshot?: string;
  /** Context window in tokens, prompt and answer together. */
  readonly contextTokens?: number;
  readonly images?: boolean;
  readonly tools?: boolean;
  /** Page the facts are from. */
  readonly source: string;
}

export const huggingFace = (model: string) => `https://huggingface.co/${model}`;

export const market = (id: string) => ({ provider: "openrouter", id }) as const;
export const together = (id: string) => ({ provider: "together", id }) as const;

/** Text in, text out, no chat template. */
export const BASE = { images: false, tools: false, api: "completions" } as const;
export const CHAT_ONLY = { images: false, tools: false } as const;
export const TEXT = { images: false } as const;
export const TEXT_TOOLS = { images: false, tools: true } as const;
export const IMAGES_TOOLS = { images: true, tools: true } as const;
