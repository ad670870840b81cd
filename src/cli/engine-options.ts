import type { Catalog } from "../engine/catalog/catalog.js";
import { openCatalog, resolveProviders } from "../engine/index.js";
import { loadSettings, readEnvironment } from "../gateway/index.js";
import type { Settings } from "../gateway/settings.js";
import { type OptionsOf, option } from "./command.js";
import type { CliContext } from "./context.js";
import { EMBEDDER_OPTION, list } from "./options.js";

/** What a command may be told of the engine instead of the environment. */
export const ENGINE_OPTIONS = {
  profiles: option("<folders>", "profile sets, separated by commas; default: SEXTANT_PROFILES", list),
  ...EMBEDDER_OPTION,
};

type EngineOptions = OptionsOf<typeof ENGINE_OPTIONS>;

/** The environment with the options in it: they are settings by another way, and take precedence. */
export function environmentWith(
  { profiles, embedder }: EngineOptions,
  { environment }: CliContext,
): CliContext["environment"] {
  return {
    ...environment,
    ...(profiles === undefined ? {} : { SEXTANT_PROFILES: profiles.join(",") }),
    ...(embedder === undefined ? {} : { SEXTANT_EMBEDDER: embedder }),
  };
}

/** The settings of a command, and the models and providers of its environment, `.env` included. */
export function engineCatalog(
  options: EngineOptions,
  context: CliContext,
): { readonly settings: Settings; readonly catalog: Catalog } {
  const environment = readEnvironment(environmentWith(options, context), context);
  const settings = loadSettings(environment, context);
  const providers = resolveProviders(settings, environment);
  const at = new Date(context.now());
  return { settings, catalog: openCatalog(settings, { at, providers, now: context.now }) };
}
