/** What a request asks of the providers of a model, and what an operator says of them. */

import type { HostPreferencesBody } from "../api/host-preferences.js";

/** By what the providers of a model can be ordered. */
export type HostSort = "price" | "throughput" | "latency";

/** OpenRouter's provider preferences. Names are ids of providers, with `/REGION` after them for one region alone. */
export interface HostPreferences extends Omit<HostPreferencesBody, "sort"> {
  readonly sort?: HostSort | undefined;
}

/** What the operator says of a provider. */
export interface ProviderPolicy {
  readonly region?: string | undefined;
  readonly data_collection?: "allow" | "deny" | undefined;
  readonly zdr?: boolean | undefined;
}

/** It has providers of its own, and chooses among them by the same preferences. */
export const HAS_HOSTS_OF_ITS_OWN = "openrouter";
