import { describe, expect, it } from "vitest";
import {
  type ProviderSettings,
  resolveProviders,
} from "../../../../src/engine/catalog/deployments/provider-entries.js";
import type { AuthListing } from "../../../../src/engine/catalog/entries.js";
import { SettingsError } from "../../../../src/foundation/errors.js";
import { errorThrownBy } from "../../../support/errors.js";
import { catalogOf } from "../catalog-of.js";

type Entry = ProviderSettings["providers"][number];
type Environment = Readonly<Record<string, string>>;

const AT = new Date("2026-11-27");

function resolved(
  entry: Omit<Partial<Entry>, "id"> & { readonly id: string },
  environment: Environment = {},
) {
  const listing: Entry = { type: "anthropic", models: [], ...entry };
  const settings = { providers: [listing], deployments: [], sandbox: false };
  const provider = resolveProviders(settings, environment).find(({ id }) => id === entry.id);
  if (provider === undefined) throw new Error("the entry is there");
  const at = (model: string) =>
    catalogOf({ providers: [listing], environment, at: AT })
      .deployments(model)
      .find((one) => one.provider === entry.id);
  return { provider, at };
}

const auth = (listing: AuthListing, more: Partial<Entry> = {}, environment: Environment = {}) =>
  resolved({ id: "cloud", auth: listing, ...more }, environment).provider;

const failure = (entry: Partial<Entry>, environment: Environment = {}): string =>
  errorThrownBy(() => resolved({ id: "cloud", ...entry }, environment), SettingsError).message;

describe("An entry with `auth`", () => {
  it("needs no key and has the address of its cloud, for each dialect", () => {
    expect(auth({ type: "aws", region: "eu-west-1" })).toMatchObject({
      enabled: true,
      apiKey: undefined,
      enabledBy: undefined,
      baseUrl: "https://bedrock-runtime.eu-west-1.amazonaws.com/anthropic",
      auth: { type: "aws", region: "eu-west-1", inferenceProfile: undefined },
    });
    const openai = { type: "openai-compatible" } as const;
    expect(auth({ type: "aws" }, openai, { AWS_REGION: "us-west-2" }).baseUrl).toBe(
      "https://bedrock-runtime.us-west-2.amazonaws.com/openai/v1",
    );
    expect(auth({ type: "google", project: "p" }).baseUrl).toBe(
      "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/anthropic/models",
    );
    const place = { GOOGLE_CLOUD_PROJECT: "q", GOOGLE_CLOUD_LOCATION: "us-east5" };
    expect(auth({ type: "google" }, openai, place).baseUrl).toBe(
      "https://us-east5-aiplatform.googleapis.com/v1/projects/q/locations/us-east5/endpoints/openapi",
    );
    expect(auth({ type: "google", location: "eu", project: "p" }).baseUrl).toMatch(
      /^https:\/\/aiplatform\.eu\.rep\.googleapis\.com\/v1\/projects\/p\/locations\/eu\//,
    );
  });

  it("has its own address where it gives one, which Azure needs", () => {
    const azure = { type: "azure" } as const;
    expect(auth(azure, { base_url: "https://ours.services.ai.azure.com/anthropic" })).toMatchObject({
      baseUrl: "https://ours.services.ai.azure.com/anthropic",
      auth: { type: "azure", scope: "https://cognitiveservices.azure.com/.default", clientId: undefined },
    });
    expect(failure({ auth: azure })).toBe(
      '`providers[0]` ("cloud") has no `base_url`: say where its API is.',
    );
    const listed = resolved(
      { id: "azure", type: "openai-compatible", auth: azure },
      { AZURE_OPENAI_ENDPOINT: "https://ours.openai.azure.com", AZURE_OPENAI_API_KEY: "k" },
    );
    expect(listed.provider).toMatchObject({ baseUrl: "https://ours.openai.azure.com", apiKey: undefined });
  });

  it("is refused with what is missing, another cloud's fields, or a key beside it", () => {
    expect(failure({ auth: { type: "aws" } })).toContain("names no region: give `region`, or set AWS_REGION");
    expect(failure({ auth: { type: "google" } })).toContain("set GOOGLE_CLOUD_PROJECT");
    expect(failure({ auth: { type: "aws", region: "us-east-1", project: "p" } })).toBe(
      "`providers[0].auth` is of type aws, which has no `project`: leave it out. " +
        "There are: region, profile, inference_profile.",
    );
    expect(failure({ auth: { type: "azure" }, api_key_env: "KEY" })).toContain(
      "has both `api_key_env` and `auth`: leave out `api_key_env`",
    );
  });

  it("may be that of several accounts, each a key with a name", () => {
    const keys = [
      { name: "main", weight: 2, auth: { type: "aws", region: "us-east-1", profile: "main" } },
      { name: "spare", weight: 1, auth: { type: "aws", region: "us-west-2", profile: "spare" } },
    ] as const;
    const { provider, at } = resolved({ id: "bedrock-anthropic", keys: [...keys] });
    expect(provider).toMatchObject({ enabled: true, auth: undefined });
    expect(provider.keys?.map(({ name, baseUrl, auth }) => [name, baseUrl, auth?.type])).toEqual([
      ["main", "https://bedrock-runtime.us-east-1.amazonaws.com/anthropic", "aws"],
      ["spare", "https://bedrock-runtime.us-west-2.amazonaws.com/anthropic", "aws"],
    ]);
    expect(at("claude-opus-5")?.upstreamModel).toBe("us.anthropic.claude-opus-5");
    expect(failure({ keys: [{ weight: 1, auth: { type: "aws", region: "us-east-1" } }] })).toContain(
      "give it a `name`",
    );
    expect(failure({ keys: [{ weight: 1, name: "a" }] })).toContain("needs either `api_key_env` or `auth`");
  });
});

