/** How an entry of the settings authenticates at a cloud, and where that cloud's API is. */
import { SettingsError } from "../../../foundation/errors.js";
import type { AuthListing } from "../entries.js";
import { type Cloud, inferenceProfileOf } from "../providers/cloud.js";
import type { Dialect } from "../providers/dialect.js";

export type CloudAuth =
  | {
      readonly type: "aws";
      readonly region: string;
      readonly profile: string | undefined;
      /** Beginning of the names of models at Bedrock that the settings do not spell out; undefined: by the region. */
      readonly inferenceProfile: string | undefined;
    }
  | {
      readonly type: "google";
      readonly project: string;
      readonly location: string;
      readonly credentialsFile: string | undefined;
    }
  | { readonly type: "azure"; readonly scope: string; readonly clientId: string | undefined };

export interface ResolvedAuth {
  readonly auth: CloudAuth;
  /** Undefined where every account has an address of its own. */
  readonly baseUrl: string | undefined;
}

interface AuthOptions {
  /** Of the settings, for messages. */
  readonly where: string;
  readonly dialect: Dialect;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const AZURE_SCOPE = "https://cognitiveservices.azure.com/.default";

const FIELDS: Readonly<Record<Cloud, readonly string[]>> = {
  aws: ["region", "profile", "inference_profile"],
  google: ["project", "location", "credentials_file"],
  azure: ["scope", "client_id"],
};

/**
 * @throws SettingsError on a field of another cloud, and where neither settings nor environment name region or project
 */
export function resolveAuth(listing: AuthListing, options: AuthOptions): ResolvedAuth {
  const { where, environment } = options;
  const stray = Object.keys(listing).find((name) => name !== "type" && !FIELDS[listing.type].includes(name));
  if (stray !== undefined) {
    throw new SettingsError(
      `\`${where}.auth\` is of type ${listing.type}, which has no \`${stray}\`: leave it out. ` +
        `There are: ${FIELDS[listing.type].join(", ")}.`,
    );
  }
  switch (listing.type) {
    case "aws":
      return awsAuth(listing, options);
    case "google":
      return googleAuth(listing, options);
    case "azure": {
      const { scope = AZURE_SCOPE, client_id: clientId = environment.AZURE_CLIENT_ID?.trim() || undefined } =
        listing;
      return { auth: { type: "azure", scope, clientId }, baseUrl: undefined };
    }
  }
}

function awsAuth(
  { region: given, profile, inference_profile }: AuthListing,
  { where, dialect, environment }: AuthOptions,
): ResolvedAuth {
  const region = given ?? (environment.AWS_REGION?.trim() || environment.AWS_DEFAULT_REGION?.trim());
  if (!region)
    throw new SettingsError(`\`${where}.auth\` names no region: give \`region\`, or set AWS_REGION.`);
  return {
    auth: { type: "aws", region, profile, inferenceProfile: inference_profile },
    baseUrl: bedrockAddress(region, dialect),
  };
}

/**
 * Bedrock serves Anthropic's API and OpenAI's below its runtime endpoint.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/endpoints.html (2026-11-27)
 */
export const bedrockAddress = (region: string, dialect: Dialect): string =>
  `https://bedrock-runtime.${region}.amazonaws.com/${dialect === "anthropic" ? "anthropic" : "openai/v1"}`;

interface Hosted {
  readonly auth: CloudAuth | undefined;
  readonly keys: readonly { readonly auth: CloudAuth | undefined }[] | undefined;
  readonly baseUrl: string | null;
}

/**
 * A model's name at Bedrock as its runtime endpoint is asked for it, with the inference profile of the settings, else
 * of the region in the address: `us.anthropic.claude-opus-5`. Other endpoints, such as `bedrock-mantle`, have no
 * profiles.
 */
export function nameAtBedrock(name: string, { auth, keys = [], baseUrl }: Hosted): string {
  const aws = [auth, ...keys.map((key) => key.auth)].find((one) => one?.type === "aws");
  if (baseUrl?.includes("//bedrock-mantle.") === true) return name;
  const inAddress = /\/\/bedrock-runtime\.([a-z0-9-]+)\./.exec(baseUrl ?? "")?.[1] ?? "";
  const { region = inAddress, inferenceProfile } = aws?.type === "aws" ? aws : {};
  return `${inferenceProfile ?? inferenceProfileOf(region, name)}.${name}`;
}

/**
 * Whether a provider bills more than its list says: Vertex AI's regions cost a tenth more than its global endpoint,
 * whose prices the list has. https://github.com/schowave/llmenu/releases/tag/v0.8.0 (2026-10-15, of LiteLLM's list)
 */
export const billsAboveList = ({ auth, keys = [] }: Omit<Hosted, "baseUrl">): boolean =>
  [auth, ...keys.map((key) => key.auth)].some((one) => one?.type === "google" && one.location !== "global");

/**
 * Vertex AI serves Anthropic's models below their publisher, and OpenAI's API below `endpoints/openapi`. Multi-regions
 * have hosts of another form: https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai,
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/migrate/openai/overview (2026-11-27)
 */
function googleAuth(
  { project: given, location: place, credentials_file: file }: AuthListing,
  { where, dialect, environment }: AuthOptions,
): ResolvedAuth {
  const project = given ?? environment.GOOGLE_CLOUD_PROJECT?.trim();
  if (!project) {
    throw new SettingsError(
      `\`${where}.auth\` names no project: give \`project\`, or set GOOGLE_CLOUD_PROJECT.`,
    );
  }
  const location = place ?? (environment.GOOGLE_CLOUD_LOCATION?.trim() || "global");
  const host =
    location === "global"
      ? "aiplatform.googleapis.com"
      : location === "eu" || location === "us"
        ? `aiplatform.${location}.rep.googleapis.com`
        : `${location}-aiplatform.googleapis.com`;
  const below = dialect === "anthropic" ? "publishers/anthropic/models" : "endpoints/openapi";
  const credentialsFile = file ?? (environment.GOOGLE_APPLICATION_CREDENTIALS?.trim() || undefined);
  return {
    auth: { type: "google", project, location, credentialsFile },
    baseUrl: `https://${host}/v1/projects/${project}/locations/${location}/${below}`,
  };
}
