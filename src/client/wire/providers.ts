/** One provider of a model. */
export interface ProviderOffer {
  id: string;
  /** Wire dialect. */
  type: "openai-compatible" | "anthropic" | "sandbox";
  /** Whether its credentials are configured. */
  enabled: boolean;
  /** Name the provider knows the model by. */
  upstream_model: string;
  /** US dollars per million tokens; null when unknown. */
  price: {
    input_usd_per_mtok: number;
    /** Null: billed as other prompt tokens. */
    cached_input_usd_per_mtok: number | null;
    output_usd_per_mtok: number;
  } | null;
  /** Prompt and answer together; null when unknown. */
  context_tokens: number | null;
  /** Of recent calls. */
  health: {
    /** `open`: not asked for a while. */
    state: "closed" | "open" | "half_open";
    error_rate: number | null;
    p50_ttft_ms: number | null;
  };
}

export interface ProviderList {
  object: "list";
  model: string;
  data: ProviderOffer[];
  request_id: string;
}
