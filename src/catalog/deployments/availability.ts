/** Whether anybody who is known, or is in the settings, runs a model today. */
import type { Unavailable } from "../../router/candidate.js";
import { retirementOf } from "../models/retirements.js";
import { findListed } from "../prices/prices.js";
import {
  type DeploymentSources,
  type FoundDeployment,
  findDeployments,
  servedPublicly,
} from "./find-deployments.js";
import { isName, type KnownModel, knownModel, splitName } from "./model-names.js";
import { type ProviderEntry, resolveProviders, SANDBOX } from "./provider-entries.js";

/** Every public provider, whether its key is set or not. */
const PUBLIC: ReadonlyMap<string, ProviderEntry> = new Map(
  resolveProviders({ providers: [], deployments: [], sandbox: false }, {}).map((provider) => [
    provider.id,
    provider,
  ]),
);

export interface Availability {
  /** Whether somebody is known to run the model today; false for a model that the catalog has never heard of. */
  readonly isServed: boolean;
  /** Why it cannot be called; null when it can, and for a model that the catalog does not know. */
  readonly unavailable: Unavailable | null;
}

/**
 * Whether a model can be called; one that the catalog does not know counts as callable. A model is
 * retired when every public provider that had it has stopped running it; it is not served when none is known to have had
 * it. Deployments, and what a provider of the user's own lists or runs at an address of its own, can always be called.
 */
export function availabilityOf(model: string, sources: DeploymentSources): Availability {
  const retired: RetiredName[] = [];
  for (const deployment of whoRuns(model, sources)) {
    if (deployment === "own" || !deployment.retired) return { isServed: true, unavailable: null };
    retired.push(deployment);
  }
  if (retired.length > 0)
    return { isServed: false, unavailable: { reason: "retired", ...retiredAt(retired) } };
  const known = knownModel(model);
  const isKnown = known.entry !== undefined || findListed(known.id, { at: sources.at }) !== null;
  return { isServed: false, unavailable: isKnown ? { reason: "not_served" } : null };
}

type RetiredName = Pick<FoundDeployment, "provider" | "upstreamModel" | "retired">;

/** `own`: the settings say so. Else what every public provider is known to run, whether its key is set or not. */
function* whoRuns(
  model: string,
  { settings, providers, at }: DeploymentSources,
): Iterable<RetiredName | "own"> {
  if (!isName(model)) return;
  if (settings.deployments.some(({ name }) => name === model)) yield "own";
  const every = new Map([...PUBLIC, ...providers]);
  every.delete(SANDBOX);
  const known = knownModel(model);
  for (const provider of every.values()) if (listsModel(provider, known)) yield "own";
  if (splitName(model, every) !== undefined) {
    yield* findDeployments(model, { settings, providers: every, at });
    return;
  }
  for (const provider of every.values()) {
    const served = servedPublicly(provider, known, at);
    if (served !== null) yield { ...served, provider: provider.id };
  }
}

/** The maker's day, which comes before those of hosts; nothing where the list only says that it has happened. */
function retiredAt(names: readonly RetiredName[]): Pick<Unavailable, "retiredAt"> {
  const days = names.flatMap(({ provider, upstreamModel }) => {
    const day = retirementOf(provider, upstreamModel);
    return day === null ? [] : [day.toISOString().slice(0, "2026-01-31".length)];
  });
  const [first] = days.sort();
  return first === undefined ? {} : { retiredAt: first };
}

/** A model that the settings list is there as long as they say so. */
const listsModel = ({ models }: ProviderEntry, { asked, id, weights }: KnownModel): boolean =>
  models.some((served) => [asked, id, weights].includes(served.id));
