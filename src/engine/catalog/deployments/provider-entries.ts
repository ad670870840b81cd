/** Determines the providers and which of them are enabled, from the settings and the environment. */
import { SettingsError } from "../../../foundation/errors.js";
import { nearestName } from "../../../foundation/nearest-name.js";
import type { CatalogSettings, ProviderKeyListing, ProviderListing, ProviderModelEntry } from "../entries.js";
import {
  PUBLIC_PROVIDER_NAMES,
  PUBLIC_PROVIDERS,
  type PublicProvider,
  publicProvider,
} from "../providers/public-providers.js";
import type { CatalogProvider } from "./deployment.js";
import { LOCAL_EMBEDDER } from "./local-embedder.js";

/** One of several keys of a provider. The key does not show when it is printed or made into JSON. */
interface ProviderKeyEntry extends Readonly<Omit<ProviderKeyListing, "name" | "base_url">> {
  readonly name: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Undefined when its variable is not set. */
  readonly apiKey: string | undefined;
}

/** A provider with everything its adapter needs. The key does not show when the entry is printed or made into JSON. */
export interface ProviderEntry extends CatalogProvider {
  /** Without a trailing slash; null when it is not known, and for `sandbox`. */
  readonly baseUrl: string | null;
  /** Undefined when none is set, or none is needed. */
  readonly apiKey: string | undefined;
  /** Those of the settings' `keys`, whether they are set or not; undefined for a provider with one key or none. */
  readonly keys: readonly ProviderKeyEntry[] | undefined;
  /** Id of the public provider whose quirks its API shares; undefined: determined by the address. */
  readonly like: string | undefined;
  /** Version of the API to ask for, where it has several. */
  readonly apiVersion: string | undefined;
  /** Models that the settings list for it. */
  readonly models: readonly ProviderModelEntry[];
  /** True for an entry of the settings. */
  readonly configured: boolean;
}

export const SANDBOX = "sandbox";

type Environment = Readonly<Record<string, string | undefined>>;
export type ProviderSettings = Pick<CatalogSettings, "providers" | "deployments"> & {
  readonly sandbox: boolean;
};

/**
 * All providers: those of the settings in their order, the public ones, and `sandbox` when it is switched on. An entry of
 * the settings with a public provider's id takes its place.
 *
 * A provider is enabled when its address is known and its key is there, or it needs none. An entry of the settings whose
 * `api_key_env` is not set is not enabled; one without `api_key_env` needs no key, and uses the public provider's variable
 * when it stands for one.
 *
 * @param environment with `.env` read into it
 * @throws SettingsError on an address that cannot be used, an unknown `like`, a reserved id, and a deployment at a
 * provider that does not exist
 */
export function resolveProviders(
  settings: ProviderSettings,
  environment: Environment,
): readonly ProviderEntry[] {
  settings.providers.forEach(checkId);
  const own = settings.providers.map((entry, index) => configuredEntry(entry, { index, environment }));
  const taken = new Set(own.map(({ id }) => id));
  const others = PUBLIC_PROVIDERS.filter(({ id }) => !taken.has(id)).map((provider) =>
    publicEntry(provider, environment),
  );
  const all = [...own, ...others, ...(settings.sandbox ? [sandboxEntry()] : [])];
  checkDeployments(settings, all);
  return all;
}

interface EntryFields extends Omit<ProviderEntry, "apiKey" | "keys" | "enabled" | "remedy"> {
  readonly keys?: ProviderEntry["keys"];
  /** Required variables, each with whether it is set. */
  readonly needs: readonly { readonly variable: string; readonly met: boolean }[];
}

/** Holds the key in a private field with an accessor: neither is a property that could be listed, copied or printed. */
class Entry implements ProviderEntry {
  readonly id: string;
  readonly type: CatalogProvider["type"];
  readonly enabled: boolean;
  readonly remedy: string;
  readonly enabledBy: string | undefined;
  readonly baseUrl: string | null;
  readonly like: string | undefined;
  readonly apiVersion: string | undefined;
  readonly models: readonly ProviderModelEntry[];
  readonly configured: boolean;
  readonly keys: ProviderEntry["keys"];
  readonly #apiKey: string | undefined;

  constructor(fields: EntryFields, apiKey: string | undefined) {
    this.id = fields.id;
    this.type = fields.type;
    this.enabled = fields.needs.every(({ met }) => met);
    const open = fields.needs.filter(({ met }) => !met);
    const variables = (open.length === 0 ? fields.needs : open).map(({ variable }) => variable);
    this.remedy = variables.length === 0 ? "" : `set ${variables.join(" and ")}`;
    this.enabledBy = this.enabled ? fields.enabledBy : undefined;
    this.baseUrl = fields.baseUrl;
    this.like = fields.like;
    this.apiVersion = fields.apiVersion;
    this.models = fields.models;
    this.configured = fields.configured;
    this.keys = fields.keys;
    this.#apiKey = apiKey;
  }

