import { SignatureV4 } from "@smithy/signature-v4";
import { beforeEach, describe, expect, it } from "vitest";
import { anthropic } from "../../../../src/gateway/providers/anthropic/anthropic-provider.js";
import { awsAuthorizer } from "../../../../src/gateway/providers/auth/aws.js";
import { Sha256 } from "../../../../src/gateway/providers/auth/sha256.js";
import { openAiCompatible } from "../../../../src/gateway/providers/openai-compatible/openai-compatible-provider.js";
import { quirksFor } from "../../../../src/gateway/providers/openai-compatible/quirks.js";
import type { ProviderCall } from "../../../../src/gateway/providers/provider.js";
import { answerOf } from "../../../contracts/provider-dialects/answer.js";
import { type AwsAccount, bedrockRefusal } from "../../../fakes/clouds/aws.js";
import { jsonReply, UpstreamServer } from "../../../fakes/upstream-server.js";
import { wholeMessage } from "../anthropic/answers.js";
import { LIMITS } from "../limits.js";

/** Of AWS's test suite for Signature Version 4. */
const EXAMPLE: AwsAccount = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
};
const EXAMPLE_DATE = Date.UTC(2015, 7, 30, 12, 36);

const NOW = Date.UTC(2026, 10, 27);
const MINUTE = 60_000;

const call: ProviderCall = {
  upstreamModel: "us.anthropic.claude-opus-5",
  api: "chat",
  body: { messages: [{ role: "user", content: "Hello" }], user: "u-1", service_tier: "auto" },
  stream: false,
};

let server: UpstreamServer;
let account: AwsAccount;
beforeEach(async () => {
  account = EXAMPLE;
  server = await UpstreamServer.start({
    refuses: (request) =>
      bedrockRefusal(request, { accounts: [account], region: "us-east-1", now: () => NOW }),
  });
  server.answer(
    jsonReply(wholeMessage({ content: [{ type: "text", text: "Hello." }], stop_reason: "end_turn" })),
  );
  return () => server.close();
});

interface Ours {
  readonly region?: string;
  readonly find?: () => Promise<AwsAccount & { expiration?: Date; sessionToken?: string }>;
}

const signer = ({ region = "us-east-1", find = async () => account }: Ours = {}) =>
  awsAuthorizer({ region, profile: undefined, now: () => NOW, findCredentials: find });

const send = (ours: Ours = {}) =>
  anthropic({
    ...LIMITS,
    id: "bedrock-anthropic",
    baseUrl: `${server.origin}/anthropic`,
    apiKey: undefined,
    authorizer: signer(ours),
  }).send(call, new AbortController());

/**
 * Of https://docs.aws.amazon.com/general/latest/gr/aws-sig-v4-test-suite.zip, as
 * https://github.com/awslabs/aws-c-auth/tree/main/tests/aws-signing-test-suite/v4 keeps it (from memory). The suite
 * signs for a service of the name `service`, and neither content type nor sum: that is why the package signs here, and
 * not ours.
 */
describe("The package that signs", () => {
  it("signs AWS's post-form as AWS does, with our hash", async () => {
    const signer = new SignatureV4({
      credentials: EXAMPLE,
      region: "us-east-1",
      service: "service",
      sha256: Sha256,
      applyChecksum: false,
    });
    const hostname = "example.amazonaws.com";
    const headers = { host: hostname, "content-type": "application/x-www-form-urlencoded" };
    const request = {
      method: "POST",
      protocol: "https:",
      hostname,
      path: "/",
      headers,
      body: "Param1=value1",
    };
    const signed = await signer.sign(request, { signingDate: new Date(EXAMPLE_DATE) });
    expect(signed.headers.authorization).toMatch(
      /Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a$/,
    );
  });
});

describe("Requests to Bedrock", () => {
  it("are signed so that AWS accepts them, in Anthropic's dialect", async () => {
    expect(await answerOf(await send())).toMatchObject({ choices: [{ content: "Hello." }] });
    const { path, headers } = server.lastRequest;
    expect([path, headers["anthropic-version"]]).toEqual(["/anthropic/v1/messages", "2023-06-01"]);
    const scope = /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20261127\/us-east-1\/bedrock\//;
    expect(headers.authorization).toMatch(scope);
    expect(headers).not.toHaveProperty("x-api-key");
  });

  it("are signed in OpenAI's dialect, with their query", async () => {
    server.answer(jsonReply({ choices: [{ index: 0, message: { role: "assistant", content: "Hi" } }] }));
    const baseUrl = `${server.origin}/openai/v1?b=2&a=1`;
    const provider = openAiCompatible({
      ...LIMITS,
      id: "bedrock-openai",
      baseUrl,
      apiKey: undefined,
      authorizer: signer(),
      quirks: quirksFor({ id: "bedrock-openai", baseUrl }),
    });
    await provider.send({ ...call, upstreamModel: "openai.gpt-oss-120b-1:0" }, new AbortController());
    expect(server.lastRequest.path).toBe("/openai/v1/chat/completions?b=2&a=1");
  });

  it.each<[string, Ours, RegExp]>([
    ["another region", { region: "eu-west-1" }, /valid region/],
    ["another secret", { find: async () => ({ ...EXAMPLE, secretAccessKey: "other" }) }, /does not match/],
  ])("are refused with %s", async (_what, ours, message) => {
    const upstreamMessage = expect.stringMatching(message);
    await expect(send(ours)).rejects.toMatchObject({
      code: "credentials_refused",
      status: 403,
      upstreamMessage,
    });
  });

  it("are sent once more with new credentials where AWS ended a session early", async () => {
    account = { ...EXAMPLE, session: { token: "second", endsAtMs: NOW + 60 * MINUTE } };
    const tokens = ["first", "second"];
    const find = async () => ({ ...EXAMPLE, sessionToken: tokens.shift() ?? "none" });
    await send({ find });
    expect(server.requests).toHaveLength(2);
    expect(tokens).toEqual([]);
  });
});
