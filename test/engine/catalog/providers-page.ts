import {
  PUBLIC_PROVIDERS,
  type PublicProvider,
} from "../../../src/engine/catalog/providers/public-providers.js";
import { installCommand } from "../../../src/foundation/optional-package.js";

/** The text of docs/providers.md, its table made from the code. */
export function providersPage(): string {
  return `# Providers

A provider runs models. The public ones are known, and each is switched on by its own variables, in the environment or in
\`.env\`: set a key, and every model of that provider can be used. Others come from the
[settings file](settings.md). \`GET /v1/providers?model=…\` shows which providers serve a model, which of them are enabled, and at what price.

## The public providers

| id | key | address | default address | dialect | models |
|---|---|---|---|---|---|
${PUBLIC_PROVIDERS.map(row).join("\n")}

The first variable of a cell that is set counts; an empty one is not set. An address is the whole base of the API, up to and
without \`/chat/completions\` or \`/v1/messages\`. A trailing slash does not matter; \`ollama\`, \`vllm\` and \`llama-cpp\` get
\`/v1\` when the address has no path. An address that is no http or https URL, or that holds credentials or a query, stops the
start with a message that names the variable. \`azure\` also reads \`AZURE_OPENAI_API_VERSION\`, else \`OPENAI_API_VERSION\`.

Servers of your own (\`ollama\`, \`vllm\`, \`llama-cpp\`) need no key: their address switches them on. Give them one in
\`OLLAMA_API_KEY\`, \`VLLM_API_KEY\` or \`LLAMA_CPP_API_KEY\` if they ask for it.

With \`SEXTANT_SANDBOX=true\` there is one more: \`sandbox\` runs every live model and every deployment, answers with a text
that says so, makes embeddings of the words of a text, and costs nothing.

## Naming a model

| in a request | who is asked |
|---|---|
| a deployment's name | its provider |
| \`gpt-5.4-mini\` | every provider that serves it: those of the settings that list it, in the order of the file; then the public ones |
| \`openai/gpt-5.4-mini\`, \`gemini/gemini-3.5-flash\` | that provider alone, by its id or another name of it |
| \`openrouter/meta-llama/llama-3.1-8b-instruct\` | OpenRouter, under the name that follows |
| \`ollama/qwen3:8b\`, \`azure/my-deployment\` | that provider; a name that no list has is sent as it is, and has no price |

Among the providers of a model, those that are on come first; health and price then decide. A public provider serves what the
price list has for it, or what the reviewed table of models says. Hosts write names in their own way, and are asked in it:
\`claude-opus-4-8\` is \`anthropic/claude-opus-4.8\` at OpenRouter. A name that two makers have, that stands for another model
somewhere, or that no list has, is not guessed at: name the provider.

Names such as \`gpt-5.5:xhigh\`, \`claude-opus-4-7:thinking\` or \`qwen3-30b-a3b:none\` are that model with an effort that it has beside its
default one; \`sextant models\` lists them. Each is [a candidate of its own](api.md#efforts), and is asked for in the provider's words
(\`reasoning_effort\`, \`thinking\`, \`reasoning\`, …), unless the request says otherwise. Where a provider has no words for it, it does
not serve it. Dots and dashes are the same in names, and a vendor's dated name is the undated model.

**Retired models.** Vendors stop running models, and some then answer with another one. From the vendor's date on, such a
model is no candidate for routing, with or without execution, and is not in \`GET /v1/models\`. A request that names it is still sent, so that the vendor's
own answer comes back, but no price is known for it. A provider at an address of your own is left alone: your proxy may run
what the vendor does not.

**Embeddings.** Models that make embeddings are known by their names: \`text-embedding-3-small\`, \`gemini-embedding-001\`, \`mistral-embed\`,
\`ollama/nomic-embed-text\`, \`together/BAAI/bge-large-en-v1.5\`. They serve [\`POST /v1/embeddings\`](api.md#post-v1embeddings) and no chats. A model or deployment of your own
whose name does not tell says \`"api": "embeddings"\`; its price of completion tokens is 0. Anthropic's API has no embeddings.

## Adding a provider

In the settings file, with an id of your own. \`type\` is the dialect. A provider whose \`api_key_env\` names a variable that is
not set is not used; one without \`api_key_env\` needs no key. \`like\` says whose ways an API shares when its address does not
tell. An entry with a public provider's id takes its place; it keeps the provider's models and prices, and its key variable
unless \`api_key_env\` names another. A price that is not given is that of \`prices\`, else the public list's, for a
public provider's id or at its own address; for others it is unknown, and so is the cost of their answers, while decisions reckon with what the list says of the model elsewhere.

**vLLM**, with a model whose profile is used for routing:

${json(EXAMPLES.vllm)}

**Azure OpenAI**, two regions under ids of their own, with one deployment in each:

${json(EXAMPLES.azure)}

**llama.cpp** beside the cloud, as a second provider of the same model:

${json(EXAMPLES.llamaCpp)}

**A gateway of your own** in the Anthropic dialect, and a proxy in the place of a public provider:

${json(EXAMPLES.proxies)}

## Bedrock, Vertex AI and Azure by their own authentication

With \`auth\`, requests are signed or carry tokens, in place of a key. It needs a package of the cloud, and a start
without it stops with the command that installs it:

| \`auth.type\` | what is sent | where credentials come from, in this order | package |
|---|---|---|---|
| \`aws\` | a signature (SigV4) | \`AWS_ACCESS_KEY_ID\` and its secret, \`profile\` with its role or SSO, web identity (\`AWS_ROLE_ARN\`), the role of a container or an instance | \`${installCommand("@smithy/signature-v4", "@aws-sdk/credential-provider-node")}\` |
| \`google\` | an OAuth token | \`credentials_file\`: a service account or workload identity federation; a login of \`gcloud\`; the service account of the machine | \`${installCommand("google-auth-library")}\` |
| \`azure\` | a token of Microsoft Entra | \`AZURE_TENANT_ID\`, \`AZURE_CLIENT_ID\` and \`AZURE_CLIENT_SECRET\`; workload identity (\`AZURE_FEDERATED_TOKEN_FILE\`); a managed identity; a login of \`az\` | \`${installCommand("@azure/identity")}\` |

${json(EXAMPLES.clouds)}

Bedrock's and Vertex AI's addresses follow from region, or project and location; \`base_url\` names another one, such as
that of a private endpoint. Azure's resource always has one of its own. Each cloud has a provider for Claude, by
Anthropic's API with all that it can do, and one for other models, by OpenAI's. Under these ids, models of the price
list are known by name, at the cloud's prices:

| id | models |
|---|---|
| \`bedrock-anthropic\` | Claude from Opus 4.7 on, Sonnet 5, Haiku 4.5, by inference profiles of the region's geography (\`eu.anthropic.…\`), by \`global\` where it has none of the model (Claude 5 in Japan), or of \`inference_profile\` |
| \`vertex-anthropic\` | Claude from Opus 4.5 on; at other locations than \`global\`, which cost more than the list says, without a price |
| \`bedrock-openai\`, \`vertex-openai\`, \`azure\`, \`azure-anthropic\` | those of the settings: \`openai.gpt-oss-120b-1:0\`, \`google/gemini-3.5-flash\`, deployments |

Others are listed in \`models\`, as for any provider. Bedrock's [API
keys](https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html) need no \`auth\`: \`AWS_BEARER_TOKEN_BEDROCK\`
and \`AWS_REGION\` switch both providers on. Several accounts are several \`keys\`, each with its own \`auth\` and a
\`name\`; those of one provider should be of one geography. Credentials are asked for once, renewed five minutes before
they end, and asked for anew when the cloud refuses them. AWS refuses requests whose clock is wrong by more than five
minutes. At Bedrock, JSON schemas are answered by a tool, since it has no structured outputs, and \`metadata\` and
\`service_tier\` are left out.

## Several keys

A provider can have several keys, of one account or of several, each named by its variable:

${json(EXAMPLES.keys)}

Calls are spread over them by \`weight\`. A key that the vendor refuses rests, and the call is made again with another at
once, without a failed request, however many keys are refused; \`SEXTANT_MAX_ATTEMPTS\` does not count these calls. A key is
never used while it rests:

| the vendor answers | what rests | how long |
|---|---|---|
| 429 | the key for that model: vendors limit each model by itself | as \`Retry-After\` says, else until the limits are full again that the reply's \`x-ratelimit-…\` or \`anthropic-ratelimit-…\` headers call used up, else 1 s, doubled with each refusal in a row up to a minute; at least 1 s |
| 401, or that the account is empty | the key | 10 minutes |
| 403 | the key for that model | 10 minutes |

No rest is longer than an hour. A successful reply whose headers say that nothing is left of a limit makes the key the last
choice until then. When all keys rest, another provider or a fallback is asked, a rest of up to
\`SEXTANT_RETRY_MAX_WAIT_MS\` is waited for, and else the caller gets 429 with the wait of the first. After a failure that
is not the key's, such as a 500, a retry takes another key. \`requests_per_minute\`, \`tokens_per_minute\` and
\`max_concurrency\` keep a key below its limits; each process counts for itself. \`headers\` names an organization or
project, \`base_url\` an address of its own.

\`GET /admin/providers\` and the console show each key with its rests by model, \`sextant_key_calls_total\` and
\`sextant_key_usable\` count them, and the attempts of a trace name the key. Responses that a provider keeps
(\`store\`, \`previous_response_id\`) belong to an account: give accounts whose callers use them providers of their own.

## Deployments

A deployment is a name of your own for a model at one provider. \`upstream_model\` is what the provider calls it (default: the
same name). \`profile\` names the model that it is for routing: it lends its profile, context window and capabilities, the
settings that it was profiled with, and its price at that provider unless \`price\` says otherwise.

${json(EXAMPLES.deployments)}

## Prices

US dollars per million tokens, from the list of [genai-prices](https://github.com/pydantic/genai-prices), which comes with the
package: no network. A price has rates for prompt tokens, for those read from and written to the provider's cache, and for
completion tokens; where the list has no cache rate, cached tokens are billed as other prompt tokens. Where it has tiers, the
rates of the highest tier that the prompt is longer than hold for the whole request. Pictures and sound are billed as the
tokens that the provider counts for them; fees for searches are not counted.

An answer is billed at the price of its hour: ${HOURLY} cost more in some hours. Decisions reckon with the most expensive hour and the
rates of small prompts, as of the start of the server or the last reload, so that they do not change with the clock.

\`prices\` in the settings replaces the list's price of a model wherever it runs, or at one provider as \`provider/model\`:

${json(EXAMPLES.prices)}

A price is never guessed. Where none is known, the four cost fields of an answer are \`null\`.
`;
}

