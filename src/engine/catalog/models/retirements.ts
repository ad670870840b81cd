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

/** That a provider stops running a model under a name. */
export interface Retirement {
  /** Past or future. */
  readonly from: Date;
  /** Catalog id of what answers from then on, or else of what the vendor recommends; null where it names none. */
  readonly successor: string | null;
  /** Whether the successor answers under the name from then on, at its own price. */
  readonly isRedirected: boolean;
}

/** A name is reported as retiring so long before. */
export const NOTICE_MS = 28 * 86_400_000;

interface Retirements {
  /** By name, the earliest. */
  readonly ofName: ReadonlyMap<string, Date>;
  /** Earliest first. */
  readonly ofPattern: readonly { readonly from: Date; readonly pattern: RegExp }[];
  readonly dates: readonly Date[];
  /** Those that answer first. */
  readonly successors: readonly (Omit<Retirement, "from"> & { readonly patterns: readonly RegExp[] })[];
}

const retirements = ofCatalog(
  (file) =>
    new Map(
      Object.entries(file.retirements).map(([provider, { names, answered_by, successors }]) => {
        const read = [
          ...readSuccessors(answered_by, "answers"),
          ...readSuccessors(successors, "recommended"),
        ];
        return [provider, { ...readDates(names), successors: read }];
      }),
    ),
);

const readSuccessors = (
  namesById: Readonly<Record<string, readonly string[]>> = {},
  how: "answers" | "recommended",
): Retirements["successors"] =>
  Object.entries(namesById).map(([successor, names]) => ({
    ...{ successor, isRedirected: how === "answers" },
    patterns: names.map(namePattern),
  }));

function readDates(
  namesByDate: Readonly<Record<string, readonly string[]>>,
): Omit<Retirements, "successors"> {
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
  const named = known?.ofName.get(name);
  const matched = known?.ofPattern.find(({ pattern }) => pattern.test(name))?.from;
  const first = earlier(
    named === undefined ? null : { from: named },
    matched === undefined ? null : { from: matched },
  );
  if (first === null) return null;
  const { successor = null, isRedirected = false } =
    known?.successors.find(({ patterns }) => patterns.some((pattern) => pattern.test(name))) ?? {};
  return { ...first, successor, isRedirected };
}

function earlier<Dated extends { readonly from: Date }>(a: Dated | null, b: Dated | null): Dated | null {
  return a === null || b === null ? (a ?? b) : a.from < b.from ? a : b;
}

/** Whether a provider has stopped running a model under the name it knew it by. */
export function isRetired(provider: string, upstreamModel: string, at: Date): boolean {
  const known = retirementOf(provider, upstreamModel);
  return known !== null && known.from <= at;
}

/** The first moment after `at` at which some model is retired; infinity when none is known. */
export const nextRetirement = (at: Date): number =>
  Math.min(
    ...[...retirements().values()].flatMap(({ dates }) =>
      dates.map((date) => date.getTime()).filter((ms) => ms > at.getTime()),
    ),
  );
