/**
 * The public price list, `catalog/prices.json`: what is used of the package @pydantic/genai-prices, which would take a fifth of
 * the time of an import of the router and 19 MB. A test compares the two. Read once, at the first use.
 */
import { once } from "../../../foundation/once.js";
import { readCatalogFile } from "../models/catalog-data.js";
import { isEmbeddingName } from "../models/models.js";
import type { Price } from "../models/price.js";
import {
  admits,
  literalsOf,
  type MatchRule,
  names,
  patternsOf,
  spelledOut,
  VERSION,
  VERSION_TEXT,
} from "./match-rules.js";
import { type ConditionalRates, type HourRule, type ListedRates, nextChange, priceInForce } from "./rates.js";

/** A provider of the list. */
interface ListedProvider {
  readonly id: string;
  /** Providers whose models it resells at their prices. */
  readonly fallback_model_providers?: readonly string[];
  readonly models: readonly ListEntry[];
}

interface ListEntry {
  readonly id: string;
  readonly match: MatchRule;
  readonly context_window?: number;
  readonly deprecated?: boolean;
  readonly prices: ListedRates | readonly ConditionalRates[];
}

export interface ListedModel {
  readonly provider: string;
  /** The list's own id of the entry, which may have several names. */
  readonly entry: string;
  /** Name in requests to the provider. */
  readonly upstreamModel: string;
  /** Null when the list has the model but charges it by something other than tokens, or not at all. */
  readonly price: Price | null;
  readonly contextTokens: number | null;
  /** Whether the list marks the model as deprecated at this provider. */
  readonly deprecated: boolean;
}

/**
 * Providers in which a model without a provider is looked up, in order: makers that serve their own models, then
 * OpenRouter for the market price of open weights.
 */
const VENDORS = [
  "openai",
  "anthropic",
  "google",
  "mistral",
  "deepseek",
  "x-ai",
  "cohere",
  "zhipuai",
  "minimax",
  "moonshotai",
] as const;
const MARKET = "openrouter";

export interface PriceQuery {
  /** Date of the price: the list has earlier prices. */
  readonly at: Date;
  /** Default `most-expensive-hour`, so that a decision does not change with the hour. */
  readonly hour?: HourRule;
}

/**
 * The list's entry of a model, or null. A model matches by its listed name, one of the listed equal names, or such a
 * name followed by a date, a three-digit version or `latest`; never by similarity, so `deepseek-r1-distill…` is not
 * `deepseek-r1`. A model without a provider is looked up at makers that serve their own models, then on the market.
 */
export function findListed(model: string, query: PriceQuery): ListedModel | null {
  const id = normalised(model);
  const slash = id.indexOf("/");
  if (slash > 0) {
    const named = findListedAt(id.slice(0, slash), id.slice(slash + 1), query);
    return named ?? findListedAt(MARKET, id, query);
  }
  for (const vendor of VENDORS) {
    const listed = findListedAt(vendor, id, query);
    if (listed !== null) return listed;
  }
  return findOnMarket(id, query);
}

/** The list's entry for a name that this provider uses, or null. */
export function findListedAt(providerId: string, model: string, query: PriceQuery): ListedModel | null {
  const provider = listOf(providerId);
  if (provider === undefined) return null;
  const found = findEntry(provider, normalised(model));
  return found === undefined ? null : listedModel({ provider: provider.id, entry: found, model, query });
}

/**
 * The entry of a host that lists other makers' models as `maker/model`, for a name without the maker: null unless
 * exactly one maker has a model of that name. Dots and dashes are equal here, because hosts write versions with dots
 * where vendors write them with dashes.
 */
export function findHosted(providerId: string, model: string, query: PriceQuery): ListedModel | null {
  const wanted = undotted(normalised(model));
  const hosted = hostedNames(providerId).get(wanted) ?? [];
  const [only, another] = hosted;
  if (only === undefined || another !== undefined) return null;
  return listedModel({ provider: providerId, entry: only.entry, model: only.name, query });
}

/** Price of a model at a provider that charges what others do, by the list's rules for resold models; null otherwise. */
export function findResold(providerId: string, model: string, query: PriceQuery): ListedModel | null {
  for (const origin of listOf(providerId)?.fallback_model_providers ?? []) {
    const listed = findListedAt(origin, model, query);
    if (listed !== null) return { ...listed, provider: providerId, upstreamModel: model };
  }
  return null;
}

/** Ids of a provider's entries, in the list's order. */
export function listedIds(providerId: string): readonly string[] {
  return listOf(providerId)?.models.map(({ id }) => id) ?? [];
}

/** The first moment after `at` at which a price of one of these providers may change; null when none will. */
export function nextPriceChange(providerIds: readonly string[], at: Date): Date | null {
  const changes = providerIds.flatMap((id) =>
    (listOf(id)?.models ?? []).flatMap(({ prices }) => {
      const change = Array.isArray(prices) ? nextChange(prices, at) : null;
      return change === null ? [] : [change.getTime()];
    }),
  );
  return changes.length === 0 ? null : new Date(Math.min(...changes));
}

const equalNames = ({ match }: ListEntry): readonly string[] => spelledOut(match);
const normalised = (model: string): string => model.toLowerCase().trim();
const undotted = (id: string): string => id.replaceAll(".", "-");

let listById: ReadonlyMap<string, ListedProvider> | undefined;

function listOf(providerId: string): ListedProvider | undefined {
  listById ??= new Map(priceList().map((provider) => [provider.id, provider]));
  return listById.get(providerId.toLowerCase());
}

/** A part of the package, which a test checks: a schema over it would take longer than reading it. */
const priceList = (): readonly ListedProvider[] =>
  (readCatalogFile("prices.json") as { readonly providers: readonly ListedProvider[] }).providers;

