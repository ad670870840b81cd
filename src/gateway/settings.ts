/**
 * Every setting, once: the schemas in the `settings.ts` of the folders are the validation, the defaults and the text of docs/settings.md.
 *
 * A setting `dataDir` is written `data_dir` in the settings file and `SEXTANT_DATA_DIR` in the environment.
 * The environment wins over `.env`, and `.env` wins over the file. Lists of objects come from the file only.
 */
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../foundation/package.js";
import { accessSettings } from "./access/settings.js";
import { agentRulesSettings } from "./features/agent-rules/settings.js";
import { alertsSettings } from "./features/alerts/settings.js";
import { type comparisonSchema, comparisonsSettings } from "./features/comparisons/settings.js";
import { consoleSettings } from "./features/console/settings.js";
import { type presetSchema, routingSettings } from "./features/routing/settings.js";
import { serverSettings } from "./http/settings.js";
import { providersSettings } from "./providers/settings.js";
import { inferenceSettings } from "./run/settings.js";
import { type redactionSchema, tracesSettings } from "./traces/settings.js";

export { withAddressesOnly } from "./features/alerts/settings.js";

/** Folder of the console's page, as the build leaves it. */
export const CONSOLE_PAGE = join(PACKAGE_ROOT, "dist", "console");

/** Settings by what they are about, in the order of docs/settings.md. */
export const SETTING_AREAS = [
  { title: "Server", settings: serverSettings },
  { title: "Routing", settings: routingSettings },
  { title: "Coding agents", settings: agentRulesSettings },
  { title: "Providers and prices", settings: providersSettings },
  { title: "Running requests", settings: inferenceSettings },
  { title: "Access and limits", settings: accessSettings },
  { title: "Alerts", settings: alertsSettings },
  { title: "Comparisons", settings: comparisonsSettings },
  { title: "Console", settings: consoleSettings },
  { title: "Traces", settings: tracesSettings },
] as const;

export const settingsSchema = z.strictObject({
  ...serverSettings,
  ...routingSettings,
  ...agentRulesSettings,
  ...providersSettings,
  ...inferenceSettings,
  ...accessSettings,
  ...alertsSettings,
  ...comparisonsSettings,
  ...consoleSettings,
  ...tracesSettings,
});

/** Checked settings: every default filled in, every path absolute. Nested entries keep the file's snake_case names. */
export type Settings = Readonly<z.infer<typeof settingsSchema>>;
export type ComparisonEntry = z.infer<typeof comparisonSchema>;
export type PresetEntry = z.infer<typeof presetSchema>;
export type RedactionEntry = z.infer<typeof redactionSchema>;

export const FILE_ONLY: readonly string[] = [
  "presets",
  "agentRules",
  "budgets",
  "comparisons",
  "alerts",
  "traceRedact",
  "providers",
  "deployments",
  "fallbacks",
  "prices",
  "modelLimits",
  "providerPolicies",
];
export const SETTING_NAMES = Object.keys(settingsSchema.shape);

/** `dataDir` → `data_dir`: the name in the settings file. */
export const fileKeyOf = (setting: string): string =>
  setting.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `dataDir` → `SEXTANT_DATA_DIR`; undefined for settings that only the file can hold. */
export const variableOf = (setting: string): string | undefined =>
  FILE_ONLY.includes(setting) ? undefined : `SEXTANT_${fileKeyOf(setting).toUpperCase()}`;
