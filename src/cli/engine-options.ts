import type { Command } from "commander";
import type { Catalog } from "../engine/catalog/catalog.js";
import { openCatalog, resolveProviders } from "../engine/index.js";
import { loadSettings, readEnvironment } from "../gateway/index.js";
import type { Settings } from "../gateway/settings/settings.js";
import type { CliContext } from "./context.js";

/** What a command may say of the engine instead of the environment. */
export interface EngineOptions {
  readonly profiles?: readonly string[];
  readonly embedder?: string;
}

export function addEngineOptions(command: Command): Command {
  return command
    .option(
      "--profiles <folders>",
      "profile sets to use, separated by commas; default: SEXTANT_PROFILES",
      parseList,
    )
    .option("--embedder <model>", "embedder to use, a folder or hub id; default: SEXTANT_EMBEDDER");
}

/** The environment with the options in it: they are settings by another way, and win. */
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

/** `a, b` → `["a", "b"]`. */
export const parseList = (list: string): readonly string[] =>
  list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

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
