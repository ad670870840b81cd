/**
 * Every setting, once: the schema below is the validation, the defaults and the text of docs/settings.md.
 *
 * A setting `dataDir` is written `data_dir` in the settings file and `SEXTANT_DATA_DIR` in the environment.
 * The environment wins over `.env`, and `.env` wins over the file. Lists of objects come from the file only.
 */
import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { z } from "zod";
import { nearestName } from "./nearest-name.js";

/** Settings that cannot be used. The message names the variable or key, its value and the remedy. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** Folder that holds package.json, models/ and profiles/, wherever the process was started. */
const PACKAGE_ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Texts become numbers where they can, so that one schema reads both the environment and the file. */
const numberFromText = (schema: z.ZodType<number>) =>
  z.preprocess((value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value), schema);

const listFromText = z.preprocess(
  (value) => (typeof value === "string" ? value.split(",").map((item) => item.trim()) : value),
  z.array(z.string().min(1)).min(1),
);

const usdPerMtok = z.number().min(0);
const priceSchema = z.strictObject({
  input_usd_per_mtok: usdPerMtok.describe("US dollars per million prompt tokens."),
  cached_input_usd_per_mtok: usdPerMtok
    .optional()
    .describe("US dollars per million prompt tokens read from the provider's cache."),
  output_usd_per_mtok: usdPerMtok.describe("US dollars per million completion tokens."),
});

const providerModelSchema = z.strictObject({
  id: z.string().min(1).describe("Model id that requests and profiles use."),
  upstream_model: z
    .string()
    .min(1)
    .optional()
    .describe("Name the provider knows the model by; default `id`."),
  price: priceSchema
    .optional()
    .describe("What this provider bills; without it the public price list is asked."),
  context_tokens: z
    .int()
    .positive()
    .optional()
    .describe("Context window in tokens, prompt and answer together."),
});

const providerSchema = z.strictObject({
  id: z.string().min(1).describe("Name of the provider in decisions and requests."),
  type: z
    .enum(["openai-compatible", "anthropic"])
    .describe("Wire dialect: `openai-compatible` or `anthropic`."),
  base_url: z
    .url({ protocol: /^https?$/ })
    .describe("Where its API lives, such as `http://localhost:8000/v1`."),
  api_key_env: z
    .string()
    .min(1)
    .optional()
    .describe("Environment variable that holds its key; none when it needs no key."),
  models: z.array(providerModelSchema).default([]).describe("Models it serves."),
});

const deploymentSchema = z.strictObject({
  name: z.string().min(1).describe("Name that requests use like a model id."),
  provider: z.string().min(1).describe("Id of the provider that runs it."),
  upstream_model: z.string().min(1).optional().describe("Name the provider knows it by; default `name`."),
  price: priceSchema
    .optional()
    .describe("What it costs; without it the price of `profile` at that provider."),
  context_tokens: z
    .int()
    .positive()
    .optional()
    .describe("Context window in tokens; default that of `profile`."),
  profile: z
    .string()
    .min(1)
    .optional()
    .describe("Model whose profile, context window and capabilities it shares; default `name`."),
});

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** What a bad value is told: the words after "it must be". */
interface FieldMeta {
  readonly expects: string;
  readonly secret?: true;
}

const field = <Schema extends z.ZodType>(schema: Schema, description: string, meta: FieldMeta): Schema =>
  schema.meta({ description, ...meta }) as Schema;

