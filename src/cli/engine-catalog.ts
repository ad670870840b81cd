import type { Catalog } from "../engine/catalog/catalog.js";
import { createCatalog, resolveProviders } from "../engine/index.js";
import { loadSettings, readEnvironment } from "../gateway/index.js";
import type { Settings } from "../gateway/settings/settings.js";
import type { CliContext } from "./context.js";
import { type EngineOptions, environmentWith } from "./engine-options.js";

/** The settings of a command, and the models and providers of its environment, `.env` included. */
export function engineCatalog(
  options: EngineOptions,
  context: CliContext,
): { readonly settings: Settings; readonly catalog: Catalog } {
  const environment = readEnvironment(environmentWith(options, context), context);
  const settings = loadSettings(environment, context);
  const providers = resolveProviders(settings, environment);
  const at = new Date(context.now());
  return { settings, catalog: createCatalog(settings, { at, providers, now: context.now }) };
}