describe("Claude at a cloud", () => {
  it.each([
    [{ type: "aws", region: "us-east-1" }, "us.anthropic.claude-opus-5", 5.5],
    [{ type: "aws", region: "eu-central-1" }, "eu.anthropic.claude-opus-5", 5.5],
    [{ type: "aws", region: "ap-southeast-2" }, "au.anthropic.claude-opus-5", 5.5],
    [{ type: "aws", region: "ap-northeast-1" }, "global.anthropic.claude-opus-5", 5],
    [{ type: "aws", region: "ap-northeast-1", inference_profile: "jp" }, "jp.anthropic.claude-opus-5", 5.5],
    [{ type: "aws", region: "us-east-1", inference_profile: "global" }, "global.anthropic.claude-opus-5", 5],
  ] as const)("is served at Bedrock under the geography's name, at its price: %o", (listing, name, price) => {
    const found = resolved({ id: "bedrock-anthropic", auth: listing }).at("claude-opus-5");
    expect(found).toMatchObject({
      upstreamModel: name,
      enabled: true,
      api: "chat",
      price: { inputUsdPerMtok: price },
    });
  });

  it("is served at Vertex AI under Google's name, at its price, which is not known for regions", () => {
    const at = (location: string) =>
      resolved({ id: "vertex-anthropic", auth: { type: "google", project: "p", location } }).at(
        "claude-haiku-4-5",
      );
    expect(at("global")).toMatchObject({
      upstreamModel: "claude-haiku-4-5@20251001",
      enabled: true,
      price: { inputUsdPerMtok: 1, outputUsdPerMtok: 5 },
    });
    expect(at("us-east5")).toMatchObject({ upstreamModel: "claude-haiku-4-5@20251001", price: null });
  });

  it("is served by Bedrock's API key too, in the region of the environment", () => {
    const environment = { AWS_BEARER_TOKEN_BEDROCK: "ABSK-key", AWS_REGION: "eu-west-1" };
    const catalog = catalogOf({ environment, at: AT });
    expect(catalog.deployments("claude-sonnet-5").find((one) => one.enabled)).toMatchObject({
      provider: "bedrock-anthropic",
      upstreamModel: "eu.anthropic.claude-sonnet-5",
      price: { inputUsdPerMtok: 2.2 },
    });
    expect(catalog.providers().find(({ id }) => id === "vertex-anthropic")?.remedy).toBe(
      "set `auth` in an entry of `providers`, as docs/providers.md says",
    );
  });
});
