import type { Price } from "../models/price.js";
import type { Retirement } from "../models/retirement.js";
import type { Dialect } from "../providers/dialect.js";

/**
 * Upstream endpoints that serve models: `chat` completions, OpenAI's `responses`, `completions` for models that cannot chat,
 * `embeddings` for those that make vectors.
 */
export type UpstreamApi = "chat" | "responses" | "completions" | "embeddings";

/** A model at a provider that serves it, with its name, price and parameters there. */
export interface Deployment {
  /** Model id as requests, decisions and profiles name it, or the name of an entry of the settings' `deployments`. */
  readonly model: string;
  readonly provider: string;
  /** Whether the provider's credentials are configured. */
  readonly enabled: boolean;
  /** The model's name at the provider. */
  readonly upstreamModel: string;
  readonly api: UpstreamApi;
  /** With `responses`: chat completions serve it too, for what they alone can be asked for. */
  readonly chatToo?: boolean;
  /** Null when unknown. */
  readonly price: Price | null;
  /** Absent without a price, and where nothing is charged. */
  readonly priceSource?: PriceSource;
  /** Service tier → what it costs, as a multiple of the price. Absent for providers that are not configured. */
  readonly serviceTiers?: Readonly<Record<string, number>>;
  /** Tokens of prompt and answer together; null when unknown. */
  readonly contextTokens: number | null;
  /** Request fields sent unless the client set them, such as `reasoning_effort` for `o4-mini:high`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Request fields that ask for an effort of reasoning, by effort. Absent for models that are not known to have a choice. */
  readonly effortParameters?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** When the vendor stops running it, and whether that is past or less than four weeks ahead; absent when no day is known. */
  readonly retirement?: (Pick<Retirement, "from" | "successor"> & { readonly isNear: boolean }) | undefined;
  /** Whether the vendor has retired it: requests that name it are still sent there, but the router never chooses it. */
  readonly retired?: boolean;
  /** Request fields the model is known to reject, such as `temperature` for reasoning models; no default is sent for them. */
  readonly refuses: readonly string[];
}

/** A provider as the catalog shows it: without key and address. */
export interface CatalogProvider {
  readonly id: string;
  readonly type: Dialect;
  /** Whether its credentials are configured, so that requests can be sent. */
  readonly enabled: boolean;
  /** What enables it, for error messages: "set OPENAI_API_KEY". */
  readonly remedy: string;
  /** Environment variable that enables it, such as `OPENAI_API_KEY`; undefined for one that needs none. */
  readonly enabledBy?: string | undefined;
}

/** Where the price of a deployment is from. */
export const PRICE_SOURCES = ["settings", "price_list"] as const;
type PriceSource = (typeof PRICE_SOURCES)[number];
