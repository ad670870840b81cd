/** Providers, deployments and prices as an operator lists them. */
import { z } from "zod";
import { variableName } from "../../foundation/secrets.js";
import { CLOUDS, INFERENCE_PROFILES } from "./providers/cloud.js";

const filled = z.string().min(1);
const count = z.int().positive();
const usdPerMtok = z.number().min(0);
export const priceSchema = z.strictObject({
  input_usd_per_mtok: usdPerMtok.describe("US dollars per million prompt tokens."),
  cached_input_usd_per_mtok: usdPerMtok
    .optional()
    .describe(
      "US dollars per million prompt tokens read from the provider's cache; default the input price.",
    ),
  cache_write_usd_per_mtok: usdPerMtok
    .optional()
    .describe(
      "US dollars per million prompt tokens written to the provider's cache; default the input price.",
    ),
  output_usd_per_mtok: usdPerMtok.describe("US dollars per million completion tokens."),
});

const upstreamApi = z
  .enum(["chat", "responses", "completions", "embeddings"])
  .optional()
  .describe(
    "Upstream endpoint that serves it: `chat` completions, OpenAI's `responses`, `completions` for models that cannot chat, or `embeddings`; default by its name and provider: `responses` at OpenAI and Azure, else `chat`.",
  );

export const providerModelSchema = z.strictObject({
  id: filled.describe("Model id that requests and profiles use."),
  upstream_model: filled.optional().describe("Name the provider knows the model by; default `id`."),
  price: priceSchema
    .optional()
    .describe(
      "What this provider bills; default the model's entry in `prices`, else the public list for a public provider's id or address, else unknown.",
    ),
  context_tokens: count.optional().describe("Context window in tokens, prompt and answer together."),
  api: upstreamApi,
});

export const authSchema = z.strictObject({
  type: z
    .enum(CLOUDS)
    .describe("`aws` (SigV4), `google` (OAuth tokens of Google Cloud) or `azure` (Microsoft Entra)."),
  region: z
    .string()
    .regex(/^[a-z]{2}(?:-[a-z]+)+-\d$/)
    .optional()
    .describe("`aws`: region to call and sign for; default `AWS_REGION`, else `AWS_DEFAULT_REGION`."),
  profile: filled
    .optional()
    .describe("`aws`: profile in `~/.aws/config`, with the role that it assumes; default `AWS_PROFILE`."),
  inference_profile: z
    .enum(INFERENCE_PROFILES)
    .optional()
    .describe(
      "`aws`: geography of the inference profiles for models that are not in `models`; default that of the region. `global` costs less, and AWS chooses the region.",
    ),
  project: z
    .string()
    .regex(/^[a-z0-9][\w:.-]*$/)
    .optional()
    .describe("`google`: id of the project that is billed; default `GOOGLE_CLOUD_PROJECT`."),
  location: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .optional()
    .describe(
      "`google`: `global`, a multi-region (`eu`, `us`) or a region such as `us-east5`; default `GOOGLE_CLOUD_LOCATION`, else `global`.",
    ),
  credentials_file: filled
    .optional()
    .describe(
      "`google`: file of a service account, or of workload identity federation; default `GOOGLE_APPLICATION_CREDENTIALS`.",
    ),
  scope: filled
    .optional()
    .describe("`azure`: scope of the tokens; default `https://cognitiveservices.azure.com/.default`."),
  client_id: filled
    .optional()
    .describe(
      "`azure`: the managed or federated identity, where there are several; default `AZURE_CLIENT_ID`.",
    ),
});

const auth = authSchema
  .optional()
  .describe("How requests to a cloud are authenticated, instead of by a key: see docs/providers.md.");

