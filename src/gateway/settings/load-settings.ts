/** Reads settings: what operators set over the environment over `.env` over the settings file over the defaults. */

import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { z } from "zod";
import { shortened } from "../../foundation/bounded-text.js";
import { SettingsError } from "../../foundation/errors.js";
import { merged } from "../../foundation/merge-patch.js";
import { nearestName } from "../../foundation/nearest-name.js";
import { PARSE_ONCE } from "../../foundation/parse-once.js";
import { looksLikeSecret } from "../../foundation/secrets.js";
import { pathText, valueAt } from "../../foundation/value-path.js";
import { parseWrittenJson, withoutByteOrderMark } from "../../foundation/written-json.js";
import {
  FILE_ONLY,
  fileKeyOf,
  SETTING_NAMES,
  type Settings,
  settingsSchema,
  variableOf,
  withAddressesOnly,
} from "../settings.js";
import type { FieldMeta } from "./field.js";

type Environment = Readonly<Record<string, string | undefined>>;

export interface SettingsOptions {
  /** Folder of `.env`, of the default settings file, and of relative paths. */
  readonly workingDirectory: string;
  /** What operators set, in the shape of the settings file. Default: nothing. */
  readonly laid?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Reads the settings file, `.env` and the environment, and checks them. They must also be right without what operators laid
 * over them, since a start reads them first; of a value that is wrong only in that, it is said that it was set in the console.
 *
 * @throws SettingsError on an unreadable file, an unknown key or `SEXTANT_…` variable, a bad value, `auth` off beyond
 *   loopback, or ClickHouse without its address
 */
export function loadSettings(environment: Environment, options: SettingsOptions): Settings {
  if (options.laid !== undefined) checkedSettings(environment, { ...options, laid: undefined });
  return checkedSettings(environment, options);
}

function checkedSettings(environment: Environment, options: SettingsOptions): Settings {
  const { workingDirectory } = options;
  const variables = readEnvironment(environment, options);
  const { values, sources } = collectValues(variables, options);
  const parsed = settingsSchema.safeParse(values, PARSE_ONCE);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new SettingsError(
      issue === undefined ? "The settings are not valid." : describe(issue, values, sources),
    );
  }
  const settings = absolutePaths(parsed.data, workingDirectory);
  refuseUnknownVariables(variables, settings);
  if (settings.auth === "off" && !isLoopback(settings.host)) {
    throw new SettingsError(
      `${sources.get("auth") ?? "auth"} is "off" while ${sources.get("host") ?? "host"} is "${settings.host}": ` +
        "requests without a key are accepted on loopback only. Switch authentication on, or listen on 127.0.0.1.",
    );
  }
  if (settings.traceStore === "clickhouse" && settings.clickhouseUrl === undefined) {
    throw new SettingsError(
      `${sources.get("traceStore") ?? "trace_store"} is "clickhouse", but no server is named. ` +
        "Set SEXTANT_CLICKHOUSE_URL, or use the store duckdb.",
    );
  }
  refuseUnknownPresets(settings, sources);
  refuseUnsetWebhooks(settings, { variables, sources });
  return settings;
}

/** An alert that reaches no one would be missed only when it is needed. */
function refuseUnsetWebhooks(
  { alerts }: Pick<Settings, "alerts">,
  { variables, sources }: Pick<Collected, "sources"> & { readonly variables: Environment },
): void {
  for (const [at, webhook] of alerts.webhooks.entries()) {
    for (const field of ["url_env", "secret_env"] as const) {
      const variable = webhook[field];
      if (variable === undefined) continue;
      const value = variables[variable];
      if (value && (field === "secret_env" || (/^https?:/i.test(value) && URL.canParse(value)))) continue;
      throw new SettingsError(
        `\`alerts.webhooks[${at}].${field}\` (${sources.get("alerts")}) is ${shown(variable)}, but that variable is ${value ? "no http or https URL" : "not set"}. Set it, or remove the webhook.`,
      );
    }
  }
}

function refuseUnknownPresets(
  { agentRules, budgets, presets }: Pick<Settings, "agentRules" | "budgets" | "presets">,
  sources: Collected["sources"],
): void {
  for (const [at, { use }] of agentRules.entries()) {
    const [, name = "0"] = /^auto:(.*)$/i.exec(use) ?? [];
    if (!Number.isNaN(Number(name)) || presets.some((each) => each.name.toLowerCase() === name.toLowerCase()))
      continue;
    throw new SettingsError(
      `\`agent_rules[${at}].use\` (${sources.get("agentRules")}) is ${shown(use)}, but \`presets\` has no preset of that name. Add it, or name one of them.`,
    );
  }
  for (const [at, { at_limit: instead }] of budgets.entries()) {
    if (instead === undefined || presets.some(({ name }) => name === instead.preset)) continue;
    throw new SettingsError(
      `\`budgets[${at}].at_limit.preset\` (${sources.get("budgets")}) is ${shown(instead.preset)}, but \`presets\` has no preset of that name. Add it, or name one of them.`,
    );
  }
}

