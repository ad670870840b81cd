/** Turns LiteLLM's configuration into settings of ours, and says what has no equal. */
import { isDeepStrictEqual } from "node:util";
import { checkedBaseUrl, publicProvider } from "../../engine/index.js";
import { shortened } from "../../foundation/bounded-text.js";
import { groupBy } from "../../foundation/group-by.js";
import {
  CLOUD_PARAMETERS,
  cloudListing,
  type ImportedAuth,
  keyedProvider,
  modelAtCloud,
  nameAtCloud,
} from "./litellm-clouds.js";
import type { LiteLlmConfig, LiteLlmEntry } from "./litellm-config.js";
import {
  budgetOf,
  type ImportedBudget,
  type ImportedModelLimit,
  type Limits,
  limitsOf,
} from "./litellm-limits.js";
import { PROXY_BUDGET, remedyFor } from "./litellm-remedies.js";

type Environment = Readonly<Record<string, string | undefined>>;

interface Price {
  readonly input_usd_per_mtok: number;
  readonly output_usd_per_mtok: number;
}

/** Members of the settings file. */
interface ImportedSettings {
  readonly providers: readonly ImportedProvider[];
  readonly deployments: readonly ImportedDeployment[];
  readonly fallbacks: Readonly<Record<string, readonly string[]>>;
  readonly model_limits?: readonly ImportedModelLimit[];
  readonly budgets?: readonly ImportedBudget[];
}

interface ImportedModel {
  readonly upstream_model: string;
  readonly price?: Price;
  readonly context_tokens?: number;
  readonly api?: "embeddings" | "completions";
}

interface ImportedProvider {
  readonly id: string;
  readonly type: "openai-compatible" | "anthropic";
  readonly base_url?: string;
  readonly auth?: ImportedAuth;
  readonly api_key_env?: string;
  readonly keys?: readonly ImportedKey[];
  readonly like?: string;
  readonly models: (ImportedModel & { readonly id: string })[];
}

interface ImportedKey {
  readonly api_key_env: string;
  readonly weight?: number;
  readonly requests_per_minute?: number;
  readonly tokens_per_minute?: number;
  readonly max_concurrency?: number;
}

interface ImportedDeployment extends ImportedModel {
  readonly name: string;
  readonly provider: string;
  readonly profile?: string;
}

export interface Imported {
  readonly settings: ImportedSettings;
  /** Variables that have to be set for it. */
  readonly variables: readonly string[];
  /** What has no equal, or has to be done by hand; a line each. */
  readonly notes: readonly string[];
}

/** Where an entry of the list runs. */
interface Host {
  /** Of a public provider at its usual address with its usual key; then the settings need not name it. */
  readonly publicId: string | undefined;
  readonly listing: Omit<ImportedProvider, "id" | "models">;
}

/** An entry of the list with the host that runs it. */
interface Hosted {
  readonly host: Host;
  readonly entry: LiteLlmEntry;
}

type ServedBy = readonly [host: Host, model: ImportedModel, profile: string | undefined, limits: Limits];

/** LiteLLM's names of providers whose ids are others here. */
const PREFIXES: Readonly<Record<string, string>> = {
  azure_ai: "azure",
  "text-completion-openai": "openai",
  ollama_chat: "ollama",
  hosted_vllm: "vllm",
  openai_like: "",
  custom_openai: "",
  litellm_proxy: "",
};

export function fromLiteLlm(config: LiteLlmConfig, environment: Environment): Imported {
  const importer = new Importer(environment);
  for (const [name, entries] of groupsOf(config.model_list ?? [])) importer.addGroup(name, entries);
  for (const [alias, target] of Object.entries(config.router_settings?.model_group_alias ?? {}))
    importer.addAlias(alias, typeof target === "string" ? target : target.model);
  importer.addFallbacks(config);
  importer.noteSettings(config);
  return importer.imported();
}

function groupsOf(entries: readonly LiteLlmEntry[]): ReadonlyMap<string, readonly LiteLlmEntry[]> {
  const groups = new Map<string, LiteLlmEntry[]>();
  for (const entry of entries) groups.set(entry.model_name, [...(groups.get(entry.model_name) ?? []), entry]);
  return groups;
}

class Importer {
  readonly #providers: ImportedProvider[] = [];
  readonly #deployments: ImportedDeployment[] = [];
  readonly #fallbacks: Record<string, readonly string[]> = {};
  readonly #limits: ImportedModelLimit[] = [];
  #budget: ImportedBudget | undefined;
  readonly #variables = new Set<string>();
  readonly #notes = new Set<string>();
  /** Names that requests can use afterwards, with what serves them. */
  readonly #served = new Map<string, readonly ServedBy[]>();