/** Checked by a test: these are the models whose price depends on the hour. */
export const HOURLY_MODELS = ["deepseek-chat", "deepseek-reasoner", "deepseek-v4-flash", "deepseek-v4-pro"];
const HOURLY = HOURLY_MODELS.map((model) => `\`${model}\``)
  .join(", ")
  .replace(/, ([^,]*)$/, " and $1");

/** Checked by a test to be settings that work. */
export const EXAMPLES = {
  vllm: {
    providers: [
      {
        id: "gpu",
        type: "openai-compatible",
        base_url: "http://gpu.internal:8000/v1",
        like: "vllm",
        models: [
          {
            id: "llama-3.1-8b-instruct",
            upstream_model: "meta-llama/Llama-3.1-8B-Instruct",
            price: { input_usd_per_mtok: 0.02, output_usd_per_mtok: 0.02 },
            context_tokens: 32_768,
          },
        ],
      },
    ],
  },
  azure: {
    providers: [
      {
        id: "azure-eu",
        type: "openai-compatible",
        base_url: "https://ours-eu.openai.azure.com",
        api_key_env: "AZURE_EU_KEY",
        like: "azure",
        models: [
          {
            id: "gpt-5.4-mini",
            upstream_model: "mini-eu",
            price: {
              input_usd_per_mtok: 0.825,
              cached_input_usd_per_mtok: 0.083,
              output_usd_per_mtok: 4.95,
            },
          },
        ],
      },
      {
        id: "azure-us",
        type: "openai-compatible",
        base_url: "https://ours-us.openai.azure.com",
        api_key_env: "AZURE_US_KEY",
        like: "azure",
        models: [
          {
            id: "gpt-5.4-mini",
            upstream_model: "mini-us",
            price: {
              input_usd_per_mtok: 0.75,
              cached_input_usd_per_mtok: 0.075,
              output_usd_per_mtok: 4.5,
            },
          },
        ],
      },
    ],
  },
  llamaCpp: {
    providers: [
      {
        id: "desk",
        type: "openai-compatible",
        base_url: "http://localhost:8081/v1",
        like: "llama-cpp",
        models: [
          {
            id: "mistral-nemo",
            upstream_model: "nemo-q6",
            price: { input_usd_per_mtok: 0, output_usd_per_mtok: 0 },
          },
        ],
      },
    ],
  },
  clouds: {
    providers: [
      {
        id: "bedrock-anthropic",
        type: "anthropic",
        auth: { type: "aws", region: "eu-central-1", profile: "models" },
      },
      {
        id: "vertex-openai",
        type: "openai-compatible",
        auth: { type: "google", project: "our-project", location: "global" },
        models: [
          {
            id: "gemini-3.5-flash",
            upstream_model: "google/gemini-3.5-flash",
            price: { input_usd_per_mtok: 1.5, cached_input_usd_per_mtok: 0.15, output_usd_per_mtok: 9 },
          },
        ],
      },
      {
        id: "azure",
        type: "openai-compatible",
        base_url: "https://ours.openai.azure.com",
        auth: { type: "azure" },
        models: [{ id: "gpt-5.4-mini", upstream_model: "mini" }],
      },
    ],
  },
  proxies: {
    providers: [
      {
        id: "house",
        type: "anthropic",
        base_url: "https://llm.example.com",
        api_key_env: "HOUSE_KEY",
        models: [{ id: "house-writer", context_tokens: 200_000 }],
      },
      {
        id: "openai",
        type: "openai-compatible",
        base_url: "http://proxy.internal:4000/v1",
        api_key_env: "PROXY_KEY",
      },
    ],
  },
  keys: {
    providers: [
      {
        id: "openai",
        type: "openai-compatible",
        base_url: "https://api.openai.com/v1",
        keys: [
          { api_key_env: "OPENAI_KEY_MAIN", weight: 3 },
          {
            api_key_env: "OPENAI_KEY_SPARE",
            requests_per_minute: 500,
            headers: { "OpenAI-Organization": "org-example" },
          },
        ],
      },
    ],
  },
  deployments: {
    deployments: [
      {
        name: "support-bot",
        provider: "openai",
        upstream_model: "gpt-5.4-mini",
        profile: "gpt-5.4-mini",
      },
      {
        name: "careful",
        provider: "openrouter",
        upstream_model: "qwen/qwen3-235b-a22b",
        profile: "qwen3-235b-a22b:thinking",
        price: { input_usd_per_mtok: 0.455, output_usd_per_mtok: 1.82 },
      },
    ],
  },
  prices: {
    prices: {
      "gpt-5.4-mini": {
        input_usd_per_mtok: 0.6,
        cached_input_usd_per_mtok: 0.06,
        output_usd_per_mtok: 3.6,
      },
      "anthropic/claude-opus-5": {
        input_usd_per_mtok: 4,
        cached_input_usd_per_mtok: 0.4,
        cache_write_usd_per_mtok: 5,
        output_usd_per_mtok: 20,
      },
    },
  },
} as const;

function row(provider: PublicProvider): string {
  const names = [provider.id, ...provider.aliases].map((name) => `\`${name}\``);
  const cells = [
    names.join(", "),
    provider.keyVariables.length === 0
      ? "none: `auth`"
      : `${variables(provider.keyVariables)}${provider.needsKey ? "" : " (optional)"}`,
    provider.baseUrlVariables.length === 0 ? "–" : variables(provider.baseUrlVariables),
    provider.baseUrl === null
      ? provider.keyVariables.length === 0
        ? "by `auth`"
        : "none: required"
      : `\`${provider.baseUrl}\``,
    provider.type,
    `[${MODELS[provider.models]}](${provider.source})`,
  ];
  return `| ${cells.join(" | ")} |`;
}

const MODELS = {
  listed: "its own",
  hosted: "other makers'",
  configured: "those of the settings",
} as const satisfies Record<PublicProvider["models"], string>;

const variables = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