function findEntry(provider: ListedProvider, id: string): ListEntry | undefined {
  const exact = firstNaming(provider, id, "");
  if (exact !== undefined || !VERSION.test(id)) return exact;
  return firstNaming(provider, id, VERSION_TEXT);
}

/** The first entry whose id or rule matches `id` (without a trailing `suffix`). */
function firstNaming(provider: ListedProvider, id: string, suffix: string): ListEntry | undefined {
  const { indexById, indexesByLiteral, patterns } = indexOf(provider);
  const plain = suffix === "" ? id : id.replace(VERSION, "");
  let first = (suffix === "" ? indexById.get(id) : undefined) ?? Number.POSITIVE_INFINITY;
  for (const index of indexesByLiteral.get(plain) ?? []) {
    const entry = provider.models[index];
    if (index < first && entry !== undefined && names(entry.match, id, suffix)) first = index;
  }
  if (suffix === "") {
    for (const { index, rule } of patterns) if (index < first && names(rule, id, suffix)) first = index;
  }
  return provider.models[first];
}

/** Positions in the provider's list of models, ascending. */
interface EntryIndex {
  /** Of the first entry that has an id, in lower case. */
  readonly indexById: ReadonlyMap<string, number>;
  /** Of the entries whose rules may name a text, in lower case. */
  readonly indexesByLiteral: ReadonlyMap<string, readonly number[]>;
  /** The parts of entries' rules that may name any text. */
  readonly patterns: readonly { readonly index: number; readonly rule: MatchRule }[];
}

const indexByProvider = new Map<string, EntryIndex>();

/** Cached: the list does not change. */
function indexOf(provider: ListedProvider): EntryIndex {
  const made = indexByProvider.get(provider.id);
  if (made !== undefined) return made;
  const indexById = new Map<string, number>();
  const indexesByLiteral = new Map<string, number[]>();
  const patterns: { index: number; rule: MatchRule }[] = [];
  provider.models.forEach(({ id, match }, index) => {
    const key = normalised(id);
    if (!indexById.has(key)) indexById.set(key, index);
    patterns.push(...patternsOf(match).map((rule) => ({ index, rule })));
    for (const literal of new Set(literalsOf(match))) {
      const indexes = indexesByLiteral.get(literal);
      if (indexes === undefined) indexesByLiteral.set(literal, [index]);
      else indexes.push(index);
    }
  });
  const index = { indexById, indexesByLiteral, patterns };
  indexByProvider.set(provider.id, index);
  return index;
}

/** The one market entry with this name after the maker's; null when several makers have one. */
function findOnMarket(id: string, query: PriceQuery): ListedModel | null {
  const [only, another] = marketEntries().get(id) ?? [];
  if (another !== undefined) return null;
  if (only === undefined) return findListedAt(MARKET, id, query);
  return listedModel({ provider: MARKET, entry: only, model: only.id, query });
}

let entriesByShortName: ReadonlyMap<string, readonly ListEntry[]> | undefined;

/** Name without its maker, in lower case → the market's entries. Cached: the list does not change. */
function marketEntries(): ReadonlyMap<string, readonly ListEntry[]> {
  if (entriesByShortName !== undefined) return entriesByShortName;
  const byName = new Map<string, ListEntry[]>();
  for (const entry of listOf(MARKET)?.models ?? []) {
    const id = entry.id.toLowerCase();
    if (!id.includes("/")) continue;
    const name = id.slice(id.lastIndexOf("/") + 1);
    byName.set(name, [...(byName.get(name) ?? []), entry]);
  }
  entriesByShortName = byName;
  return byName;
}

interface HostedName {
  readonly name: string;
  readonly entry: ListEntry;
}

const hostedByProvider = new Map<string, ReadonlyMap<string, readonly HostedName[]>>();

/** Name without its maker, with dots as dashes → its entries. Cached: the list does not change. */
function hostedNames(providerId: string): ReadonlyMap<string, readonly HostedName[]> {
  const made = hostedByProvider.get(providerId);
  if (made !== undefined) return made;
  const byName = new Map<string, HostedName[]>();
  for (const entry of listOf(providerId)?.models ?? []) {
    for (const name of equalNames(entry)) {
      const slash = name.indexOf("/");
      if (slash <= 0) continue;
      const key = undotted(normalised(name.slice(slash + 1)));
      byName.set(key, [...(byName.get(key) ?? []), { name, entry }]);
    }
  }
  hostedByProvider.set(providerId, byName);
  return byName;
}

/**
 * The provider's own spelling of a name. Some entries' ids are used only by the list: their rule does not match the id,
 * and has the real name.
 */
function spelling(entry: ListEntry, model: string): string {
  const id = normalised(model);
  const spelled = equalNames(entry);
  const same = [entry.id, ...spelled].find((name) => name.toLowerCase() === id && admits(entry.match, id));
  return same ?? (admits(entry.match, id) ? model : (spelled[0] ?? model));
}

interface FoundEntry {
  readonly provider: string;
  readonly entry: ListEntry;
  readonly model: string;
  readonly query: PriceQuery;
}

function listedModel({ provider, entry, model, query }: FoundEntry): ListedModel {
  const { at, hour = "most-expensive-hour" } = query;
  const output = isEmbeddingName(model) ? "none" : "billed";
  const price = once(() => priceInForce(entry.prices, { id: entry.id, at, hour, output }));
  return {
    provider,
    entry: entry.id,
    upstreamModel: spelling(entry, model),
    // Most callers ask who has the model: prices of all would take a tenth of a start.
    get price() {
      return price();
    },
    contextTokens: entry.context_window ?? null,
    deprecated: entry.deprecated === true,
  };
}
