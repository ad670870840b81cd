/** Determines the providers and which of them are enabled, from the settings and the environment. */
import { SettingsError } from "../../../foundation/errors.js";
import { nearestName } from "../../../foundation/nearest-name.js";
import type {
  AuthListing,
  CatalogSettings,
  ProviderKeyListing,
  ProviderListing,
  ProviderModelEntry,
} from "../entries.js";
import type { Cloud } from "../providers/cloud.js";
import {
  PUBLIC_PROVIDER_NAMES,
  PUBLIC_PROVIDERS,
  type PublicProvider,
  publicProvider,
} from "../providers/public-providers.js";
import { checkedBaseUrl, ollamaAddress } from "./base-url.js";
import { bedrockAddress, type CloudAuth, type ResolvedAuth, resolveAuth } from "./cloud-auth.js";
import type { CatalogProvider } from "./deployment.js";
import { LOCAL_EMBEDDER } from "./local-embedder.js";

/** One of several keys of a provider. The key does not show when it is printed or made into JSON. */
interface ProviderKeyEntry extends Readonly<Omit<ProviderKeyListing, "name" | "base_url" | "auth">> {
  readonly name: string;
  readonly auth: CloudAuth | undefined;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Undefined when its variable is not set, and with `auth`. */
  readonly apiKey: string | undefined;
}

