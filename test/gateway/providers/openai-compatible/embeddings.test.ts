import { beforeEach, describe, expect, it } from "vitest";
import type { EmbeddingBody } from "../../../../src/gateway/providers/embeddings.js";
import { openAiCompatible } from "../../../../src/gateway/providers/openai-compatible/openai-compatible-provider.js";
import { quirksFor } from "../../../../src/gateway/providers/openai-compatible/quirks.js";
import type { EmbeddingReply } from "../../../../src/gateway/providers/provider.js";
import { faultOf } from "../../../contracts/provider.contract.js";
import { jsonReply, UpstreamServer } from "../../../fakes/upstream-server.js";
import { LIMITS } from "../limits.js";

const MODEL = "text-embedding-3-small";

let server: UpstreamServer;
beforeEach(async () => {
  server = await UpstreamServer.start();
  return () => server.close();
});

interface Ways {
  readonly like?: string;
  readonly path?: string;
  readonly model?: string;
  readonly signal?: AbortSignal;
}

async function embed(
  body: EmbeddingBody,
  { like, path = "/v1", model = MODEL, signal = new AbortController().signal }: Ways = {},
): Promise<EmbeddingReply> {
  const baseUrl = server.origin + path;
  const quirks = quirksFor({ id: "lab", like, baseUrl });
  const provider = openAiCompatible({ id: "lab", baseUrl, apiKey: "k-123-456", quirks, ...LIMITS });
  try {
    const call = { upstreamModel: model, body };
    const reply = await provider.embed?.(call, { signal });
    if (reply === undefined) throw new Error("it makes no embeddings");
    return reply;
  } finally {
    await provider.close();
  }
}

const listOf = (vectors: readonly unknown[], more: object = {}) => ({
  object: "list",
  data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
  model: MODEL,
  usage: { prompt_tokens: 5, total_tokens: 5 },
  ...more,
});

/** 0.5 and −1. */
const BASE64 = "AAAAPwAAgL8=";
const NOT_A_NUMBER = Buffer.from(Float32Array.of(Number.NaN).buffer).toString("base64");
const sentBody = () => JSON.parse(server.lastRequest.body);

describe("Embeddings of an OpenAI-compatible provider", () => {
  it("are requested with every field unchanged and the provider's name of the model", async () => {
    server.answer(jsonReply(listOf([[1, 2]])));
    const fields = { dimensions: 2, encoding_format: "float", user: "u", input_type: "query" } as const;
    const { vectors, usage } = await embed({ input: "hello", ...fields });
    const headers = { authorization: "Bearer k-123-456" };
    expect(server.lastRequest).toMatchObject({ method: "POST", path: "/v1/embeddings", headers });
    expect(sentBody()).toEqual({ model: MODEL, input: "hello", ...fields });
    expect(vectors).toEqual([[1, 2]]);
    expect(usage).toMatchObject({ promptTokens: 5, completionTokens: 0 });
  });

  it("are requested in the provider's field names, without fields that it refuses", async () => {
    server.answer(jsonReply(listOf([[1, 2]])));
    const body = { input: "hello", dimensions: 2, encoding_format: "base64", user: "u" } as const;
    await embed(body, { like: "mistral" });
    expect(sentBody()).toMatchObject({ output_dimension: 2, encoding_format: "base64" });
    expect(sentBody()).not.toHaveProperty("dimensions");
    expect(sentBody()).not.toHaveProperty("user");
    await embed(body, { like: "google" });
    expect(sentBody()).toEqual({ model: MODEL, input: "hello", dimensions: 2 });
  });

  it("are requested at the deployment's address on Azure", async () => {
    server.answer(jsonReply(listOf([[1, 2]])));
    await embed({ input: "hello" }, { like: "azure", path: "/openai?api-version=2024-10-21", model: "emb" });
    expect(server.lastRequest.path).toBe("/openai/deployments/emb/embeddings?api-version=2024-10-21");
  });

  it("have the requested encoding, whether or not the server supports it", async () => {
    server.answer(jsonReply(listOf([[0.5, -1]])));
    expect((await embed({ input: "a", encoding_format: "base64" })).vectors).toEqual([BASE64]);
    server.answer(jsonReply(listOf([BASE64])));
    expect((await embed({ input: "a" })).vectors).toEqual([[0.5, -1]]);
    expect((await embed({ input: "a", encoding_format: "base64" })).vectors).toEqual([BASE64]);
  });

  it("are sorted in the order of the inputs, of which a list of token ids is one", async () => {
    server.answer(jsonReply({ data: [1, 0].map((index) => ({ index, embedding: [index + 1] })) }));
    expect(await embed({ input: ["a", "b"] })).toEqual({ vectors: [[1], [2]], usage: null });
    server.answer(jsonReply({ data: [{ embedding: [1] }, { embedding: [2] }] }));
    expect((await embed({ input: [[1, 2], [3]] })).vectors).toEqual([[1], [2]]);
    server.answer(jsonReply(listOf([[1]])));
    expect((await embed({ input: [1, 2, 3] })).vectors).toHaveLength(1);
  });

  it("reject an aborted call with the signal's reason, and send nothing", async () => {
    const gone = new Error("gone");
    await expect(embed({ input: "a" }, { signal: AbortSignal.abort(gone) })).rejects.toBe(gone);
    expect(server.requests).toEqual([]);
  });

  it.each([
    ["too few", listOf([[1]])],
    ["none", { object: "list" }],
    ["one that is no vector", listOf([[1], { values: [1] }])],
    ["an empty one", listOf([[1], []])],
    ["one of texts", listOf([[1], ["0.5"]])],
    ["half a number", listOf([[1], "AAAA"])],
    ["base64 that is none", listOf([[1], "not base64!"])],
    ["a number that is none", listOf([[1], NOT_A_NUMBER])],
    ["the same index twice", { data: [0, 0].map((index) => ({ index, embedding: [1] })) }],
    ["an index of no input", { data: [0, 2].map((index) => ({ index, embedding: [1] })) }],
  ])("are invalid, so that another provider is called, and billed if counted: %s", async (_, body) => {
    server.answer(jsonReply(body));
    const fault = await faultOf(embed({ input: ["a", "b"] }));
    expect(fault).toMatchObject({ code: "invalid_reply", status: 200, retryable: true });
    expect(fault.usage?.promptTokens).toBe("usage" in body ? 5 : undefined);
  });

  it("have no usage when the reported count is impossible", async () => {
    for (const usage of [undefined, null, {}, { prompt_tokens: 0, total_tokens: 0 }]) {
      server.answer(jsonReply(listOf([[1]], { usage })));
      expect((await embed({ input: "a" })).usage).toBeNull();
    }
  });

  it("that are refused have the provider's message, without the key", async () => {
    const error = { message: "k-123-456: dimensions must be at most 1536", code: "bad", param: "dimensions" };
    server.answer(jsonReply({ error }, { status: 400 }));
    const fault = await faultOf(embed({ input: "a", dimensions: 9999 }));
    expect(fault).toMatchObject({ code: "request_refused", status: 400, upstreamParam: "dimensions" });
    expect(fault.upstreamMessage).toContain("at most 1536");
    expect(fault.upstreamMessage).not.toContain("k-123-456");
  });
});
