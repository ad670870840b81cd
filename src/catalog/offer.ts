import type { Price } from "./price.js";

/** One way to run a model: a provider that serves it, under which name, for which price. */
export interface Offer {
  /** Model id as requests, decisions and profiles name it; a deployment's name for a deployment. */
  readonly model: string;
  readonly provider: string;
  /** Whether the provider's credentials are configured. */
  readonly enabled: boolean;
  /** Name the provider knows it by. */
  readonly upstreamModel: string;
  readonly api: "chat" | "completions";
  /** Null when unknown; never guessed. */
  readonly price: Price | null;
  /** Prompt and answer together; null when unknown. */
  readonly contextTokens: number | null;
  /** Fields sent unless the client set them, such as `reasoning_effort` for `o4-mini:high`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Whether the vendor has stopped running it: whoever names it may still ask, but nobody is sent there. */
  readonly retired?: boolean;
  /** Request fields the model is known to refuse, such as `temperature` of reasoning models: no default is sent for them. */
  readonly refuses: readonly string[];
}

/** A provider as the catalog knows it: no key, no address. */
export interface CatalogProvider {
  readonly id: string;
  readonly type: "openai-compatible" | "anthropic" | "sandbox";
  /** Whether its credentials are configured, so that requests can be sent. */
  readonly enabled: boolean;
  /** What would switch it on, in the words of a message: "set OPENAI_API_KEY". */
  readonly remedy: string;
  /** Variable that switches it on, such as `OPENAI_API_KEY`; undefined for one that needs none. */
  readonly enabledBy?: string | undefined;
}