/** Where a value comes from. */
type SettingOrigin = "console" | "environment" | "file" | "default";

/** Asked for a path of the settings file, such as `alerts.rules.budget`. */
export type SourceOf = (path: string) => SettingOrigin;

/** @throws SettingsError when the settings file cannot be read */
export function sourcesOf(environment: Environment, options: SettingsOptions): SourceOf {
  const variables = readEnvironment(environment, options);
  const { values } = collectValues(variables, { ...options, laid: undefined });
  return (path) => {
    const steps = path.split(".");
    if (valueAt(options.laid, steps) !== undefined) return "console";
    const [key, ...rest] = steps;
    const setting = SETTING_NAMES.find((name) => fileKeyOf(name) === key) ?? "";
    const variable = variableOf(setting);
    if (variable !== undefined && variables[variable]) return "environment";
    return valueAt(values, [setting, ...rest]) === undefined ? "default" : "file";
  };
}

/** Names of webhooks that are left out of what operators set. @throws SettingsError when the settings file cannot be read */
export const unaddressedIn = (environment: Environment, options: SettingsOptions): readonly string[] =>
  collectValues(readEnvironment(environment, options), options).unaddressed;

/** The environment over `.env`: all variables that settings, and the keys of providers, may come from. */
export function readEnvironment(
  environment: Environment,
  { workingDirectory }: SettingsOptions,
): Environment {
  const defined = Object.entries(environment).filter(([, value]) => value !== undefined);
  return { ...readDotEnv(workingDirectory), ...Object.fromEntries(defined) };
}

/** Read by the client library, which may run with the same environment. */
const CLIENT_VARIABLES = ["SEXTANT_API_KEY", "SEXTANT_BASE_URL"];

/**
 * A variable that starts with `SEXTANT_` and that nothing reads is a spelling mistake: a misspelt SEXTANT_TRACE_CONTENT
 * would keep what must not be kept.
 */
function refuseUnknownVariables(
  variables: Environment,
  { providers, alerts }: Pick<Settings, "providers" | "alerts">,
): void {
  const settings = [...SETTING_NAMES.flatMap((name) => variableOf(name) ?? []), "SEXTANT_CONFIG"];
  const keys = providers
    .flatMap((provider) => [provider, ...(provider.keys ?? [])])
    .map(({ api_key_env: variable }) => variable);
  const webhooks = alerts.webhooks.flatMap(({ url_env: url, secret_env: secret }) => [url, secret]);
  const known = new Set([...settings, ...keys, ...webhooks, ...CLIENT_VARIABLES]);
  const unknown = Object.keys(variables).find((name) => name.startsWith("SEXTANT_") && !known.has(name));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, settings);
  const hint = nearest === undefined ? "docs/settings.md lists all of them." : `Did you mean ${nearest}?`;
  throw new SettingsError(
    `${shortened(unknown)} is not a setting. ${hint} Otherwise unset it, or give it a name without SEXTANT_.`,
  );
}

/** True for 127.0.0.0/8, ::1 and localhost. */
export function isLoopback(host: string): boolean {
  if (host === "localhost" || host === "::1") return true;
  return isIP(host) === 4 && host.startsWith("127.");
}

/** In messages about what operators laid over the settings file. */
export const SET_IN_CONSOLE = "set in the console";

interface Collected {
  readonly values: Record<string, unknown>;
  /** Setting → where its value came from, in the words of a message. */
  readonly sources: ReadonlyMap<string, string>;
  /** Webhooks that operators set and that are left out, since neither they nor the settings file have an address. */
  readonly unaddressed: readonly string[];
}

function collectValues(variables: Environment, { workingDirectory, laid = {} }: SettingsOptions): Collected {
  const values: Record<string, unknown> = {};
  const sources = new Map<string, string>();
  const unaddressed: string[] = [];
  const file = readSettingsFile(variables.SEXTANT_CONFIG, workingDirectory);
  for (const [key, value] of Object.entries(file.content)) {
    const setting = SETTING_NAMES.find((name) => fileKeyOf(name) === key);
    if (setting === undefined) throw unknownKey(key, SETTING_NAMES.map(fileKeyOf), file.path);
    values[setting] = value;
    sources.set(setting, `\`${key}\` in ${file.path}`);
  }
  for (const setting of SETTING_NAMES) {
    const variable = variableOf(setting);
    const value = variable === undefined ? undefined : variables[variable];
    if (variable === undefined || value === undefined || value === "") continue;
    values[setting] = value;
    sources.set(setting, variable);
  }
  for (const setting of SETTING_NAMES) {
    const key = fileKeyOf(setting);
    if (laid[key] === undefined) continue;
    const over = withAddressesOnly(laid[key], values[setting]);
    values[setting] = merged(values[setting], over.alerts);
    unaddressed.push(...over.unaddressed);
    sources.set(setting, `\`${key}\` ${SET_IN_CONSOLE}`);
  }
  return { values, sources, unaddressed };
}