  constructor(private readonly environment: Environment) {}

  imported(): Imported {
    return {
      settings: {
        providers: this.#providers,
        deployments: this.#deployments,
        fallbacks: this.#fallbacks,
        ...(this.#limits.length > 0 && { model_limits: this.#limits }),
        ...(this.#budget && { budgets: [this.#budget] }),
      },
      variables: [...this.#variables].sort(),
      notes: [...this.#notes].map((note) => shortened(note, 300)),
    };
  }

  addGroup(name: string, entries: readonly LiteLlmEntry[]): void {
    if (name.includes("*")) {
      this.#notes.add(`${name}: not needed. Every model of a configured provider can be asked by its name.`);
      for (const entry of entries) this.#hostOf(entry);
      return;
    }
    const hosted = entries.flatMap((entry) => {
      const host = this.#hostOf(entry);
      return host === undefined ? [] : [{ host, entry }];
    });
    const hosts = [...groupBy(hosted, placeOf).values()].flatMap((same) => {
      const [first] = same;
      if (first === undefined) return [];
      const keys = keysOf(same);
      const limited = keys.length > 1 ? KEY_LIMITS : {};
      for (const { entry } of same)
        this.#noteParameters(name, entry.litellm_params, { ...limitsOf(entry, limited), ...limited });
      const host = keys.length > 1 ? withKeys(first.host, keys) : first.host;
      const limits: Limits = Object.assign({}, ...Object.values(limitsOf(first.entry, limited)));
      return [[host, modelOf(first.entry), profileOf(first.entry), limits] as const];
    });
    if (hosts.length > 0) this.#serve(name, hosts);
  }

  addAlias(alias: string, target: string): void {
    const hosts = this.#served.get(target);
    if (hosts === undefined) this.#notes.add(`model_group_alias ${alias}: ${target} is not imported.`);
    else this.#serve(alias, hosts);
  }

  addFallbacks({ litellm_settings, router_settings }: LiteLlmConfig): void {
    const lists = [...(litellm_settings?.fallbacks ?? []), ...(router_settings?.fallbacks ?? [])];
    for (const [name, others] of lists.flatMap((each) => Object.entries(each))) this.#fallBack(name, others);
    for (const name of this.#served.keys())
      if (this.#fallbacks[name] === undefined)
        this.#fallBack(name, litellm_settings?.default_fallbacks ?? []);
  }

  noteSettings(config: LiteLlmConfig): void {
    this.#budget = budgetOf(config);
    for (const part of [
      "litellm_settings",
      "router_settings",
      "general_settings",
      "environment_variables",
    ] as const)
      for (const name of Object.keys(config[part] ?? {})) {
        if (IMPORTED.has(name) || (this.#budget !== undefined && PROXY_BUDGET.test(name))) continue;
        const remedy = part === "environment_variables" ? "set it in the environment." : remedyFor(name);
        this.#notes.add(`${part}.${name}: ${remedy}`);
      }
  }

  #fallBack(name: string, others: readonly string[]): void {
    const known = others.filter((other) => this.#served.has(other) && other !== name);
    for (const other of others)
      if (!this.#served.has(other)) this.#notes.add(`fallbacks of ${name}: ${other} is not imported.`);
    if (this.#served.has(name) && known.length > 0) this.#fallbacks[name] = known;
  }

  #serve(name: string, hosts: readonly ServedBy[]): void {
    this.#served.set(name, hosts);
    const [first] = hosts;
    if (first === undefined) return;
    for (const [host, , , limits] of hosts)
      if (Object.keys(limits).length > 0) {
        const provider = hosts.length > 1 ? { provider: this.#listed(host).id } : {};
        this.#limits.push({ model: name, ...provider, ...limits });
      }
    if (hosts.length > 1) {
      for (const [host, model] of hosts) this.#listed(host).models.push({ id: name, ...model });
      return;
    }
    const [host, model, profile] = first;
    if (host.publicId !== undefined && model.upstream_model === name && model.price === undefined) return;
    const provider = host.publicId ?? this.#listed(host).id;
    this.#deployments.push({
      name,
      provider,
      ...model,
      ...(profile === undefined || profile === name ? {} : { profile }),
    });
  }

  /** The entry of `providers` for a host, made when it is first needed. */
  #listed({ listing }: Host): ImportedProvider {
    const known = this.#providers.find(({ id: _id, models: _models, ...other }) =>
      isDeepStrictEqual(other, listing),
    );
    if (known !== undefined) return known;
    const { base_url: address } = listing;
    const label = address === undefined ? "" : new URL(address).hostname.split(".")[0];
    const wanted = [listing.like, label].filter(Boolean).join("-");
    const taken = this.#providers.filter(({ id }) => id.startsWith(wanted)).length;
    const made = { id: taken === 0 ? wanted : `${wanted}-${taken + 1}`, ...listing, models: [] };
    this.#providers.push(made);
    return made;
  }

  #hostOf(entry: LiteLlmEntry): Host | undefined {
    const found = this.#hostOrReason(entry);
    if (typeof found !== "string") return found;
    this.#notes.add(`${entry.model_name}: ${entry.litellm_params.model} is left out. ${found}`);
    return undefined;
  }

  /** Else why the entry is left out. */
  #hostOrReason({ model_name: name, litellm_params: given, model_info: info }: LiteLlmEntry): Host | string {
    const reason = reasonAgainst(given.model, info?.mode ?? "chat");
    if (reason !== undefined) return reason;
    const prefix = prefixOf(given.model);
    const givenAddress = given.api_base || given.base_url || undefined;
    const address = this.#value(givenAddress, `${name}: the address`);
    // With a password or a key in it, it is not copied.
    if (address !== undefined) checkedBaseUrl(address, { from: `${name}: its \`api_base\`` });
    const cloud = cloudListing(prefix, given, (parameter) => this.#parameter(name, given, parameter));
    if (cloud !== undefined && (cloud.auth.type !== "azure" || address !== undefined)) {
      return {
        publicId: undefined,
        listing: { ...cloud, ...(address !== undefined && { base_url: address }) },
      };
    }
    const known = publicProvider(keyedProvider(prefix, given.model) ?? PREFIXES[prefix] ?? prefix);
    if (known === undefined && PREFIXES[prefix] !== "")
      return `There is no provider ${JSON.stringify(prefix)} here.`;
    const base =
      givenAddress === undefined ? (known?.baseUrl ?? this.#bedrockAddress(given, known)) : address;
    if (base === undefined || !URL.canParse(base)) return "It has no address (`api_base`) that can be read.";
    const keyVariable = this.#keyVariable(name, given.api_key ?? undefined, known?.keyVariables[0]);
    const isUsual =
      known?.baseUrl === base && (keyVariable === undefined || known.keyVariables.includes(keyVariable));
    const version = this.#value(given.api_version, `${name}: the API version`);
    const hasVersion = version !== undefined && known?.id === "azure" && !base.includes("?");
    return {
      publicId: isUsual ? known.id : undefined,
      listing: {
        type: known?.type ?? "openai-compatible",
        base_url: hasVersion ? `${base}?api-version=${version}` : base,
        ...(keyVariable !== undefined && { api_key_env: keyVariable }),
        ...(known !== undefined && { like: known.id }),
      },
    };
  }

  /** Of a deployment with a Bedrock API key. */
  #bedrockAddress(
    given: LiteLlmEntry["litellm_params"],
    known: ReturnType<typeof publicProvider>,
  ): string | undefined {
    const region = given.aws_region_name;
    if (known === undefined || !known.id.startsWith("bedrock-") || typeof region !== "string")
      return undefined;
    const path = known.type === "anthropic" ? "anthropic" : "openai/v1";
    return `https://bedrock-runtime.${region}.amazonaws.com/${path}`;
  }

  /** The value of a parameter that not every entry has. */
  #parameter(name: string, given: LiteLlmEntry["litellm_params"], parameter: string): string | undefined {
    const value = given[parameter];
    return typeof value === "string" ? this.#value(value, `${name}: ${parameter}`) : undefined;
  }

  #keyVariable(name: string, given: string | undefined, usual: string | undefined): string | undefined {
    const variable = given === undefined ? usual : VARIABLE.exec(given)?.[1];
    if (variable !== undefined) {
      this.#variables.add(variable);
      return variable;
    }
    const own = `${name.replace(/\W+|^(?=\d)/g, "_").toUpperCase()}_API_KEY`;
    this.#notes.add(`${name}: its key stands in the file itself and is not copied. Put it into ${own}.`);
    this.#variables.add(own);
    return own;
  }

  /** A text, or what the variable that it names has now. */
  #value(given: string | null | undefined, what: string): string | undefined {
    if (given === null || given === undefined) return undefined;
    const variable = VARIABLE.exec(given)?.[1];
    if (variable === undefined) return given;
    const value = this.environment[variable];
    if (value === undefined || value === "")
      this.#notes.add(`${what} is in ${variable}, which is not set here. Set it, and import again.`);
    return value || undefined;
  }

  #noteParameters(name: string, parameters: LiteLlmEntry["litellm_params"], imported: object): void {
    for (const parameter of Object.keys(parameters))
      if (!IMPORTED.has(parameter) && !(parameter in imported))
        this.#notes.add(`${name}: litellm_params.${parameter}: ${remedyFor(parameter)}`);
  }
}

/** What their deployments with different keys have in common: the same model at the same address. */
const placeOf = ({ host: { listing }, entry }: Hosted): string =>
  JSON.stringify([listing.type, listing.base_url, listing.auth, listing.like, entry.litellm_params.model]);

/** What limits a deployment there and a key here. */
const KEY_LIMITS = {
  weight: "weight",
  rpm: "requests_per_minute",
  tpm: "tokens_per_minute",
  max_parallel_requests: "max_concurrency",
} as const satisfies Readonly<Record<string, keyof ImportedKey>>;

/** One for each variable, the first entry's. */
function keysOf(same: readonly Hosted[]): readonly ImportedKey[] {
  const keys = new Map<string, ImportedKey>();
  for (const { host, entry } of same) {
    const { api_key_env } = host.listing;
    if (api_key_env === undefined || keys.has(api_key_env)) continue;
    const limits = Object.entries(KEY_LIMITS).flatMap(([theirs, ours]) => {
      const value = Number(entry.litellm_params[theirs]);
      return value > 0 ? [[ours, ours === "weight" ? value : Math.ceil(value)]] : [];
    });
    keys.set(api_key_env, { api_key_env, ...Object.fromEntries(limits) });
  }
  return [...keys.values()];
}

function withKeys({ listing }: Host, keys: readonly ImportedKey[]): Host {
  const { api_key_env: _single, ...rest } = listing;
  return { publicId: undefined, listing: { ...rest, keys } };
}

const VARIABLE = /^os\.environ\/([A-Za-z_]\w*)$/;

const IMPORTED: ReadonlySet<string> = new Set([
  ...[
    "model",
    "api_base",
    "base_url",
    "api_key",
    "api_version",
    "input_cost_per_token",
    "output_cost_per_token",
  ],
  ...["fallbacks", "default_fallbacks", "model_group_alias"],
  ...Object.keys(CLOUD_PARAMETERS),
]);

const prefixOf = (model: string): string => {
  if (model.includes("/")) return model.slice(0, model.indexOf("/"));
  return model.startsWith("claude") ? "anthropic" : "openai";
};

const MODES: ReadonlySet<string> = new Set(["chat", "completion", "responses", "embedding"]);

function reasonAgainst(model: string, mode: string): string | undefined {
  if (model.endsWith("/")) return "It names no model.";
  return MODES.has(mode) ? undefined : `Models of the mode ${JSON.stringify(mode)} are not served.`;
}

const withoutPrefix = (model: string): string => model.slice(model.indexOf("/") + 1);

function modelOf({ litellm_params: given, model_info: info }: LiteLlmEntry): ImportedModel {
  const input = given.input_cost_per_token ?? info?.input_cost_per_token;
  const output = given.output_cost_per_token ?? info?.output_cost_per_token;
  const api = APIS[given.model.startsWith("text-completion-openai/") ? "completion" : (info?.mode ?? "")];
  return {
    upstream_model: nameAtCloud(prefixOf(given.model), withoutPrefix(given.model)),
    ...(typeof input === "number" &&
      typeof output === "number" && {
        price: { input_usd_per_mtok: perMillion(input), output_usd_per_mtok: perMillion(output) },
      }),
    ...(typeof info?.max_input_tokens === "number" && { context_tokens: info.max_input_tokens }),
    ...(api !== undefined && { api }),
  };
}

const APIS: Readonly<Record<string, ImportedModel["api"]>> = {
  embedding: "embeddings",
  completion: "completions",
};

/** Without the digits that binary fractions add. */
const perMillion = (usd: number): number => Number((usd * 1e6).toPrecision(12));

/** The model whose profile it shares: at Azure, names of deployments say nothing. */
function profileOf({ litellm_params: { model }, model_info: info }: LiteLlmEntry): string | undefined {
  if (typeof info?.base_model === "string") return withoutPrefix(info.base_model);
  const prefix = prefixOf(model);
  if (prefix === "azure") return undefined;
  const name = nameAtCloud(prefix, withoutPrefix(model));
  return /^(?:bedrock|vertex)/.test(prefix) ? modelAtCloud(name) : name;
}