  get apiKey(): string | undefined {
    return this.#apiKey;
  }
}

function publicEntry(provider: PublicProvider, environment: Environment): ProviderEntry {
  const address = firstSet(provider.baseUrlVariables, environment);
  const key = firstSet(provider.keyVariables, environment);
  const baseUrl = address === undefined ? provider.baseUrl : addressIn(address, provider);
  return new Entry(
    {
      id: provider.id,
      type: provider.type,
      baseUrl,
      like: provider.id,
      apiVersion: firstSet(provider.versionVariables, environment)?.value,
      models: [],
      configured: false,
      enabledBy: enablingVariables(provider, { key, address }),
      needs: [
        ...(provider.needsKey ? [{ variable: provider.keyVariables[0] ?? "", met: key !== undefined }] : []),
        ...(provider.baseUrl === null
          ? [{ variable: provider.baseUrlVariables[0] ?? "", met: baseUrl !== null }]
          : []),
      ],
    },
    key?.value,
  );
}

/** The key's; for a server that needs none the address's, with the key's beside it when it is set. */
function enablingVariables(
  { needsKey }: PublicProvider,
  { key, address }: { readonly key: SetVariable | undefined; readonly address: SetVariable | undefined },
): string | undefined {
  if (needsKey) return (key ?? address)?.variable;
  const set = [address, key].flatMap((variable) => variable?.variable ?? []);
  return set.length === 0 ? undefined : set.join(" and ");
}

function addressIn({ variable, value }: SetVariable, { defaultPath }: PublicProvider): string {
  const text = variable === "OLLAMA_HOST" ? ollamaAddress(value) : value;
  return checkedBaseUrl(text, { from: variable, defaultPath });
}

interface ConfiguredOptions {
  readonly index: number;
  readonly environment: Environment;
}

function configuredEntry(entry: ProviderListing, { index, environment }: ConfiguredOptions): ProviderEntry {
  const stands = publicProvider(entry.id);
  const like = entry.like === undefined ? stands : likeOf(entry.like, entry.id);
  const listed = listedVariables(entry, index);
  const key = firstSet(listed ?? stands?.keyVariables ?? [], environment);
  const baseUrl = checkedBaseUrl(entry.base_url, { from: `\`providers[${index}].base_url\`` });
  return new Entry(
    {
      id: entry.id,
      type: entry.type,
      baseUrl,
      keys: entry.keys?.map((one, at) =>
        keyEntry(one, { where: `providers[${index}].keys[${at}]`, baseUrl, environment }),
      ),
      like: like?.id,
      apiVersion: firstSet(like?.versionVariables ?? [], environment)?.value,
      models: entry.models,
      configured: true,
      enabledBy: entry.keys === undefined ? key?.variable : listed?.join(" and "),
      needs: listed === undefined ? [] : [{ variable: listed.join(" or "), met: key !== undefined }],
    },
    key?.value,
  );
}

/** The variables of an entry's key or keys, one of which has to be set; undefined when it names none. */
function listedVariables(entry: ProviderListing, index: number): readonly string[] | undefined {
  const { keys, api_key_env: single } = entry;
  if (keys === undefined) return single === undefined ? undefined : [single];
  const where = `\`providers[${index}]\` (${JSON.stringify(entry.id)})`;
  if (single !== undefined) {
    throw new SettingsError(`${where} has both \`api_key_env\` and \`keys\`: leave out \`api_key_env\`.`);
  }
  const names = keys.map(({ name, api_key_env }) => name ?? api_key_env);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw new SettingsError(
      `${where} has two \`keys\` of the name ${JSON.stringify(twice)}: give them a \`name\`.`,
    );
  }
  return keys.map(({ api_key_env }) => api_key_env);
}

interface KeyOptions {
  /** Of the settings, for messages. */
  readonly where: string;
  /** Of the provider. */
  readonly baseUrl: string;
  readonly environment: Environment;
}

function keyEntry(
  { name, base_url: own, ...listing }: ProviderKeyListing,
  { where, baseUrl, environment }: KeyOptions,
): ProviderKeyEntry {
  const key = firstSet([listing.api_key_env], environment);
  const entry = {
    ...listing,
    name: name ?? listing.api_key_env,
    baseUrl: own === undefined ? baseUrl : checkedBaseUrl(own, { from: `\`${where}.base_url\`` }),
    apiKey: key?.value,
  };
  return Object.defineProperty(entry, "apiKey", { enumerable: false });
}