export const providerKeySchema = z.strictObject({
  api_key_env: variableName
    .optional()
    .describe("Environment variable that holds the key. A key whose variable is not set is not used."),
  auth,
  name: filled
    .optional()
    .describe("Its name in traces, metrics and the console; default the variable. Needed with `auth`."),
  weight: z
    .number()
    .positive()
    .default(1)
    .describe("Its share of the calls: a key of weight 2 gets twice as many as one of weight 1."),
  requests_per_minute: count
    .optional()
    .describe("Maximum number of calls of one model in a minute, as vendors limit them, in each process."),
  tokens_per_minute: count
    .optional()
    .describe("Maximum tokens of one model in a minute, by the estimated size of requests, in each process."),
  max_concurrency: count
    .optional()
    .describe("Maximum number of calls at the same time, of all models, in each process."),
  base_url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Address that this key is for; default that of the provider."),
  headers: z
    .record(z.string().regex(/^[\w-]+$/), z.string())
    .optional()
    .describe("Headers sent with it, such as `OpenAI-Organization`."),
});

export const providerSchema = z.strictObject({
  id: filled.describe("Name of the provider in decisions and requests."),
  type: z
    .enum(["openai-compatible", "anthropic"])
    .describe("Wire dialect: `openai-compatible` or `anthropic`."),
  base_url: z
    .url({
      protocol: /^https?$/,
      error: "it must be an http or https URL, such as https://api.example.com/v1",
    })
    .optional()
    .describe(
      "Address of its API, such as `http://localhost:8000/v1`; default that of Bedrock or Vertex AI, by `auth`.",
    ),
  auth,
  api_key_env: variableName
    .optional()
    .describe("Environment variable that holds its key; none when it needs no key."),
  keys: z
    .array(providerKeySchema)
    .min(1)
    .optional()
    .describe(
      "Several keys or accounts instead of `api_key_env`: calls are spread over them, and a refused one rests.",
    ),
  like: filled
    .optional()
    .describe(
      "Public provider that its API resembles, such as `azure`, `mistral` or `vllm`; default: by address.",
    ),
  models: z.array(providerModelSchema).default([]).describe("Models it serves."),
});

export const deploymentSchema = z.strictObject({
  name: filled.describe("Name that requests use like a model id."),
  provider: filled.describe("Id of the provider that runs it."),
  upstream_model: filled.optional().describe("Name the provider knows it by; default `name`."),
  price: priceSchema
    .optional()
    .describe("What it costs; without it the price of `profile` at that provider."),
  context_tokens: count.optional().describe("Context window in tokens; default that of `profile`."),
  api: upstreamApi,
  profile: filled
    .optional()
    .describe("Model whose profile, context window and capabilities it shares; default `name`."),
});

export type ProviderListing = z.infer<typeof providerSchema>;
export type AuthListing = z.infer<typeof authSchema>;
export type ProviderKeyListing = z.infer<typeof providerKeySchema>;
export type ProviderModelEntry = z.infer<typeof providerModelSchema>;
export type DeploymentEntry = z.infer<typeof deploymentSchema>;
export type PriceEntry = z.infer<typeof priceSchema>;

/** What the catalog reads of the settings. */
export interface CatalogSettings {
  readonly providers: readonly ProviderListing[];
  readonly deployments: readonly DeploymentEntry[];
  /** By model id. */
  readonly prices: Readonly<Record<string, PriceEntry>>;
}

/** A list whose entries all have another `key`. */
function distinctBy<Key extends string, Entry extends Record<Key, string>>(
  key: Key,
  entry: z.ZodType<Entry>,
) {
  return z.array(entry).superRefine((entries, context) => {
    entries.forEach((item, index) => {
      if (entries.findIndex((other) => other[key] === item[key]) === index) return;
      context.addIssue({ code: "custom", path: [index, key], message: "an earlier entry has the same" });
    });
  });
}

export const providersSchema = distinctBy("id", providerSchema);
export const deploymentsSchema = distinctBy("name", deploymentSchema);
/** By model id. */
export const pricesSchema = z.record(filled, priceSchema);