export const settingsSchema = z.strictObject({
  host: field(
    z.string().min(1).default("127.0.0.1"),
    "Address to listen on. `0.0.0.0` for every interface of the machine.",
    { expects: "an IP address or host name, such as 127.0.0.1" },
  ),
  port: field(
    numberFromText(z.int().min(0).max(65_535)).default(8080),
    "Port to listen on. 0 picks any free one; the line `sextant listening on …` says which.",
    { expects: "a whole number from 0 to 65535" },
  ),
  dataDir: field(
    z.string().min(1).default("./data"),
    "Folder for API keys. Nothing is written elsewhere. A relative path starts at the working directory.",
    { expects: "a folder path" },
  ),
  bootstrapApiKey: field(
    z
      .string()
      .regex(/^pk_live_[0-9A-Za-z]{32,}$/)
      .optional(),
    "A key that exists as an admin key from the start, for containers and tests. It is never written to disk. " +
      "Without it, and with no key yet, one is made and printed once.",
    { expects: "`pk_live_` followed by at least 32 letters and digits", secret: true },
  ),
  auth: field(
    z.enum(["on", "off"]).default("on"),
    "Whether `/v1` asks for an API key. `off` is accepted only while `host` is a loopback address.",
    { expects: "`on` or `off`" },
  ),
  embedder: field(
    z.string().min(1).optional(),
    "Model that turns text into vectors: a Hugging Face hub id or a folder. Default: the one that ships with Sextant.",
    { expects: "a hub id such as `sentence-transformers/all-MiniLM-L6-v2`, or a folder" },
  ),
  profiles: field(
    listFromText.default([join(PACKAGE_ROOT, "profiles")]),
    "Profile sets, or folders of profile sets, that say what each model is good at, separated by commas. " +
      "Default: those that ship with Sextant.",
    { expects: "one or more folders" },
  ),
  maxBodyBytes: field(
    numberFromText(z.int().min(1024).max(1_073_741_824)).default(4_194_304),
    "Largest request body in bytes. A larger one is answered with 413.",
    { expects: "a whole number from 1024 to 1073741824" },
  ),
  maxMessages: field(
    numberFromText(z.int().min(1).max(1_000_000)).default(2048),
    "Most messages in one request. More are answered with 400.",
    { expects: "a whole number from 1 to 1000000" },
  ),
  shutdownGraceMs: field(
    numberFromText(z.int().min(0).max(3_600_000)).default(10_000),
    "How long a stopping server waits for requests in flight, in milliseconds, before it cuts them off.",
    { expects: "a whole number from 0 to 3600000" },
  ),
  logLevel: field(
    z.enum(LOG_LEVELS).default("info"),
    "Least severe log lines to write, to standard error: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or " +
      "`silent`. Requests are logged one by one from `debug` on. Prompts and keys are never logged.",
    { expects: `one of ${LOG_LEVELS.join(", ")}` },
  ),
  providers: field(
    z.array(providerSchema).default([]),
    "Providers beyond the public ones, with the models they serve and what they bill. File only.",
    { expects: "a list of providers" },
  ),
  deployments: field(
    z.array(deploymentSchema).default([]),
    "Names of your own for models at a provider, with their own price, sharing a model's profile. File only.",
    { expects: "a list of deployments" },
  ),
  prices: field(
    z.record(z.string().min(1), priceSchema).default({}),
    "Prices by model id that replace the public ones. File only.",
    { expects: "an object of model id → price" },
  ),
});

/** Checked settings: every default filled in, every path absolute. Nested entries keep the file's snake_case names. */
export type Settings = Readonly<z.infer<typeof settingsSchema>>;
export type ProviderEntry = z.infer<typeof providerSchema>;
export type DeploymentEntry = z.infer<typeof deploymentSchema>;
export type PriceEntry = z.infer<typeof priceSchema>;

const FILE_ONLY: readonly string[] = ["providers", "deployments", "prices"];
const SETTING_NAMES = Object.keys(settingsSchema.shape);

/** `dataDir` → `data_dir`: the name in the settings file. */
export const fileKeyOf = (setting: string): string =>
  setting.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `dataDir` → `SEXTANT_DATA_DIR`; undefined for settings that only the file can hold. */
export const variableOf = (setting: string): string | undefined =>
  FILE_ONLY.includes(setting) ? undefined : `SEXTANT_${fileKeyOf(setting).toUpperCase()}`;

type Environment = Readonly<Record<string, string | undefined>>;

export interface LoadOptions {
  /** Folder of `.env`, of the default settings file, and of relative paths. */
  readonly workingDirectory: string;
}

/**
 * Reads the settings file, `.env` and the environment, and checks them.
 *
 * @throws SettingsError on an unreadable file, an unknown key, a bad value, or `auth` off beyond loopback
 */
export function loadSettings(environment: Environment, { workingDirectory }: LoadOptions): Settings {
  const variables = { ...readDotEnv(workingDirectory), ...definedOnly(environment) };
  const { values, sources } = collectValues(variables, workingDirectory);
  const parsed = settingsSchema.safeParse(values);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new SettingsError(
      issue === undefined ? "The settings are not valid." : describe(issue, values, sources),
    );
  }
  const settings = absolutePaths(parsed.data, workingDirectory);
  if (settings.auth === "off" && !isLoopback(settings.host)) {
    throw new SettingsError(
      `${sources.get("auth") ?? "auth"} is "off" while ${sources.get("host") ?? "host"} is "${settings.host}": ` +
        "requests without a key are accepted on loopback only. Switch authentication on, or listen on 127.0.0.1.",
    );
  }
  return settings;
}

