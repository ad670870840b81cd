/**
 * Models that a provider no longer runs under a name it once had, from the catalog file. The price list keeps their prices,
 * and some vendors answer for them with another model, so that a name alone is no offer.
 */
import { catalogData } from "./catalog-data.js";
import { spelling } from "./models.js";
import { namePattern } from "./name-pattern.js";

/** Makers that alone run their models: what they close is closed on the market too. */
const CLOSED_MAKERS: Readonly<Record<string, string>> = {
  "openai/": "openai",
  "google/gemini": "google",
  "x-ai/": "x-ai",
};
const MARKET = "openrouter";

interface DatedNames {
  readonly from: Date;
  readonly exact: ReadonlySet<string>;
  readonly patterns: readonly RegExp[];
}

let byProvider: ReadonlyMap<string, readonly DatedNames[]> | undefined;

/** By provider, earliest first. */
function datedNames(): ReadonlyMap<string, readonly DatedNames[]> {
  byProvider ??= new Map(
    Object.entries(catalogData().retirements).map(([provider, { names }]) => [
      provider,
      Object.entries(names)
        .map(([date, each]) => ({
          from: new Date(date),
          exact: new Set(each.filter((name) => !name.includes("*")).map(spelling)),
          patterns: each.filter((name) => name.includes("*")).map(namePattern),
        }))
        .sort((left, right) => left.from.getTime() - right.from.getTime()),
    ]),
  );
  return byProvider;
}

/** The moment from which a provider does not run a model under the name it knew it by, past or to come; null when none is known. */
export function retirementOf(provider: string, upstreamModel: string): Date | null {
  const name = spelling(upstreamModel);
  const own = retiredFrom(provider, name);
  if (provider !== MARKET) return own;
  const prefix = Object.keys(CLOSED_MAKERS).find((each) => name.startsWith(each));
  const maker = prefix === undefined ? undefined : CLOSED_MAKERS[prefix];
  const closed = maker === undefined ? null : retiredFrom(maker, name.slice(name.indexOf("/") + 1));
  if (own === null || closed === null) return own ?? closed;
  return own < closed ? own : closed;
}

function retiredFrom(provider: string, name: string): Date | null {
  const found = datedNames()
    .get(provider)
    ?.find(({ exact, patterns }) => exact.has(name) || patterns.some((pattern) => pattern.test(name)));
  return found?.from ?? null;
}

/** Whether a provider has stopped running a model under the name it knew it by. */
export function isRetired(provider: string, upstreamModel: string, at: Date): boolean {
  const from = retirementOf(provider, upstreamModel);
  return from !== null && from <= at;
}

/** The first moment after `at` at which some model is retired; null when none is known. */
export function nextRetirement(at: Date): Date | null {
  const dates = [...datedNames().values()].flat().flatMap(({ from }) => (from > at ? [from.getTime()] : []));
  return dates.length === 0 ? null : new Date(Math.min(...dates));
}
