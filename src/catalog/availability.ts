/** Whether anybody who is known, or is in the settings, runs a model today. */
import type { Unavailable } from "../router/candidate.js";
import { isName, type KnownModel, knownModel } from "./model-names.js";
import { type FoundOffer, findOffers, type OfferSources } from "./offers.js";
import { findListed } from "./prices.js";
import { type ProviderEntry, resolveProviders, SANDBOX } from "./provider-entries.js";
import { retirementOf } from "./retirements.js";

/** Every public provider, whether its key is set or not. */
const PUBLIC: ReadonlyMap<string, ProviderEntry> = new Map(
  resolveProviders({ providers: [], deployments: [], sandbox: false }, {}).map((each) => [each.id, each]),
);

/**
 * Why nobody can call a model; null when somebody can, and for a model that the catalog has never heard of: whoever
 * profiled it will know. A model is retired when every public provider that had it has stopped running it; it is not
 * served when none is known to have had it. Deployments, and what a provider of the user's own lists or runs at an address
 * of its own, can always be called.
 */
export function unavailability(model: string, sources: OfferSources): Unavailable | null {
  const found = whoRuns(model, sources);
  if (found === "own" || found.some(({ retired }) => !retired)) return null;
  if (found.length > 0) return { reason: "retired", ...retiredAt(found) };
  const known = knownModel(model);
  const isKnown = known.entry !== undefined || findListed(known.id, { at: sources.at }) !== null;
  return isKnown ? { reason: "not_served" } : null;
}

/** Whether somebody is known to run a model today; false for a model that the catalog has never heard of. */
export function isServed(model: string, sources: OfferSources): boolean {
  const found = whoRuns(model, sources);
  return found === "own" || found.some(({ retired }) => !retired);
}

/** `own`: the settings say so. Else the offers of every public provider, whether its key is set or not. */
function whoRuns(model: string, { settings, providers, at }: OfferSources): readonly FoundOffer[] | "own" {
  if (!isName(model)) return [];
  if (settings.deployments.some(({ name }) => name === model)) return "own";
  const known = knownModel(model);
  const every = new Map([...PUBLIC, ...providers]);
  every.delete(SANDBOX);
  if ([...every.values()].some((provider) => listsModel(provider, known))) return "own";
  return findOffers(model, { settings, providers: every, at });
}

/** The maker's day, which comes before those of hosts; nothing where the list only says that it has happened. */
function retiredAt(offers: readonly FoundOffer[]): Pick<Unavailable, "retiredAt"> {
  const days = offers.flatMap(({ provider, upstreamModel }) => {
    const day = retirementOf(provider, upstreamModel);
    return day === null ? [] : [day.toISOString().slice(0, "2026-01-31".length)];
  });
  const [first] = days.sort();
  return first === undefined ? {} : { retiredAt: first };
}

/** A model that the settings list is there as long as they say so. */
const listsModel = ({ models }: ProviderEntry, { asked, id, weights }: KnownModel): boolean =>
  models.some((each) => [asked, id, weights].includes(each.id));
