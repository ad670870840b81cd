import { type CatalogOptions, createCatalog } from "../../../src/engine/catalog/catalog.js";
import { resolveProviders } from "../../../src/engine/catalog/deployments/provider-entries.js";
import type { CatalogSettings } from "../../../src/engine/catalog/entries.js";

export interface CatalogWorld extends Partial<CatalogSettings>, Pick<CatalogOptions, "now"> {
  /** Empty when absent. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly sandbox?: boolean;
  /** Noon of January 15th, 2026, when absent. */
  readonly at?: Date;
}

/** The catalog of a start with these settings, in this environment, at this time. */
export function catalogOf({
  environment = {},
  sandbox = false,
  at = JANUARY,
  now,
  ...given
}: CatalogWorld = {}) {
  const settings = { providers: [], deployments: [], prices: {}, ...given };
  const providers = resolveProviders({ ...settings, sandbox }, environment);
  return createCatalog(settings, { at, providers, ...(now === undefined ? {} : { now }) });
}

const JANUARY = new Date("2026-01-15T12:00:00Z");

type ProviderListing = CatalogSettings["providers"][number];

/** A provider of the settings that needs no key and no catalog knows. */
export const lab = (
  models: ProviderListing["models"],
  changes: Partial<ProviderListing> = {},
): ProviderListing => ({
  id: "lab",
  type: "openai-compatible",
  base_url: "http://localhost:9/v1",
  models,
  ...changes,
});
