/** Parses a name in a request into provider and model. */

import { type ModelEntry, ofCatalog } from "../catalog-file.js";
import { canonicalId } from "../models/canonical-id.js";
import { idOfName, modelEntries } from "../models/models.js";
import { variantOf } from "../models/reasoning.js";
import { publicProvider } from "../providers/public-providers.js";
import type { ProviderEntry } from "./provider-entries.js";

/** Longer names are rejected without a search. */
const MOST_NAME_CHARACTERS = 512;

export const isName = (name: string): boolean =>
  name.length <= MOST_NAME_CHARACTERS && name.trim() !== "" && !name.endsWith("/");

/**
 * The name without the size of the context at its end, by which Claude Code and its users mark models, once or twice, and which it
 * leaves in some requests: https://github.com/Wei-Shaw/sub2api/pull/4505 (2026-07-17).
 */
export const withoutMark = (name: string): string => name.replace(/(?:\[\d+[km]\])+$/i, "");

/** `provider/id`, when the first part is a provider's id or another name of a public one. */
export function splitName(
  name: string,
  providers: ReadonlyMap<string, ProviderEntry>,
): { readonly provider: ProviderEntry; readonly id: string } | undefined {
  const slash = name.indexOf("/");
  if (slash <= 0) return undefined;
  const provider = providerNamed(name.slice(0, slash), providers);
  return provider === undefined ? undefined : { provider, id: name.slice(slash + 1) };
}

/** By id, else by another name of a public provider. */
export function providerNamed(
  name: string,
  providers: ReadonlyMap<string, ProviderEntry>,
): ProviderEntry | undefined {
  const alias = providers.has(name) ? name : publicProvider(name)?.id;
  return alias === undefined ? undefined : providers.get(alias);
}

/** A model as the catalog file knows it. */
export interface KnownModel {
  /** The requested name, without a provider. */
  readonly asked: string;
  /** Catalog id; the requested name for a model that the file does not have. */
  readonly id: string;
  /** Catalog id of the weights: of the plain model, for a variant of it. */
  readonly weights: string;
  /** Facts of the weights. */
  readonly entry: ModelEntry | undefined;
  /** How the variant is requested; its `variant` is absent when that is impossible. */
  readonly variant: Pick<ModelEntry, "variant"> | undefined;
}

/** Never throws. `provider`: the provider that the name was requested from. */
export function knownModel(asked: string, provider: string = MARKET): KnownModel {
  const id = canonicalId(idsByUpstreamName().get(upstreamKey(provider, asked)) ?? asked);
  const own = modelEntries().get(id);
  if (own?.priced_as !== undefined) {
    return { asked, id, weights: own.priced_as, entry: modelEntries().get(own.priced_as), variant: own };
  }
  const effort = own === undefined ? variantOf(id) : undefined;
  if (effort === undefined) return { asked, id, weights: id, entry: own, variant: undefined };
  const variant = effort.variant === undefined ? {} : { variant: effort.variant };
  return { asked, id, weights: effort.base, entry: modelEntries().get(effort.base), variant };
}

/** Names of the market are accepted without a provider. */
const MARKET = "openrouter";

const upstreamKey = (provider: string, name: string): string => `${provider} ${name.toLowerCase()}`;

/** `openrouter meta-llama/llama-3.1-8b-instruct` → `llama-3.1-8b-instruct`, for names that the catalog file spells out. */
const idsByUpstreamName = ofCatalog(() => new Map([...listedNames(), ...providerNames()]));

/** Entries of the price list, except those used for their price alone, which have another model's name. */
function* listedNames(): Iterable<readonly [string, string]> {
  for (const [id, { listed }] of modelEntries()) {
    if (typeof listed !== "object") continue;
    const owner = idOfName(listed.id);
    if (owner === undefined || owner === id) yield [upstreamKey(listed.provider, listed.id), id];
  }
}

function* providerNames(): Iterable<readonly [string, string]> {
  for (const [id, { names = {} }] of modelEntries()) {
    for (const [provider, name] of Object.entries(names)) {
      if (name !== null) yield [upstreamKey(provider, name), id];
    }
  }
}
