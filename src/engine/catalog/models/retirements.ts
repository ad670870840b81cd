/**
 * Models that a provider no longer serves under a former name, from the catalog file. The price list keeps their
 * prices, and some vendors answer for them with another model, so that a listed name is not evidence of service.
 */
import { type CatalogFile, ofCatalog } from "../catalog-file.js";
import { namePattern, spelling } from "./models.js";
import type { Retirement } from "./retirement.js";

/** Makers that alone serve their models: what they retire is retired on the market too. */
const CLOSED_MAKERS: Readonly<Record<string, string>> = {
  "openai/": "openai",
  "google/gemini": "google",
  "x-ai/": "x-ai",
};
const MARKET = "openrouter";

/** A name is reported as retiring so long before. */
export const NOTICE_MS = 28 * 86_400_000;

interface Retirements {
  /** By name, the earliest. */
  readonly ofName: ReadonlyMap<string, Retirement>;
  /** Earliest first. */
  readonly ofPattern: readonly (Retirement & { readonly pattern: RegExp })[];
}

const retirements = ofCatalog(
  (file) => new Map(Object.entries(file.retirements).map(([provider, listed]) => [provider, read(listed)])),
);

function read({ names, answered_by = {}, successors = {} }: CatalogFile["retirements"][string]): Retirements {
  const listed = Object.entries(names)
    .flatMap(([from, ofDay]) => ofDay.map((name) => ({ name, from })))
    .sort((left, right) => (left.from < right.from ? -1 : 1))
    .map(({ name, from }) => {
      const successor = answered_by[name] ?? successors[name] ?? null;
      return { name, from, successor, isRedirected: name in answered_by };
    });
  const isPattern = ({ name }: { readonly name: string }): boolean => name.includes("*");
  return {
    // Of equal names the last entry stays: the earliest, so turned round.
    ofName: new Map(
      listed
        .filter((one) => !isPattern(one))
        .map((one) => [spelling(one.name), one] as const)
        .reverse(),
    ),
    ofPattern: listed.filter(isPattern).map((one) => ({ ...one, pattern: namePattern(one.name) })),
  };
}

/** When and for whom a provider stops serving a model under its former name; null when nothing is known. */
export function retirementOf(provider: string, upstreamModel: string): Retirement | null {
  const name = spelling(upstreamModel);
  const own = retirementAt(provider, name);
  if (provider !== MARKET) return own;
  const prefix = Object.keys(CLOSED_MAKERS).find((maker) => name.startsWith(maker));
  const maker = prefix === undefined ? undefined : CLOSED_MAKERS[prefix];
  const closed = maker === undefined ? null : retirementAt(maker, name.slice(name.indexOf("/") + 1));
  // What a market does with a name that its maker redirects is not known.
  return earlier(own, closed && { ...closed, isRedirected: false });
}

function retirementAt(provider: string, name: string): Retirement | null {
  const known = retirements().get(provider);
  const matched = known?.ofPattern.find(({ pattern }) => pattern.test(name)) ?? null;
  return earlier(known?.ofName.get(name) ?? null, matched);
}

const earlier = (a: Retirement | null, b: Retirement | null): Retirement | null =>
  a === null || b === null ? (a ?? b) : a.from < b.from ? a : b;

/** Whether a provider has stopped running a model under the name it knew it by. */
export function isRetired(provider: string, upstreamModel: string, at: Date): boolean {
  const known = retirementOf(provider, upstreamModel);
  return known !== null && Date.parse(known.from) <= at.getTime();
}

/** The first moment after `at` at which some model is retired; infinity when none is known. */
export const nextRetirement = (at: Date): number =>
  Math.min(
    ...[...retirements().values()]
      .flatMap(({ ofName, ofPattern }) => [...ofName.values(), ...ofPattern])
      .map(({ from }) => Date.parse(from))
      .filter((ms) => ms > at.getTime()),
  );