/**
 * Variables that start with `SEXTANT_` and that no setting reads, each with the nearest one that exists: most often a
 * spelling mistake, so `serve` warns of them.
 */
export function unknownVariables(
  environment: Environment,
): readonly { readonly variable: string; readonly nearest: string | undefined }[] {
  const known = [...SETTING_NAMES.flatMap((name) => variableOf(name) ?? []), "SEXTANT_CONFIG"];
  const clientVariables = ["SEXTANT_API_KEY", "SEXTANT_BASE_URL"];
  return Object.keys(environment)
    .filter((name) => name.startsWith("SEXTANT_") && !known.includes(name) && !clientVariables.includes(name))
    .map((variable) => ({ variable, nearest: nearestName(variable, known) }));
}

/** True for 127.0.0.0/8, ::1 and localhost. */
export function isLoopback(host: string): boolean {
  if (host === "localhost" || host === "::1") return true;
  return isIP(host) === 4 && host.startsWith("127.");
}

interface Collected {
  readonly values: Record<string, unknown>;
  /** Setting → where its value came from, in the words of a message. */
  readonly sources: ReadonlyMap<string, string>;
}

function collectValues(variables: Environment, workingDirectory: string): Collected {
  const values: Record<string, unknown> = {};
  const sources = new Map<string, string>();
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
  return { values, sources };
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
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new SettingsError(`${path} cannot be read as JSON (${detail}). Correct it.`, { cause });
  }
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new SettingsError(`${path} must hold one JSON object of settings.`);
  }
  return { path, content };
}

function readDotEnv(workingDirectory: string): Environment {
  const path = join(workingDirectory, ".env");
  return existsSync(path) ? parseEnv(readFileSync(path, "utf8")) : {};
}

function definedOnly(environment: Environment): Record<string, string> {
  const defined: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) defined[name] = value;
  return defined;
}

function unknownKey(key: string, known: readonly string[], where: string): SettingsError {
  const nearest = nearestName(key, known);
  const remedy = nearest === undefined ? `Known keys: ${known.join(", ")}.` : `Did you mean \`${nearest}\`?`;
  return new SettingsError(`\`${key}\` in ${where} is not a setting. ${remedy}`);
}

type Issue = z.core.$ZodIssue;

function describe(
  issue: Issue,
  values: Record<string, unknown>,
  sources: ReadonlyMap<string, string>,
): string {
  const setting = String(issue.path[0] ?? "");
  const where = sources.get(setting) ?? fileKeyOf(setting);
  if (issue.code === "unrecognized_keys") {
    const path = pathText(issue.path);
    const known = knownKeysAt(issue.path);
    return unknownKey(issue.keys[0] ?? "", known, `\`${path}\` (${where})`).message;
  }
  const schema = settingsSchema.shape[setting as keyof typeof settingsSchema.shape];
  const meta = schema?.meta() as (FieldMeta & { description: string }) | undefined;
  if (issue.path.length > 1 && FILE_ONLY.includes(setting)) {
    return `\`${pathText(issue.path)}\` (${where}) is ${shown(valueAt(values, issue.path))}: ${issue.message}. Correct it.`;
  }
  const value = meta?.secret === true ? "set to a value that cannot be used" : shown(values[setting]);
  return `${where} is ${value}: it must be ${meta?.expects ?? "valid"}. Correct it, or remove it to use the default.`;
}

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    return text === "" ? fileKeyOf(String(step)) : `${text}.${String(step)}`;
  }, "");
}

/** Keys of the nested object an unknown key was found in. */
function knownKeysAt(path: readonly PropertyKey[]): readonly string[] {
  if (path.at(-1) === "price" || path[0] === "prices") return Object.keys(priceSchema.shape);
  if (path[0] === "deployments") return Object.keys(deploymentSchema.shape);
  return Object.keys(path.includes("models") ? providerModelSchema.shape : providerSchema.shape);
}

function absolutePaths(settings: z.infer<typeof settingsSchema>, workingDirectory: string): Settings {
  return {
    ...settings,
    dataDir: resolve(workingDirectory, settings.dataDir),
    profiles: settings.profiles.map((folder) => resolve(workingDirectory, folder)),
  };
}