/** A provider with everything its adapter needs. The key does not show when the entry is printed or made into JSON. */
export interface ProviderEntry extends CatalogProvider {
  /** Without a trailing slash; null when it is not known, and for `sandbox`. */
  readonly baseUrl: string | null;
  /** Undefined when none is set, or none is needed. */
  readonly apiKey: string | undefined;
  /** In place of a key; undefined for a provider that has one, needs none, or has several. */
  readonly auth: CloudAuth | undefined;
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

/** What enables a cloud that has no keys, in the words of a remedy. */
const ONLY_AUTH = "`auth` in an entry of `providers`, as docs/providers.md says";

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

interface EntryFields extends Omit<ProviderEntry, "apiKey" | "auth" | "keys" | "enabled" | "remedy"> {
  readonly keys?: ProviderEntry["keys"];
  readonly auth?: ProviderEntry["auth"];
  /** Required variables, each with whether it is set. */
  readonly needs: readonly { readonly variable: string; readonly met: boolean }[];
}

/** The key stands behind an accessor, so that it is not listed, copied or printed with the entry. */
function entryOf({ needs, enabledBy, ...fields }: EntryFields, apiKey: string | undefined): ProviderEntry {
  const enabled = needs.every(({ met }) => met);
  const open = needs.filter(({ met }) => !met);
  const variables = (open.length === 0 ? needs : open).map(({ variable }) => variable);
  const entry = {
    keys: undefined,
    auth: undefined,
    ...fields,
    enabled,
    remedy: variables.length === 0 ? "" : `set ${variables.join(" and ")}`,
    enabledBy: enabled ? enabledBy : undefined,
  };
  return Object.defineProperty(entry, "apiKey", { get: () => apiKey }) as typeof entry & {
    apiKey: string | undefined;
  };
}

function publicEntry(provider: PublicProvider, environment: Environment): ProviderEntry {
  const address = firstSet(provider.baseUrlVariables, environment);
  const key = firstSet(provider.keyVariables, environment);
  const baseUrl = address === undefined ? provider.baseUrl : addressIn(address, provider);
  return entryOf(
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
        ...(provider.needsKey
          ? [{ variable: provider.keyVariables[0] ?? ONLY_AUTH, met: key !== undefined }]
          : []),
        ...(provider.baseUrl === null && provider.keyVariables.length > 0
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

function addressIn({ variable, value }: SetVariable, { defaultPath, type }: PublicProvider): string {
  const text =
    variable === "OLLAMA_HOST"
      ? ollamaAddress(value)
      : variable === "AWS_REGION"
        ? bedrockAddress(value, type)
        : value;
  return checkedBaseUrl(text, { from: variable, defaultPath });
}

/** Whose ways a cloud's API has, for each dialect. */
const CLOUD_PROVIDERS: Readonly<Record<Cloud, Readonly<Record<ProviderListing["type"], string>>>> = {
  aws: { anthropic: "bedrock-anthropic", "openai-compatible": "bedrock-openai" },
  google: { anthropic: "vertex-anthropic", "openai-compatible": "vertex-openai" },
  azure: { anthropic: "azure-anthropic", "openai-compatible": "azure" },
};

interface ConfiguredOptions {
  readonly index: number;
  readonly environment: Environment;
}

function configuredEntry(entry: ProviderListing, { index, environment }: ConfiguredOptions): ProviderEntry {
  const stands = publicProvider(entry.id);
  const cloud = [entry, ...(entry.keys ?? [])].find(({ auth }) => auth !== undefined)?.auth?.type;
  const ofCloud = cloud && publicProvider(CLOUD_PROVIDERS[cloud][entry.type]);
  const like = entry.like === undefined ? (stands ?? ofCloud) : likeOf(entry.like, entry.id);
  const where = `providers[${index}]`;
  const listed = listedVariables(entry, index);
  const key =
    entry.auth === undefined ? firstSet(listed ?? stands?.keyVariables ?? [], environment) : undefined;
  const authOf = (auth: AuthListing | undefined, at: string): ResolvedAuth | undefined =>
    auth && resolveAuth(auth, { where: at, dialect: entry.type, environment });
  const own = authOf(entry.auth, where);
  const auths = entry.keys?.map(({ auth }, at) => authOf(auth, `${where}.keys[${at}]`)) ?? [];
  const baseUrl = addressOf(entry, { stands, where, environment, auths: [own, ...auths] });
  const keys = entry.keys?.map((one, at) =>
    keyEntry(one, { where: `${where}.keys[${at}]`, baseUrl, environment, auth: auths[at] }),
  );
  const isAuthenticated = auths.some((auth) => auth !== undefined);
  return entryOf(
    {
      id: entry.id,
      type: entry.type,
      baseUrl,
      keys,
      auth: own?.auth,
      like: like?.id,
      apiVersion: firstSet(like?.versionVariables ?? [], environment)?.value,
      models: entry.models,
      configured: true,
      enabledBy: entry.keys === undefined ? key?.variable : listed?.join(" and "),
      needs:
        listed === undefined || isAuthenticated
          ? []
          : [{ variable: listed.join(" or "), met: key !== undefined }],
    },
    key?.value,
  );
}

interface AddressOptions {
  readonly stands: PublicProvider | undefined;
  readonly where: string;
  readonly environment: Environment;
  readonly auths: readonly (ResolvedAuth | undefined)[];
}

/** The entry's own address, else that of its cloud, else the public provider's. */
function addressOf(entry: ProviderListing, { stands, where, environment, auths }: AddressOptions): string {
  if (entry.base_url !== undefined) return checkedBaseUrl(entry.base_url, { from: `\`${where}.base_url\`` });
  const ofCloud = auths.flatMap((auth) => auth?.baseUrl ?? [])[0];
  const set = firstSet(stands?.baseUrlVariables ?? [], environment);
  if (ofCloud !== undefined) return ofCloud;
  if (stands !== undefined && set !== undefined) return addressIn(set, stands);
  if (stands !== undefined && stands.baseUrl !== null) return stands.baseUrl;
  throw new SettingsError(
    `\`${where}\` (${JSON.stringify(entry.id)}) has no \`base_url\`: say where its API is.`,
  );
}

/** The variables of an entry's key or keys, one of which has to be set; undefined when it names none. */
function listedVariables(entry: ProviderListing, index: number): readonly string[] | undefined {
  const { keys, api_key_env: single, auth } = entry;
  const where = `\`providers[${index}]\` (${JSON.stringify(entry.id)})`;
  const given = Object.entries({ api_key_env: single, auth, keys }).filter(
    ([, value]) => value !== undefined,
  );
  const [first, second] = given.map(([name]) => name);
  if (second !== undefined) {
    throw new SettingsError(`${where} has both \`${first}\` and \`${second}\`: leave out \`${first}\`.`);
  }
  if (keys === undefined) return single === undefined ? undefined : [single];
  const names = keys.map(({ name, api_key_env, auth: own }, at) => {
    if ((api_key_env === undefined) === (own === undefined)) {
      throw new SettingsError(`${where}: \`keys[${at}]\` needs either \`api_key_env\` or \`auth\`.`);
    }
    if (name !== undefined || api_key_env !== undefined) return name ?? api_key_env;
    throw new SettingsError(`${where}: \`keys[${at}]\` has \`auth\` and no variable: give it a \`name\`.`);
  });
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw new SettingsError(
      `${where} has two \`keys\` of the name ${JSON.stringify(twice)}: give them a \`name\`.`,
    );
  }
  return keys.flatMap(({ api_key_env }) => api_key_env ?? []);
}

interface KeyOptions {
  /** Of the settings, for messages. */
  readonly where: string;
  /** Of the provider. */
  readonly baseUrl: string;
  readonly environment: Environment;
  readonly auth: ResolvedAuth | undefined;
}

function keyEntry(
  { name, base_url: own, auth: _listed, ...listing }: ProviderKeyListing,
  { where, baseUrl, environment, auth }: KeyOptions,
): ProviderKeyEntry {
  const key = firstSet(listing.api_key_env === undefined ? [] : [listing.api_key_env], environment);
  const entry = {
    ...listing,
    name: name ?? listing.api_key_env ?? "",
    auth: auth?.auth,
    baseUrl:
      own === undefined ? (auth?.baseUrl ?? baseUrl) : checkedBaseUrl(own, { from: `\`${where}.base_url\`` }),
  };
  return Object.defineProperty(entry, "apiKey", { get: () => key?.value }) as typeof entry & {
    apiKey: string | undefined;
  };
}

function likeOf(like: string, id: string): PublicProvider {
  const found = publicProvider(like);
  if (found !== undefined) return found;
  const nearest = nearestName(like, PUBLIC_PROVIDER_NAMES);
  throw new SettingsError(
    `\`like\` of the provider ${JSON.stringify(id)} is ${JSON.stringify(like)}, which is not a public provider. ` +
      (nearest === undefined
        ? `There are: ${PUBLIC_PROVIDERS.map((provider) => provider.id).join(", ")}.`
        : `Did you mean \`${nearest}\`?`),
  );
}

const sandboxEntry = (): ProviderEntry =>
  entryOf(
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
      `\`deployments[${index}].provider\` (${JSON.stringify(name)}) is ${JSON.stringify(provider)}, which is not a provider. ` +
        (nearest === undefined ? `There are: ${ids.join(", ")}.` : `Did you mean \`${nearest}\`?`),
    );
  });
}
