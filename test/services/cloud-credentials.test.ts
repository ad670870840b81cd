/**
 * Credentials as the clouds' own packages find them, against fakes that verify them: `npm run test:packages` installs
 * the packages.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { exportPKCS8, generateKeyPair } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { anthropic } from "../../src/gateway/providers/anthropic/anthropic-provider.js";
import { awsAuthorizer } from "../../src/gateway/providers/auth/aws.js";
import { azureAuthorizer } from "../../src/gateway/providers/auth/azure.js";
import { googleAuthorizer } from "../../src/gateway/providers/auth/google.js";
import type { Authorizer } from "../../src/gateway/providers/http/authorizer.js";
import { openAiCompatible } from "../../src/gateway/providers/openai-compatible/openai-compatible-provider.js";
import { quirksFor } from "../../src/gateway/providers/openai-compatible/quirks.js";
import type { ProviderCall } from "../../src/gateway/providers/provider.js";
import { bedrockRefusal } from "../fakes/clouds/aws.js";
import { ENTRA, EntraFake } from "../fakes/clouds/azure.js";
import { GoogleFake } from "../fakes/clouds/google.js";
import { jsonReply, type SeenRequest, UpstreamServer } from "../fakes/upstream-server.js";
import { wholeMessage } from "../gateway/providers/anthropic/answers.js";
import { LIMITS } from "../gateway/providers/limits.js";
import { folderForTest } from "../support/folders.js";

const HOUR = 3_600_000;
const MESSAGE = wholeMessage({ content: [{ type: "text", text: "Hello." }], stop_reason: "end_turn" });
const COMPLETION = {
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
};

const call: ProviderCall = {
  upstreamModel: "claude-opus-5",
  api: "chat",
  body: { messages: [{ role: "user", content: "Hello" }] },
  stream: false,
};

/** What a cluster or another identity provider says of the gateway; the clouds' own programs verify it. */
const SUBJECT = "token-of-the-cluster";

let folder: string;
let server: UpstreamServer | undefined;
beforeEach(() => {
  folder = folderForTest();
  for (const name of Object.keys(process.env))
    if (/^(AWS|AZURE|GOOGLE|GCE|IDENTITY|MSI)_/.test(name)) vi.stubEnv(name, undefined);
  vi.stubEnv("HOME", folder);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.close();
});

const file = (name: string, content: string | object): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};

async function claudeAt(
  path: string,
  authorizer: Authorizer,
  refuses: (request: SeenRequest) => ReturnType<typeof jsonReply> | null,
) {
  server = await UpstreamServer.start({ refuses });
  server.answer(jsonReply(MESSAGE));
  const baseUrl = `${server.origin}${path}`;
  const provider = anthropic({ ...LIMITS, id: "cloud", baseUrl, apiKey: undefined, authorizer });
  return () => provider.send(call, { signal: new AbortController().signal });
}

describe("AWS's credentials", () => {
  const temporary = { accessKeyId: "ASIAEXAMPLE", secretAccessKey: "temporary" };

  it("are those of a profile, and their signature is accepted", async () => {
    vi.stubEnv("AWS_CONFIG_FILE", file("config", "[profile prod]\nregion = us-east-1\n"));
    vi.stubEnv(
      "AWS_SHARED_CREDENTIALS_FILE",
      file("credentials", "[prod]\naws_access_key_id = AKIAPROD\naws_secret_access_key = of-prod\n"),
    );
    const authorizer = awsAuthorizer({ region: "us-east-1", profile: "prod", now: Date.now });
    const accounts = [{ accessKeyId: "AKIAPROD", secretAccessKey: "of-prod" }];
    const send = await claudeAt("/anthropic", authorizer, (request) =>
      bedrockRefusal(request, { accounts, region: "us-east-1", now: Date.now }),
    );
    await expect(send()).resolves.toMatchObject({ kind: "completion" });
  });

  it("are those of a container's role, asked for once by many requests", async () => {
    let asked = 0;
    const endsAtMs = Date.now() + HOUR;
    const role = await UpstreamServer.start();
    role.answer((exchange) => {
      asked += 1;
      const isAllowed = exchange.request.headers.authorization === "of-the-container";
      const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey } = temporary;
      const Expiration = new Date(endsAtMs).toISOString();
      const body = { AccessKeyId, SecretAccessKey, Token: "session", Expiration };
      return jsonReply(isAllowed ? body : {}, { status: isAllowed ? 200 : 403 })(exchange);
    });
    vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", `${role.origin}/role`);
    vi.stubEnv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "of-the-container");
    const accounts = [{ ...temporary, session: { token: "session", endsAtMs } }];
    const authorizer = awsAuthorizer({ region: "us-east-1", profile: undefined, now: Date.now });
    const send = await claudeAt("/anthropic", authorizer, (request) =>
      bedrockRefusal(request, { accounts, region: "us-east-1", now: Date.now }),
    );
    await Promise.all([send(), send(), send()]);
    expect(asked).toBe(1);
    await role.close();
  });

  it("that are nowhere are a fault that says where to look, without a request", async () => {
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    const authorizer = awsAuthorizer({ region: "us-east-1", profile: undefined, now: Date.now });
    const send = await claudeAt("/anthropic", authorizer, () => null);
    const message = expect.stringContaining("AWS_PROFILE");
    await expect(send()).rejects.toMatchObject({ code: "credentials_refused", message });
    expect(server?.requests).toEqual([]);
  });
});

