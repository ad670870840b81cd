/** Whether a public provider, or one of the settings, serves a model today. */
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

/** The public providers and those of the settings. The sandbox serves nothing: it stands in for others. */
export function everyProvider(
  providers: ReadonlyMap<string, ProviderEntry>,
): ReadonlyMap<string, ProviderEntry> {
  const every = new Map([...PUBLIC, ...providers]);
  every.delete(SANDBOX);
  return every;
}

export interface Availability {
  /** Whether somebody is known to serve the model today; false for an unknown model. */
  readonly isServed: boolean;
  /** Why it is unavailable; null when it is available, and for an unknown model. */
  readonly unavailable: Unavailable | null;
}

/**
 * Availability of a model; an unknown one counts as available. A model is retired when every public provider that had
 * it has stopped serving it; it is not served when none is known to have had it. Deployments, and models that a
 * provider of the settings lists or may run at an address of its own, are always available.
 *
 * @param sources with all that `everyProvider` gives
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

/** `own`: by the settings. Otherwise by what every public provider is known to serve, whether its key is set or not. */
function* whoRuns(
  model: string,
  { settings, providers, at }: DeploymentSources,
): Iterable<RetiredName | "own"> {
  if (!isName(model)) return;
  if (settings.deployments.some(({ name }) => name === model)) yield "own";
  const known = knownModel(model);
  for (const provider of providers.values()) if (listsModel(provider, known)) yield "own";
  if (splitName(model, providers) !== undefined) {
    yield* findDeployments(model, { settings, providers, at });
    return;
  }
  for (const provider of providers.values()) {
    const served = servedPublicly(provider, known, at);
    if (served === null) continue;
    const { upstreamModel, retired } = served;
    yield { provider: provider.id, upstreamModel, retired };
  }
}

/** The maker's date, which precedes those of hosts; absent where the list has none. */
function retiredAt(names: readonly RetiredName[]): Pick<Unavailable, "retiredAt"> {
  const days = names.flatMap(
    ({ provider, upstreamModel }) => retirementOf(provider, upstreamModel)?.from ?? [],
  );
  const [first] = days.sort();
  return first === undefined ? {} : { retiredAt: first };
}

/** A model that the settings list is available. */
const listsModel = ({ models }: ProviderEntry, { asked, id, weights }: KnownModel): boolean =>
  models.some((served) => [asked, id, weights].includes(served.id));
