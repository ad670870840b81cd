/** The public price list, bundled with its package: no network. The only file that knows the package. */
import { findProvider, type MatchLogic, type ModelInfo, type ModelPrice } from "@pydantic/genai-prices";

/** US dollars per million tokens. */
export interface Price {
  readonly inputUsdPerMtok: number;
  /** Prompt tokens read from the provider's cache; null when the list has no such rate. */
  readonly cachedInputUsdPerMtok: number | null;
  readonly outputUsdPerMtok: number;
}

export interface ListedModel {
  readonly provider: string;
  /** Null when the list knows the model but bills it by something other than tokens, or not at all. */
  readonly price: Price | null;
  readonly contextTokens: number | null;
}

/**
 * Providers that are asked, in this order, for a model without a provider: those that made the models they serve.
 * OpenRouter comes last and stands for the market price of open weights.
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
  /** Moment the price is for: the list knows earlier prices. */
  readonly at: Date;
  /** Ask this provider only. */
  readonly provider?: string;
}

/**
 * What the list says of a model, or null. A model matches by its listed name, one of the listed equal names, or such a
 * name followed by a date, a three-digit version or `latest`; never by a mere resemblance, so `deepseek-r1-distill…` is
 * not `deepseek-r1`. Where the list has tiers, the price is that of the smallest prompts; where it depends on the time of
 * day, it is the dearest, so that a decision does not change with the hour.
 */
export function findListed(model: string, { at, provider }: PriceQuery): ListedModel | null {
  const id = model.toLowerCase().trim();
  if (provider !== undefined) return findAt(provider, id, at);
  const slash = id.indexOf("/");
  if (slash > 0) {
    const named = findAt(id.slice(0, slash), id.slice(slash + 1), at);
    return named ?? findAt(MARKET, id, at);
  }
  for (const vendor of VENDORS) {
    const listed = findAt(vendor, id, at);
    if (listed !== null) return listed;
  }
  return findOnMarket(id, at);
}

function findAt(providerId: string, id: string, at: Date): ListedModel | null {
  const provider = findProvider({ providerId });
  if (provider === undefined || provider.id !== providerId.toLowerCase()) return null;
  const exact = provider.models.find((entry) => entry.id.toLowerCase() === id || names(entry.match, id, ""));
  const found =
    exact ?? provider.models.find((entry) => VERSION.test(id) && names(entry.match, id, VERSION_TEXT));
  return found === undefined ? null : listedModel(provider.id, found, at);
}

/** The one market entry whose name after the maker's is `id`; null when several makers have one. */
function findOnMarket(id: string, at: Date): ListedModel | null {
  const market = findProvider({ providerId: MARKET });
  const matching = market?.models.filter((entry) => entry.id.toLowerCase().endsWith(`/${id}`)) ?? [];
  const [only, another] = matching;
  if (another !== undefined) return null;
  return only === undefined ? findAt(MARKET, id, at) : listedModel(MARKET, only, at);
}

const VERSION_TEXT = "(?:[-@](?:\\d{8}|\\d{4}-\\d{2}-\\d{2}|0\\d{2}|latest))";
const VERSION = new RegExp(`${VERSION_TEXT}$`);

/** Whether a rule of the list names `id` itself, or `id` without a trailing `suffix` (a pattern; empty for none). */
function names(rule: MatchLogic, id: string, suffix: string): boolean {
  if ("or" in rule) return rule.or.some((each) => names(each, id, suffix));
  if ("and" in rule) {
    return rule.and.every((each) => admits(each, id)) && rule.and.some((each) => names(each, id, suffix));
  }
  if ("equals" in rule) return suffix === "" && rule.equals.toLowerCase() === id;
  if ("regex" in rule) return suffix === "" && rule.regex.endsWith("$") && admits(rule, id);
  if ("ends_with" in rule) return suffix === "" && rule.ends_with.toLowerCase() === id;
  const start = ("starts_with" in rule ? rule.starts_with : rule.contains).toLowerCase();
  return id.startsWith(start) && new RegExp(`^${suffix}$`).test(id.slice(start.length));
}

/** Whether a rule lets `id` pass at all, as the list itself reads it. */
function admits(rule: MatchLogic, id: string): boolean {
  if ("or" in rule) return rule.or.some((each) => admits(each, id));
  if ("and" in rule) return rule.and.every((each) => admits(each, id));
  if ("equals" in rule) return rule.equals.toLowerCase() === id;
  if ("starts_with" in rule) return id.startsWith(rule.starts_with.toLowerCase());
  if ("ends_with" in rule) return id.endsWith(rule.ends_with.toLowerCase());
  if ("contains" in rule) return id.includes(rule.contains.toLowerCase());
  return new RegExp(rule.regex, "i").test(id);
}

function listedModel(provider: string, entry: ModelInfo, at: Date): ListedModel {
  return { provider, price: priceAt(entry.prices, at), contextTokens: entry.context_window ?? null };
}

function priceAt(prices: ModelInfo["prices"], at: Date): Price | null {
  if (!Array.isArray(prices)) return tokenPrice(prices);
  const applicable: Price[] = [];
  for (const { constraint, prices: conditional } of [...prices].reverse()) {
    const starts = constraint?.type === "start_date" ? new Date(constraint.start_date) : null;
    if (starts !== null && at < starts) continue;
    const price = tokenPrice(conditional);
    if (price !== null) applicable.push(price);
    if (constraint?.type !== "time_of_date") break;
  }
  return applicable.sort((left, right) => right.outputUsdPerMtok - left.outputUsdPerMtok)[0] ?? null;
}

function tokenPrice(prices: ModelPrice): Price | null {
  const [input, cached, output] = [prices.input_mtok, prices.cache_read_mtok, prices.output_mtok].map(base);
  if (input === undefined || output === undefined) return null;
  return { inputUsdPerMtok: input, cachedInputUsdPerMtok: cached ?? null, outputUsdPerMtok: output };
}

const base = (price: ModelPrice[string]): number | undefined =>
  typeof price === "object" ? price.base : price;