function likeOf(like: string, id: string): PublicProvider {
  const found = publicProvider(like);
  if (found !== undefined) return found;
  const nearest = nearestName(like, PUBLIC_PROVIDER_NAMES);
  throw new SettingsError(
    `\`like\` of the provider ${JSON.stringify(id)} is ${JSON.stringify(like)}, which is no public provider. ` +
      (nearest === undefined
        ? `There are: ${PUBLIC_PROVIDERS.map((provider) => provider.id).join(", ")}.`
        : `Did you mean \`${nearest}\`?`),
  );
}

const sandboxEntry = (): ProviderEntry =>
  new Entry(
    {
      id: SANDBOX,
      type: SANDBOX,
      baseUrl: null,
      like: undefined,
      apiVersion: undefined,
      models: [],
      configured: false,
      enabledBy: "SEXTANT_SANDBOX",
      needs: [{ variable: "SEXTANT_SANDBOX=true", met: true }],
    },
    undefined,
  );

interface SetVariable {
  readonly variable: string;
  readonly value: string;
}

/** The first of the variables that is set; an empty one is not. */
function firstSet(variables: readonly string[], environment: Environment): SetVariable | undefined {
  for (const variable of variables) {
    const value = environment[variable]?.trim() ?? "";
    if (value !== "") return { variable, value };
  }
  return undefined;
}

/** Rejects reserved ids, since `provider/model` must be unambiguous. */
function checkId({ id }: ProviderListing, index: number): void {
  const where = `\`providers[${index}].id\` is ${JSON.stringify(id)}`;
  if (id.includes("/"))
    throw new SettingsError(`${where}: an id must not hold a slash. Rename the provider.`);
  if (id === SANDBOX) {
    throw new SettingsError(
      `${where}, which is the name of the built-in provider that SEXTANT_SANDBOX switches on. Rename yours.`,
    );
  }
  if (id === LOCAL_EMBEDDER) {
    throw new SettingsError(`${where}, which is the name of the built-in embedder. Rename yours.`);
  }
}

function checkDeployments({ deployments }: ProviderSettings, entries: readonly ProviderEntry[]): void {
  const ids = entries.map(({ id }) => id);
  deployments.forEach(({ name, provider }, index) => {
    if (ids.includes(provider)) return;
    const nearest = publicProvider(provider)?.id ?? nearestName(provider, ids);
    throw new SettingsError(
      `\`deployments[${index}].provider\` (${JSON.stringify(name)}) is ${JSON.stringify(provider)}, which is no provider. ` +
        (nearest === undefined ? `There are: ${ids.join(", ")}.` : `Did you mean \`${nearest}\`?`),
    );
  });
}

interface BaseUrlOptions {
  /** Origin of the address, for messages. */
  readonly from: string;
  /** Added to an address without a path; default none. */
  readonly defaultPath?: string;
}

/**
 * The address of an API, without a trailing slash. Its query may hold an `api-version`, as Azure's do, and nothing else.
 *
 * @throws SettingsError when it is not an http or https URL, or carries credentials, another query or a fragment
 */
function checkedBaseUrl(text: string, { from, defaultPath = "" }: BaseUrlOptions): string {
  const url = parsed(text.trim());
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new SettingsError(
      `${from} is ${shown(text)}: it must be an http or https URL, such as https://api.example.com/v1.`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new SettingsError(
      `${from} has credentials in the URL: leave them out, and give the provider's key instead.`,
    );
  }
  const queries = [...url.searchParams.keys()];
  if (queries.some((name) => name !== "api-version") || url.hash !== "") {
    throw new SettingsError(
      `${from} has a query or a fragment: give the address only up to the \`?\` or \`#\`; ` +
        "`?api-version=…` alone may stay.",
    );
  }
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path === "" ? defaultPath : path}${url.search}`;
}

const parsed = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);

/** The value for a message, unless it may be a key in the wrong variable. */
function shown(text: string): string {
  const looksLikeAddress = text.length <= 100 && !text.includes("@") && /[:/]|^localhost/.test(text);
  return looksLikeAddress ? JSON.stringify(text) : "not a URL";
}

const OLLAMA_PORT = 11_434;

/** Reads `OLLAMA_HOST` as Ollama's own programs do: the scheme and the port are optional, and `0.0.0.0` means this machine. */
function ollamaAddress(host: string): string {
  const trimmed = host.trim();
  const withScheme = /^https?:\/\//.test(trimmed) ? trimmed : `http://${trimmed}`;
  const url = parsed(withScheme);
  if (url === null) return trimmed;
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  const hasScheme = withScheme === trimmed;
  if (url.port === "" && !hasScheme) url.port = String(OLLAMA_PORT);
  return url.href;
}
