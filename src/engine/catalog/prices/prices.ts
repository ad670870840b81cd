/** What a model is called and costs at a host, by the catalog file. */
import { groupBy } from "../../../foundation/group-by.js";
import { once } from "../../../foundation/once.js";
import { type Host, type HostModel, ofCatalog } from "../catalog-file.js";
import type { Price } from "../models/price.js";
import { type HourRule, nextChange, priceInForce } from "./charges.js";

export interface ListedModel {
  readonly provider: string;
  /** Id among the host's models, which may have several names. */
  readonly entry: string;
  /** Name in requests to the provider. */
  readonly upstreamModel: string;
  /** Null when the model is charged by something other than tokens, or its price is unknown. */
  readonly price: Price | null;
  readonly contextTokens: number | null;
  /** Whether it is marked as deprecated at this provider. */
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
  "meta",
] as const;
const MARKET = "openrouter";

export interface PriceQuery {
  /** Day of the price: earlier and announced ones are known too. */
  readonly at: Date;
  /** Default `most-expensive-hour`, so that a decision does not change with the hour. */
  readonly hour?: HourRule;
}

/**
 * The listed model of a name, or null. A model matches by a listed name, some of which may be followed by a date, a
 * three-digit version or `latest`; never by similarity, so `deepseek-r1-distill…` is not `deepseek-r1`. A model without
 * a provider is looked up at makers that serve their own models, then on the market.
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
  return findHosted(MARKET, id, query) ?? findListedAt(MARKET, id, query);
}

/** The model of a name that this provider uses, or null. */
export function findListedAt(providerId: string, model: string, query: PriceQuery): ListedModel | null {
  const host = hosts().get(providerId.toLowerCase());
  const found = host?.find(normalised(model));
  return host === undefined || found === undefined
    ? null
    : listedModel(host.id, found, { ...query, asked: model });
}

/**
 * The model of a host that lists other makers' models as `maker/model`, for a name without the maker: null unless
 * exactly one maker has a model of that name. Dots and dashes are equal here, because hosts write versions with dots
 * where vendors write them with dashes.
 */
export function findHosted(providerId: string, model: string, query: PriceQuery): ListedModel | null {
  const hosted =
    hosts()
      .get(providerId.toLowerCase())
      ?.hosted()
      .get(undotted(normalised(model))) ?? [];
  const [first, ...others] = hosted;
  if (first === undefined || others.some((other) => other.model !== first.model)) return null;
  return listedModel(providerId, first.model, { ...query, asked: first.name });
}

/** Price of a model at a provider that charges what others do; null otherwise. */
export function findResold(providerId: string, model: string, query: PriceQuery): ListedModel | null {
  for (const origin of hosts().get(providerId.toLowerCase())?.resells ?? []) {
    const listed = findListedAt(origin, model, query);
    if (listed !== null) return { ...listed, provider: providerId, upstreamModel: model };
  }
  return null;
}

/** Ids of a provider's models, in the file's order. */
export const listedIds = (providerId: string): readonly string[] =>
  hosts()
    .get(providerId.toLowerCase())
    ?.models.map(({ id }) => id) ?? [];

/** The first moment after that of the query at which a price of one of these providers may change; infinity when none will. */
export const nextPriceChange = (providerIds: readonly string[], query: Required<PriceQuery>): number =>
  Math.min(
    ...providerIds.flatMap(
      (id) =>
        hosts()
          .get(id)
          ?.models.map(({ prices }) => nextChange(prices, query)) ?? [],
    ),
  );

const normalised = (model: string): string => model.toLowerCase().trim();
const undotted = (id: string): string => id.replaceAll(".", "-");

/** What may follow a name that is marked so: a date, a three-digit version, `latest`. */
const VERSION = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|0\d{2}|latest)$/;

/** The models of a host by their names. */
export class HostModels {
  readonly id: string;
  readonly models: readonly HostModel[];
  readonly resells: readonly string[];
  readonly #names = once(() => this.#byName());
  /** Name without its maker, with dots as dashes → names with their models. */
  readonly hosted = once(() =>
    groupBy(
      this.models.flatMap((model) =>
        ownNames(model)
          .filter((name) => name.indexOf("/") > 0)
          .map((name) => ({ name, model })),
      ),
      ({ name }) => undotted(normalised(name.slice(name.indexOf("/") + 1))),
    ),
  );

  constructor(id: string, { models, resells = [] }: Host) {
    this.id = id;
    this.models = models;
    this.resells = resells;
  }

  /** @param name in lower case */
  find(name: string): HostModel | undefined {
    const { exact, dated } = this.#names();
    return exact.get(name) ?? (VERSION.test(name) ? dated.get(name.replace(VERSION, "")) : undefined);
  }

  /** The first model of a name counts. */
  #byName(): {
    readonly exact: ReadonlyMap<string, HostModel>;
    readonly dated: ReadonlyMap<string, HostModel>;
  } {
    const [exact, dated] = [new Map<string, HostModel>(), new Map<string, HostModel>()];
    const add = (map: Map<string, HostModel>, name: string, model: HostModel) => {
      if (!map.has(name)) map.set(name, model);
    };
    for (const model of this.models) {
      for (const name of [model.id, ...(model.names ?? [])].map(normalised)) {
        const plain = name.endsWith("*") ? name.slice(0, -1) : name;
        add(exact, plain, model);
        if (plain !== name) add(dated, plain, model);
      }
    }
    return { exact, dated };
  }
}

const hosts = ofCatalog(
  (file) => new Map(Object.entries(file.hosts).map(([id, host]) => [id, new HostModels(id, host)])),
);

/** The names that are spelled out in full, as the host writes them. */
const ownNames = ({ id, names = [], sent }: HostModel): readonly string[] =>
  [...(sent === undefined ? [id] : []), ...names].filter((name) => !name.endsWith("*"));

/** The provider's own spelling of a name that was asked for. */
function spelling(model: HostModel, asked: string): string {
  const name = normalised(asked);
  if (model.sent !== undefined && name === normalised(model.id)) return model.sent;
  return ownNames(model).find((own) => own.toLowerCase() === name) ?? asked;
}

function listedModel(
  provider: string,
  model: HostModel,
  { asked, at, hour = "most-expensive-hour" }: PriceQuery & { readonly asked: string },
): ListedModel {
  const price = once(() => priceInForce(model.prices, at, hour));
  return {
    provider,
    entry: model.id,
    upstreamModel: spelling(model, asked),
    // Most callers ask who has the model: prices of all would take a tenth of a start.
    get price() {
      return price();
    },
    contextTokens: model.context ?? null,
    deprecated: model.deprecated === true,
  };
}
