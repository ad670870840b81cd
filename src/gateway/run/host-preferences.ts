/** What a request asks of the providers of a model, and what an operator says of them. */

/** By what the providers of a model can be ordered. */
export type HostSort = "price" | "throughput" | "latency";

type Names = readonly string[] | null | undefined;
/** OpenRouter takes texts too. */
type UsdPerMtok = number | string | undefined;
type Flag = boolean | null | undefined;

/** OpenRouter's provider preferences. Names are ids of providers, with `/REGION` after them for one region alone. */
export interface HostPreferences {
  readonly order?: Names;
  readonly allow_fallbacks?: Flag;
  readonly only?: Names;
  readonly ignore?: Names;
  readonly sort?: HostSort | undefined;
  /** US dollars per million tokens. */
  readonly max_price?: { readonly prompt?: UsdPerMtok; readonly completion?: UsdPerMtok } | null | undefined;
  readonly data_collection?: "allow" | "deny" | null | undefined;
  readonly zdr?: Flag;
  readonly quantizations?: readonly string[] | null | undefined;
  readonly enforce_distillable_text?: Flag;
}

/** What the operator says of a provider. */
export interface ProviderPolicy {
  readonly region?: string | undefined;
  readonly data_collection?: "allow" | "deny" | undefined;
  readonly zdr?: boolean | undefined;
}

/** It has providers of its own, and chooses among them by the same preferences. */
export const HAS_HOSTS_OF_ITS_OWN = "openrouter";
