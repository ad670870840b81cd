/** LiteLLM's deployments at Bedrock, Vertex AI and Azure: https://docs.litellm.ai/docs/providers/bedrock, …/vertex, …/azure (2026-11-27) */
import type { LiteLlmEntry } from "./litellm-config.js";

/** What of `auth` in an entry of `providers` is imported. */
export interface ImportedAuth {
  readonly type: "aws" | "google" | "azure";
  readonly region?: string;
  readonly profile?: string;
  readonly project?: string;
  readonly location?: string;
  readonly credentials_file?: string;
  readonly scope?: string;
  readonly client_id?: string;
}

export interface CloudListing {
  readonly type: "openai-compatible" | "anthropic";
  readonly auth: ImportedAuth;
  /** Id of the public provider. */
  readonly like: string;
}

type Parameters = LiteLlmEntry["litellm_params"];
/** A parameter's value, also where it names a variable; undefined for one that is not there. */
type Read = (name: string) => string | undefined;

/** Parameters that are imported, by what they become. */
export const CLOUD_PARAMETERS = {
  aws_region_name: "region",
  aws_profile_name: "profile",
  vertex_project: "project",
  vertex_location: "location",
  vertex_credentials: "credentials_file",
  azure_scope: "scope",
  client_id: "client_id",
} as const satisfies Readonly<Record<string, keyof ImportedAuth>>;

const BEDROCK = /^bedrock(?:_converse|_mantle)?$/;
const VERTEX = /^vertex_ai(?:_beta)?$/;
const ENTRA = ["tenant_id", "client_id", "client_secret", "azure_ad_token"];

/** Where a deployment runs by its cloud's own authentication; undefined for one that has a key, or runs elsewhere. */
export function cloudListing(prefix: string, given: Parameters, read: Read): CloudListing | undefined {
  const isClaude = given.model.includes("claude");
  const type = isClaude ? "anthropic" : "openai-compatible";
  const suffix = isClaude ? "anthropic" : "openai";
  if (BEDROCK.test(prefix) && given.api_key == null)
    return {
      type,
      auth: authOf("aws", ["aws_region_name", "aws_profile_name"], read),
      like: `bedrock-${suffix}`,
    };
  if (VERTEX.test(prefix)) {
    const names = ["vertex_project", "vertex_location", "vertex_credentials"] as const;
    return { type, auth: authOf("google", names, read), like: `vertex-${suffix}` };
  }
  const isAzure = prefix === "azure" || prefix === "azure_ai";
  if (!isAzure || given.api_key != null || !ENTRA.some((name) => name in given)) return undefined;
  return {
    type,
    auth: authOf("azure", ["azure_scope", "client_id"], read),
    like: isClaude ? "azure-anthropic" : "azure",
  };
}

/** The public provider of a deployment that has a key; LiteLLM has one prefix for several APIs. */
export function keyedProvider(prefix: string, model: string): string | undefined {
  const isClaude = model.includes("claude");
  if (BEDROCK.test(prefix)) return isClaude ? "bedrock-anthropic" : "bedrock-openai";
  return prefix === "azure_ai" && isClaude ? "azure-anthropic" : undefined;
}

function authOf(
  type: ImportedAuth["type"],
  names: readonly (keyof typeof CLOUD_PARAMETERS)[],
  read: Read,
): ImportedAuth {
  const given = names.flatMap((name) => {
    const value = read(name);
    return value === undefined || value.trim().startsWith("{") ? [] : [[CLOUD_PARAMETERS[name], value]];
  });
  return { type, ...Object.fromEntries(given) };
}

/** A model's name as the cloud knows it: without the routes that LiteLLM has before it. */
export function nameAtCloud(prefix: string, name: string): string {
  if (BEDROCK.test(prefix))
    return name.replace(/^(?:(?:converse|invoke|converse_like|[a-z]{2}-[a-z-]+-\d)\/)+/, "");
  return VERTEX.test(prefix) && /^(?:gemini|gemma)-/.test(name) ? `google/${name}` : name;
}

/** The model behind such a name: `us.anthropic.claude-opus-4-5-20251101-v1:0` is `claude-opus-4-5-20251101`. */
export const modelAtCloud = (name: string): string =>
  name
    .replace(/^(?:[a-z-]+\.)?(?:anthropic|amazon|meta|mistral|openai|deepseek|qwen)\./, "")
    .replace(/^(?:google|meta)\//, "")
    .replace(/-v\d+(?::\d+)?$|-\d+:\d+$/, "")
    .replace("@", "-");
