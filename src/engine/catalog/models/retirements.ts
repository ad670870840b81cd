/**
 * Models that a provider no longer serves under a former name, from the catalog file. The price list keeps their
 * prices, and some vendors answer for them with another model, so that a listed name is not evidence of service.
 */
import { ofCatalog } from "../catalog-file.js";
import { namePattern, spelling } from "./models.js";

/** Makers that alone serve their models: what they retire is retired on the market too. */
const CLOSED_MAKERS: Readonly<Record<string, string>> = {
  "openai/": "openai",
  "google/gemini": "google",
  "x-ai/": "x-ai",
};
const MARKET = "openrouter";

interface Retirements {
  /** By name, the earliest. */
  readonly ofName: ReadonlyMap<string, Date>;
  /** Earliest first. */
  readonly ofPattern: readonly { readonly from: Date; readonly pattern: RegExp }[];
  readonly dates: readonly Date[];
}

const retirements = ofCatalog(
  (file) =>
    new Map(Object.entries(file.retirements).map(([provider, { names }]) => [provider, readDates(names)])),
);

function readDates(namesByDate: Readonly<Record<string, readonly string[]>>): Retirements {
  const dated = Object.entries(namesByDate)
    .map(([date, names]) => ({ from: new Date(date), names }))
    .sort((left, right) => left.from.getTime() - right.from.getTime());
  const names = dated.flatMap(({ from, names }) => names.map((name) => ({ from, name })));
  const isPattern = ({ name }: { readonly name: string }): boolean => name.includes("*");
  return {
    // Of equal names the last entry stays: the earliest, so turned round.
    ofName: new Map(
      names
        .filter((entry) => !isPattern(entry))
        .map(({ from, name }) => [spelling(name), from] as const)
        .reverse(),
    ),
    ofPattern: names.filter(isPattern).map(({ from, name }) => ({ from, pattern: namePattern(name) })),
    dates: dated.map(({ from }) => from),
  };
}

/** The date from which a provider does not serve a model under its former name, past or future; null when none is known. */
export function retirementOf(provider: string, upstreamModel: string): Date | null {
  const name = spelling(upstreamModel);
  const own = retiredFrom(provider, name);
  if (provider !== MARKET) return own;
  const prefix = Object.keys(CLOSED_MAKERS).find((maker) => name.startsWith(maker));
  const maker = prefix === undefined ? undefined : CLOSED_MAKERS[prefix];
  const closed = maker === undefined ? null : retiredFrom(maker, name.slice(name.indexOf("/") + 1));
  return earlier(own, closed);
}

function retiredFrom(provider: string, name: string): Date | null {
  const known = retirements().get(provider);
  const named = known?.ofName.get(name) ?? null;
  const matched = known?.ofPattern.find(({ pattern }) => pattern.test(name))?.from ?? null;
  return earlier(named, matched);
}

const earlier = (a: Date | null, b: Date | null): Date | null =>
  a === null || b === null ? (a ?? b) : a < b ? a : b;

/** Whether a provider has stopped running a model under the name it knew it by. */
export function isRetired(provider: string, upstreamModel: string, at: Date): boolean {
  const from = retirementOf(provider, upstreamModel);
  return from !== null && from <= at;
}

/** The first moment after `at` at which some model is retired; null when none is known. */
export function nextRetirement(at: Date): Date | null {
  return [...retirements().values()]
    .flatMap(({ dates }) => dates.filter((date) => date > at))
    .reduce<Date | null>(earlier, null);
}
