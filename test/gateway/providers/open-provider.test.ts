import { beforeEach, describe, expect, it } from "vitest";
import { openProvider, type ProviderOptions } from "../../../src/gateway/providers/open-provider.js";
import type { ProviderCall } from "../../../src/gateway/providers/provider.js";
import { reply, UpstreamServer } from "../../fakes/upstream-server.js";
import { LIMITS } from "./limits.js";

const call: ProviderCall = {
  upstreamModel: "some-model",
  api: "chat",
  body: { messages: [{ role: "user", content: "Hello" }] },
  stream: false,
};

let server: UpstreamServer;
beforeEach(async () => {
  server = await UpstreamServer.start();
  server.answer(reply({ status: 418 }));
  return () => server.close();
});

const open = (options: Partial<ProviderOptions>) =>
  openProvider({
    id: "lab",
    type: "openai-compatible",
    baseUrl: `${server.origin}/v1`,
    apiKey: "k-123-456",
    limits: LIMITS,
    ...options,
  });

/** What the provider asks its upstream for. */
async function asked(options: Partial<ProviderOptions>) {
  const provider = open(options);
  await expect(provider.send(call, new AbortController())).rejects.toMatchObject({ code: "request_refused" });
  await provider.close();
  return server.lastRequest;
}

describe("openProvider", () => {
  it("opens a provider with OpenAI's dialect", async () => {
    const headers = { authorization: "Bearer k-123-456" };
    expect(await asked({})).toMatchObject({ path: "/v1/chat/completions", headers });
  });

  it("refuses the login of a subscription in the place of a key, without quoting it", () => {
    expect(() => open({ type: "anthropic", apiKey: "sk-ant-oat01-x" })).toThrow(
      /^the key of the provider lab is the login of a Claude subscription\. (?!.*oat01)/,
    );
  });

  it("applies the quirks of the provider that a configured one resembles", async () => {
    expect(await asked({ like: "azure", baseUrl: server.origin, apiVersion: "2024-10-21" })).toMatchObject({
      path: "/openai/deployments/some-model/chat/completions?api-version=2024-10-21",
      headers: { "api-key": "k-123-456" },
    });
    const own = `${server.origin}?api-version=own`;
    expect((await asked({ like: "azure", baseUrl: own, apiVersion: "other" })).path).toMatch(
      /\?api-version=own$/,
    );
    expect((await asked({ apiVersion: "2024-10-21" })).path).toBe("/v1/chat/completions");
  });

  it("opens a provider with Anthropic's dialect", async () => {
    expect(await asked({ type: "anthropic" })).toMatchObject({
      path: "/v1/messages",
      headers: { "x-api-key": "k-123-456", "anthropic-version": "2023-06-01" },
    });
    const dated = await asked({ type: "anthropic", apiVersion: "2030-01-01" });
    expect(dated.headers).toMatchObject({ "anthropic-version": "2030-01-01" });
  });

  it("opens the sandbox, which sends nothing over the network", async () => {
    const sandbox = open({ type: "sandbox", baseUrl: null, apiKey: undefined });
    await expect(sandbox.send(call, new AbortController())).resolves.toMatchObject({
      completion: { model: "sandbox" },
    });
    expect(server.connections).toBe(0);
  });

  it.each<[string, Partial<ProviderOptions>]>([
    ["no address", { baseUrl: null }],
    ["no address for Anthropic", { baseUrl: null, type: "anthropic" }],
    ["an address that is none", { baseUrl: "nowhere secret" }],
    ["an address that is none for Anthropic", { baseUrl: "nowhere secret", type: "anthropic" }],
    ["a key that no header can carry", { apiKey: "secret\n" }],
    ["a likeness nobody knows", { like: "hooli" }],
  ])("refuses %s with an error that does not quote it", (_, options) => {
    const opening = () => open(options);
    expect(opening).toThrow(TypeError);
    expect(opening).not.toThrow(/secret/);
  });
});
