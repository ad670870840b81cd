/** What a name in a request means: whose, and which model. */
import { canonicalId } from "./canonical-id.js";
import type { ModelEntry } from "./models/model-entry.js";
import { MODEL_ENTRIES } from "./models.js";
import type { ProviderEntry } from "./provider-entries.js";
import { publicProvider } from "./public-providers.js";

/** Longer names are nobody's: they come from outside, and are not worth a search. */
const MOST_NAME_CHARACTERS = 512;

export const isName = (name: string): boolean =>
  name.length <= MOST_NAME_CHARACTERS && name.trim() !== "" && !name.endsWith("/");

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

/** A model as the reviewed table knows it. */
export interface KnownModel {
  /** As it was asked for, without a provider. */
  readonly asked: string;
  /** Catalog id; for a model that the table does not have, what was asked for. */
  readonly id: string;
  /** Catalog id of the weights: of the plain model, for a variant of it. */
  readonly weights: string;
  /** What is known of the weights. */
  readonly entry: ModelEntry | undefined;
  /** What is known of the id itself, where it is a variant. */
  readonly variant: ModelEntry | undefined;
}

/** Total. `provider`: whose name it may be, when it was asked for there. */
export function knownModel(asked: string, provider: string = MARKET): KnownModel {
  const id = canonicalId(idByUpstreamName.get(upstreamKey(provider, asked)) ?? asked);
  const own = MODEL_ENTRIES.get(id);
  if (own?.priced_as === undefined) return { asked, id, weights: id, entry: own, variant: undefined };
  return { asked, id, weights: own.priced_as, entry: MODEL_ENTRIES.get(own.priced_as), variant: own };
}

/** Names of the market are known without saying whose they are. */
const MARKET = "openrouter";

const upstreamKey = (provider: string, name: string): string => `${provider} ${name.toLowerCase()}`;

/** `openrouter meta-llama/llama-3.1-8b-instruct` → `llama-3.1-8b-instruct`, for names that the reviewed table spells out. */
const idByUpstreamName: ReadonlyMap<string, string> = new Map(
  [...MODEL_ENTRIES].flatMap(([id, { listed, names = {} }]) => [
    ...(typeof listed === "object" ? [[upstreamKey(listed.provider, listed.id), id] as const] : []),
    ...Object.entries(names).flatMap(([provider, name]) =>
      name === null ? [] : [[upstreamKey(provider, name), id] as const],
    ),
  ]),
);