describe("Google's credentials", () => {
  const PATH = "/v1/projects/p/locations/global/publishers/anthropic/models";
  const EMAIL = "gateway@p.iam.gserviceaccount.com";
  const POOL = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/idp";
  let google: GoogleFake;
  let nowMs: () => number;
  beforeEach(() => {
    nowMs = Date.now;
    const federations = new Map([[POOL, SUBJECT]]);
    google = new GoogleFake({ accounts: [EMAIL], federations, now: () => nowMs() });
  });

  /** Sends a call with the credentials of this file. */
  const sending = (credentialsFile: string) => {
    const clientOptions = { transporterOptions: { fetchImplementation: google.fetch } };
    const authorizer = googleAuthorizer({ project: "p", credentialsFile, now: Date.now, clientOptions });
    return claudeAt(PATH, authorizer, google.refusal);
  };

  const account = async (email = EMAIL) => {
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    return file("account.json", {
      type: "service_account",
      project_id: "p",
      client_email: email,
      private_key: await exportPKCS8(privateKey),
    });
  };

  it("are the token for a service account's assertion, which is renewed when it is refused", async () => {
    const send = await sending(await account());
    await Promise.all([send(), send()]);
    expect(google.issued).toBe(1);
    expect(server?.lastRequest.path).toBe(`${PATH}/claude-opus-5:rawPredict`);
    nowMs = () => Date.now() + 2 * HOUR;
    await expect(send()).rejects.toMatchObject({ code: "credentials_refused", status: 401 });
  });

  it("are no token for an account that Google does not know", async () => {
    const sendAsNobody = await sending(await account("nobody@p.iam.gserviceaccount.com"));
    const message = expect.stringContaining("GOOGLE_APPLICATION_CREDENTIALS");
    await expect(sendAsNobody()).rejects.toMatchObject({ code: "credentials_refused", message });
  });

  it("are the token for that of an identity provider, by workload identity federation", async () => {
    const exchange = await UpstreamServer.start();
    exchange.answer((asked) => google.exchange(asked));
    const send = await sending(
      file("federation.json", {
        type: "external_account",
        audience: POOL,
        token_url: `${exchange.origin}/v1/token`,
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        credential_source: { file: file("token", SUBJECT) },
      }),
    );
    await expect(send()).resolves.toMatchObject({ kind: "completion" });
    await exchange.close();
  });

  it("are those of the machine's service account, of its metadata server", async () => {
    const metadata = await UpstreamServer.start();
    metadata.answer((exchange) => google.metadata(exchange.request)(exchange));
    vi.stubEnv("GCE_METADATA_HOST", metadata.origin.replace("http://", ""));
    vi.stubEnv("METADATA_SERVER_DETECTION", "assume-present");
    const authorizer = googleAuthorizer({ project: "p", credentialsFile: undefined, now: Date.now });
    await expect((await claudeAt(PATH, authorizer, google.refusal))()).resolves.toMatchObject({
      kind: "completion",
    });
    await metadata.close();
  });
});

describe("Azure's credentials", () => {
  let entra: EntraFake;
  let nowMs: () => number;
  beforeEach(() => {
    nowMs = Date.now;
    entra = new EntraFake({ assertion: SUBJECT, now: () => nowMs() });
    vi.stubEnv("AZURE_TENANT_ID", ENTRA.TENANT);
    vi.stubEnv("AZURE_CLIENT_ID", ENTRA.CLIENT);
  });

  const SCOPE = "https://cognitiveservices.azure.com/.default";

  async function azure(scope = SCOPE) {
    const credentialOptions = { httpClient: entra.httpClient, retryOptions: { maxRetries: 0 } };
    const authorizer = azureAuthorizer({ scope, clientId: undefined, now: Date.now, credentialOptions });
    server = await UpstreamServer.start();
    server.answer((exchange) => (entra.refusalOf(exchange.request) ?? jsonReply(COMPLETION))(exchange));
    const baseUrl = `${server.origin}/openai/v1`;
    const provider = openAiCompatible({
      ...LIMITS,
      id: "azure",
      baseUrl,
      apiKey: undefined,
      authorizer,
      quirks: quirksFor({ id: "azure", baseUrl }),
    });
    return () => provider.send({ ...call, upstreamModel: "ours" }, { signal: new AbortController().signal });
  }

  const DONE = { kind: "completion" };

  it("are the token for a client's secret, asked for once by many requests", async () => {
    vi.stubEnv("AZURE_CLIENT_SECRET", ENTRA.SECRET);
    const send = await azure();
    expect(await Promise.all([send(), send()])).toMatchObject([DONE, DONE]);
    expect(entra.issued).toBe(1);
    expect(server?.lastRequest.headers).not.toHaveProperty("api-key");
    nowMs = () => Date.now() + 2 * HOUR;
    await expect(send()).rejects.toMatchObject({ code: "credentials_refused", status: 401 });
  });

  it("are refused by Azure OpenAI when they are for something else", async () => {
    vi.stubEnv("AZURE_CLIENT_SECRET", ENTRA.SECRET);
    const upstreamMessage = expect.stringContaining("audience is incorrect");
    const send = await azure("https://management.azure.com/.default");
    await expect(send()).rejects.toMatchObject({ code: "credentials_refused", upstreamMessage });
  });

  it("are no token for another secret, which is not repeated", async () => {
    vi.stubEnv("AZURE_CLIENT_SECRET", "a-wrong-secret-of-the-client");
    const failure = await (await azure())().catch((reason: unknown) => reason);
    const message = expect.stringContaining("AZURE_TENANT_ID");
    expect(failure).toMatchObject({ code: "credentials_refused", message });
    expect(JSON.stringify({ ...(failure as object) }) + String(failure)).not.toContain("a-wrong-secret");
  });

  it("are the token for that of a cluster, by workload identity federation", async () => {
    vi.stubEnv("AZURE_FEDERATED_TOKEN_FILE", file("token", SUBJECT));
    await expect((await azure())()).resolves.toMatchObject(DONE);
  });
});
