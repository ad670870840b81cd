/** Lists every model of the catalog or a profile set with its availability, for users. */
import type { Catalog } from "./catalog.js";
import { knownModel } from "./deployments/model-names.js";
import { SANDBOX } from "./deployments/provider-entries.js";
import { modelEntries } from "./models/models.js";
import { effortsOf } from "./models/reasoning.js";

export interface ModelRow {
  readonly id: string;
  readonly maker: string | null;
  /** A day, a month or a year. */
  readonly released: string | null;
  /** Day of its retirement, past or to come; null when none is known. */
  readonly retirement: string | null;
  /** Providers that serve it today, makers first. */
  readonly providers: readonly { readonly id: string; readonly configured: boolean }[];
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly input: readonly string[] | null;
  readonly tools: boolean | null;
  readonly structuredOutput: boolean | null;
  readonly price: { readonly inputUsdPerMtok: number; readonly outputUsdPerMtok: number } | null;
  /** Efforts that `model:effort` supports besides the default one. */
  readonly efforts: readonly string[];
  /** Those of its efforts that are never chosen, and for each the id of the effort that is no worse and costs no more. */
  readonly dominatedEfforts: Readonly<Record<string, string>>;
  /** Graded answers in the loaded profiles; null without a profile. */
  readonly samples: number | null;
  /** Whether somebody is known to serve it today. */
  readonly live: boolean;
  /** Why routing does not choose it; null when it can. */
  readonly whyNot: string | null;
  /** Source and date of the facts. */
  readonly source: string | null;
  readonly asOf: string | null;
}

export interface ProfiledModel {
  readonly model: string;
  readonly samples: number;
}

/**
 * By id.
 *
 * @param dominated efforts that routing never chooses, and what dominates them
 */
export function listModels(
  catalog: Catalog,
  profiles: readonly ProfiledModel[],
  dominated: ReadonlyMap<string, string>,
): readonly ModelRow[] {
  const samples = new Map(profiles.map((profile) => [profile.model, profile.samples]));
  const isOn = catalog.providers().some(({ enabled }) => enabled);
  const ids = new Set([...modelEntries().keys(), ...samples.keys()]);
  return [...ids]
    .sort()
    .map((id) => rowOf(id, { catalog, dominated, samples: samples.get(id) ?? null, isOn }));
}

interface RowOptions {
  readonly catalog: Catalog;
  readonly dominated: ReadonlyMap<string, string>;
  readonly samples: number | null;
  /** Whether any provider is configured. */
  readonly isOn: boolean;
}

function rowOf(id: string, options: RowOptions): ModelRow {
  const { catalog, samples } = options;
  const { entry } = knownModel(id);
  const { price, contextTokens } = catalog.lookup(id);
  const why = catalog.unavailability(id);
  return {
    id,
    maker: entry?.maker ?? null,
    released: entry?.released ?? null,
    retirement: why?.retiredAt ?? retirementToCome(id, catalog),
    providers: providersOf(id, catalog),
    contextTokens,
    maxOutputTokens: entry?.max_output ?? null,
    input: entry?.input ?? null,
    tools: entry?.tools ?? null,
    structuredOutput: entry?.structured_output ?? null,
    price:
      price === null
        ? null
        : { inputUsdPerMtok: price.inputUsdPerMtok, outputUsdPerMtok: price.outputUsdPerMtok },
    efforts: effortsOf(id),
    dominatedEfforts: dominatedOf(id, options),
    samples,
    live: why === null,
    whyNot: whyNot(id, options),
    source: entry?.source ?? null,
    asOf: entry?.as_of ?? null,
  };
}

function providersOf(id: string, catalog: Catalog): ModelRow["providers"] {
  const running = catalog
    .deployments(id)
    .filter(({ retired, provider }) => retired !== true && provider !== SANDBOX);
  const configured = new Map(running.map(({ provider, enabled }) => [provider, enabled]));
  return catalog
    .providers()
    .filter((provider) => configured.has(provider.id))
    .map((provider) => ({ id: provider.id, configured: configured.get(provider.id) === true }));
}

/** The first retirement in the future. */
function retirementToCome(id: string, catalog: Catalog): string | null {
  const days = catalog.deployments(id).flatMap(({ retirement, retired }) => {
    return retirement === undefined || retired === true ? [] : [retirement.from];
  });
  return days.sort()[0] ?? null;
}

function dominatedOf(id: string, { dominated }: RowOptions): ModelRow["dominatedEfforts"] {
  const found = effortsOf(id).flatMap((effort) => {
    const by = dominated.get(`${id}:${effort}`);
    return by === undefined ? [] : [[effort, by] as const];
  });
  return Object.fromEntries(found);
}

function whyNot(id: string, { catalog, dominated, samples, isOn }: RowOptions): string | null {
  const why = catalog.unavailability(id);
  if (why?.reason === "retired") return "retired";
  if (why?.reason === "not_served") return "no provider is known to serve it";
  if (samples === null) return "no profile";
  const better = dominated.get(id);
  if (better !== undefined) return `${better} is no worse and costs no more`;
  return isOn && !catalog.isRunnable(id) ? "no configured provider serves it" : null;
}