function readSettingsFile(configured: string | undefined, workingDirectory: string) {
  const named = configured !== undefined && configured !== "";
  const path = resolve(workingDirectory, named ? configured : "sextant.config.json");
  if (!existsSync(path)) {
    if (!named) return { path, content: {} };
    throw new SettingsError(
      `SEXTANT_CONFIG is "${configured}", but ${path} does not exist. Create it, or unset the variable.`,
    );
  }
  const refusal = (detail: string) =>
    new SettingsError(`${path} cannot be read as JSON (${detail}). Correct it.`);
  const content = parseWrittenJson(() => readFileSync(path, "utf8"), refusal);
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new SettingsError(`${path} must hold one JSON object of settings.`);
  }
  return { path, content };
}

function readDotEnv(workingDirectory: string): Environment {
  const path = join(workingDirectory, ".env");
  return existsSync(path) ? parseEnv(withoutByteOrderMark(readFileSync(path, "utf8"))) : {};
}

function unknownKey(key: string, known: readonly string[], where: string): SettingsError {
  const nearest = nearestName(key, known);
  const remedy = nearest === undefined ? `Known keys: ${known.join(", ")}.` : `Did you mean \`${nearest}\`?`;
  return new SettingsError(`\`${shortened(key)}\` in ${where} is not a setting. ${remedy}`);
}

/**
 * Settings given in code, under their own names; those that are absent have their defaults.
 *
 * @param known names of those that may be given
 * @throws SettingsError on another name or a bad value
 */
export function settingsOf(given: Readonly<Record<string, unknown>>, known: readonly string[]): Settings {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw unknownKey(unknown, known, "the options");
  const parsed = settingsSchema.safeParse(given, PARSE_ONCE);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const sources = new Map(known.map((name) => [name, `The option \`${name}\``]));
  throw new SettingsError(
    issue === undefined ? "The options are not valid." : describe(issue, given, sources),
  );
}

type Issue = z.core.$ZodIssue;

function describe(
  issue: Issue,
  values: Readonly<Record<string, unknown>>,
  sources: ReadonlyMap<string, string>,
): string {
  const setting = String(issue.path[0] ?? "");
  const where = sources.get(setting) ?? fileKeyOf(setting);
  if (issue.code === "unrecognized_keys") {
    const path = filePathText(issue.path);
    const known = namesAt(settingsSchema, issue.path);
    return unknownKey(issue.keys[0] ?? "", known, `\`${path}\` (${where})`).message;
  }
  const schema = settingsSchema.shape[setting as keyof typeof settingsSchema.shape];
  const meta = schema?.meta() as (FieldMeta & { description: string }) | undefined;
  if (issue.path.length > 1 && FILE_ONLY.includes(setting)) {
    return `\`${filePathText(issue.path)}\` (${where}) is ${shown(valueAt(values, issue.path), issue.path)}: ${issue.message}. Correct it.`;
  }
  const value = meta?.secret === true ? NOT_SHOWN : shown(values[setting], [setting]);
  return `${where} is ${value}: it must be ${meta?.expects ?? "valid"}. Correct it, or remove it to use the default.`;
}

const filePathText = ([setting = "", ...rest]: readonly PropertyKey[]): string =>
  pathText([fileKeyOf(String(setting)), ...rest]);

const NOT_SHOWN = "set to a value that cannot be used";

/** Fields that hold secrets, or by mistake may: those that name variables. */
const isSecret = (field: PropertyKey): boolean => /^(?:url|headers)$|_env$/.test(String(field));

/** @param path of the value, by which it may be a secret: in alerts, an address may stand anywhere by mistake */
function shown(value: unknown, path: readonly PropertyKey[] = []): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value, (field, one) => (isSecret(field) ? "…" : one));
  const isOfAlerts = path[0] === "alerts" && !["number", "boolean"].includes(typeof value);
  return isOfAlerts || path.some(isSecret) || looksLikeSecret(text) ? NOT_SHOWN : shortened(text);
}

/** Names of members of the object at a path below a schema. */
function namesAt(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  const [step, ...rest] = path;
  if (schema instanceof z.ZodObject)
    return step === undefined ? Object.keys(schema.shape) : namesAt(schema.shape[String(step)], rest);
  if (schema instanceof z.ZodArray) return namesAt(schema.element, rest);
  if (schema instanceof z.ZodRecord) return namesAt(schema.valueType, rest);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => namesAt(option, path));
  return schema instanceof z.ZodType && "unwrap" in schema
    ? namesAt((schema as z.ZodOptional).unwrap(), path)
    : [];
}

function absolutePaths(settings: z.infer<typeof settingsSchema>, workingDirectory: string): Settings {
  const { jwtJwks } = settings;
  const absolute = (folder: string) => resolve(workingDirectory, folder);
  const isFile = jwtJwks !== undefined && !/^https?:\/\//i.test(jwtJwks);
  return {
    ...settings,
    ...(isFile ? { jwtJwks: resolve(workingDirectory, jwtJwks) } : {}),
    dataDir: resolve(workingDirectory, settings.dataDir),
    profiles: settings.profiles.map(absolute),
  };
}
