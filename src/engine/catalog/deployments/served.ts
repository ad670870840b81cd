/** How a provider knows a model: its name there, and what the public price list says of that name. */
import { isDated } from "../models/canonical-id.js";
import type { Price } from "../models/price.js";
import type { Retirement } from "../models/retirement.js";
import { NOTICE_MS, retirementOf } from "../models/retirements.js";
import { findHosted, findListedAt, findResold, type ListedModel } from "../prices/prices.js";
import { type PublicProvider, publicProvider, publicProviderAt } from "../providers/public-providers.js";
import { billsAboveList, nameAtBedrock } from "./cloud-auth.js";
import type { Deployment } from "./deployment.js";
import { type KnownModel, knownModel } from "./model-names.js";
import type { ProviderEntry } from "./provider-entries.js";

export interface Served {
  readonly upstreamModel: string;
  /** Null when the list has none, and when the vendor has retired the name and it is unknown who answers to it then, if anyone. */
  readonly price: Price | null;
  readonly contextTokens: number | null;
  /** Whether the vendor has stopped running the model under this name. */
  readonly retired: boolean;
  readonly retirement?: Deployment["retirement"];
}

/** Prices are those of this very hour: they are for bills. */
const priceQuery = (at: Date) => ({ at, hour: "this-hour" }) as const;

/** What a provider is known to serve, under the name it knows the model by; null when it is not known to have it. */
export function servedBy(provider: ProviderEntry, model: KnownModel, at: Date): Served | null {
  const known = knownAs(provider, model, at);
  if (known === null) return null;
  const { upstreamModel, contextTokens, deprecated = false } = known;
  const retirement = isVendor(provider) ? retirementOf(provider.id, upstreamModel) : null;
  const isPast = retirement !== null && Date.parse(retirement.from) <= at.getTime();
  return {
    upstreamModel,
    get price() {
      if (isPast && retirement.isRedirected) return priceOf(provider, retirement.successor, at);
      return this.retired ? null : known.price;
    },
    contextTokens,
    retired: isPast || (deprecated && isVendor(provider)),
    retirement: retirement === null ? undefined : noticeOf(retirement, at),
  };
}

const priceOf = (provider: ProviderEntry, model: string | null, at: Date): Price | null =>
  model === null ? null : (servedBy(provider, knownModel(model), at)?.price ?? null);

const noticeOf = ({ from, successor }: Retirement, at: Date): Served["retirement"] => ({
  from,
  successor,
  isNear: Date.parse(from) - NOTICE_MS <= at.getTime(),
});

/** What is sent to a provider that was asked for by name: the name it is known to use, else the one that was given. */
export function servedWhenAsked(provider: ProviderEntry, model: KnownModel, at: Date): Served {
  const known = servedBy(provider, model, at);
  if (known !== null) return known;
  const sent = model.variant === undefined ? model.asked : model.weights;
  const { upstreamModel = sent, price = null, contextTokens = null } = listedFor(provider, sent, at) ?? {};
  return { upstreamModel, price, contextTokens, retired: false };
}

/** The model behind a name that a provider was asked for by: a host's `maker/model` is ours without the maker. */
export function modelAskedFor(provider: ProviderEntry, asked: string, at: Date): KnownModel {
  const known = knownModel(asked, provider.id);
  if (known.entry !== undefined) return known;
  const behind = knownModel(asked.slice(asked.indexOf("/") + 1), provider.id);
  const name = behind.entry === undefined ? undefined : knownAs(provider, behind, at)?.upstreamModel;
  return name?.toLowerCase() === asked.toLowerCase() ? { ...behind, asked } : known;
}

/** A proxy of one's own at another address may well run what the vendor has retired. */
const isVendor = (provider: ProviderEntry): boolean =>
  provider.baseUrl === publicProvider(provider.id)?.baseUrl;

/**
 * What the list says of a name at a provider, or of a model that it resells. A provider of the settings at a vendor's own
 * address bills what the vendor does.
 */
export function listedFor(provider: ProviderEntry, name: string, at: Date): ListedModel | null {
  const biller = publicProvider(provider.id) ?? publicProviderAt(provider.baseUrl ?? "");
  const list = biller?.priceList;
  if (list === undefined || list === null || billsAboveList(provider)) return null;
  return findListedAt(list, name, priceQuery(at)) ?? findResold(list, name, priceQuery(at));
}

type KnownName = Omit<Served, "retired" | "retirement"> & Partial<Pick<ListedModel, "deprecated">>;

function knownAs(provider: ProviderEntry, model: KnownModel, at: Date): KnownName | null {
  const known = publicProvider(provider.id);
  if (known === undefined || known.id !== provider.id) return null;
  const named = reviewedName(known, model);
  const reviewed = known.id === BEDROCK && named ? nameAtBedrock(named, provider) : named;
  if (reviewed === null) return null;
  if (reviewed !== undefined) {
    // A snapshot that was asked for by its date is sent as it was asked for.
    if (isDated(model.asked, reviewed)) return listedAs(known, model.asked, at);
    return listedFor(provider, reviewed, at) ?? { upstreamModel: reviewed, price: null, contextTokens: null };
  }
  if (known.models === "configured") return null;
  for (const name of new Set([model.asked, model.weights])) {
    const listed = listedAs(known, name, at);
    if (listed !== null) return listed;
  }
  return null;
}

/** Where Claude's names have the geography before them. */
const BEDROCK = "bedrock-anthropic";

/** The name that the reviewed table has for a model at a provider; null when it says that there is none. */
function reviewedName({ id, makerNames }: PublicProvider, { entry }: KnownModel): string | null | undefined {
  const named = entry?.names?.[id];
  if (named !== undefined) return named;
  const listed = entry?.listed;
  if (listed === "none") return null;
  if (listed?.provider !== id) return undefined;
  return makerNames && !listed.id.includes("/") ? null : listed.id;
}

function listedAs(
  { priceList, makerNames, serves }: PublicProvider,
  name: string,
  at: Date,
): ListedModel | null {
  if (priceList === null || (serves !== undefined && !serves.test(name))) return null;
  const exact = findListedAt(priceList, name, priceQuery(at));
  // Entries without a maker's name are then the list's own shorthand.
  const usable = makerNames && exact?.upstreamModel.includes("/") === false ? null : exact;
  return usable ?? findHosted(priceList, name, priceQuery(at));
}
