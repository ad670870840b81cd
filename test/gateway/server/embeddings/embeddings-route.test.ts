/** `POST /v1/embeddings`: each field of the request and of the reply. */
import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { embeddingListSchema } from "../../../../src/gateway/api/embeddings.js";
import { type FakeInference, USAGE } from "../../../fakes/inference.js";
import { serverLimits } from "../../../support/server-limits.js";
import { post as postTo, READER_KEY, startTestServer } from "../server.js";

let app: FastifyInstance;
let inference: FakeInference;
beforeEach(() => {
  // Room for the longest list.
  ({ app, inference } = startTestServer({
    limits: serverLimits({ maxBodyBytes: 2 ** 16, maxBodyValues: 10_000 }),
  }));
});
afterEach(() => app.close());

const MODEL = "text-embedding-3-small";
const post = (payload: unknown, headers: Record<string, string> = {}) =>
  postTo(app, "/v1/embeddings", { payload, headers });
const ask = (changes: object) => post({ model: MODEL, input: "hello", ...changes });
const asked = () => inference.embeddings.at(-1)?.request;
const refusal = async (payload: unknown) => {
  const response = await post(payload);
  const { code, param, message } = response.json().error;
  expect(inference.embeddings).toEqual([]);
  return { status: response.statusCode, code, param, message };
};

describe("POST /v1/embeddings", () => {
  it("answers with OpenAI's list, provider, usage and request id", async () => {
    inference.limitHeaders = { "x-ratelimit-limit-requests": "60" };
    const response = await ask({ input: ["a", "b"] });
    expect(response.statusCode).toBe(200);
    expect(response.headers["x-ratelimit-limit-requests"]).toBe("60");
    expect(response.json()).toEqual({
      object: "list",
      data: [
        { object: "embedding", index: 0, embedding: [0.5, 0, -1] },
        { object: "embedding", index: 1, embedding: [0.5, 1, -1] },
      ],
      model: MODEL,
      provider: "openai",
      usage: USAGE,
      request_id: response.headers["x-request-id"],
    });
    expect(embeddingListSchema.parse(response.json())).toEqual(response.json());
  });

  it("returns base64 texts for `encoding_format: base64`", async () => {
    const { data } = (await ask({ encoding_format: "base64" })).json();
    const bytes = Buffer.from(data[0].embedding, "base64");
    expect([0, 4, 8].map((at) => bytes.readFloatLE(at))).toEqual([0.5, 0, -1]);
    expect(asked()?.body).toEqual({ input: "hello", encoding_format: "base64" });
  });

  it.each([
    ["a text", "hello"],
    ["texts", ["hello", "world"]],
    ["token ids", [1, 0, 99]],
    ["lists of token ids", [[1, 2], [3]]],
    ["2048 texts", Array.from({ length: 2048 }, () => "a")],
  ])("accepts as `input` %s", async (_, input) => {
    expect((await ask({ input })).statusCode).toBe(200);
    expect(asked()?.body.input).toEqual(input);
  });

  it.each([
    ["missing", undefined, "input", "is missing: it must be a text, or a list of 1 to 2048 texts"],
    ["null", null, "input", "is null"],
    ["an empty text", "", "input", "it must be a text"],
    ["an empty list", [], "input", "is an empty list"],
    ["too long a list", Array.from({ length: 2049 }, () => "a"), "input", "is a list of 2049"],
    ["an object", { text: "a" }, "input", "is an object"],
    ["a list with an empty text", ["a", "b", "c", ""], "input[3]", "a text has at least one character"],
    ["a list with a number", ["a", 5], "input[1]", "is a number"],
    ["a list with an empty list", [[1], []], "input[1]", "is an empty list"],
    ["token ids with a text", [1, "a"], "input[1]", "it must be a token id"],
    ["a list with a bad token id", [[1], [2, -3]], "input[1][1]", "it must be a token id"],
    ["a list with half a token", [[1.5]], "input[0][0]", "it must be a token id"],
  ])("refuses as `input` %s, naming the position", async (_, input, param, words) => {
    const refused = await refusal({ model: MODEL, input });
    expect(refused).toMatchObject({ status: 400, code: "invalid_request", param });
    expect(refused.message).toContain(words);
  });

  it("never repeats the `input` in an error", async () => {
    expect((await refusal({ model: MODEL, input: [[1], "secret", 7] })).message).not.toContain("secret");
    expect((await refusal({ model: MODEL, input: ["a", 424242] })).message).not.toContain("424242");
  });

  it("passes other fields on, and omits nulls", async () => {
    await ask({ dimensions: 64, user: "u", encoding_format: null, input_type: "query", metadata: { a: 1 } });
    expect(asked()).toEqual({
      choice: { type: "named", model: MODEL, provider: undefined },
      body: { input: "hello", dimensions: 64, user: "u", input_type: "query" },
      fallbacks: [],
      metadata: { a: 1 },
    });
  });

  it("passes `provider` and `fallbacks` to inference", async () => {
    await ask({ provider: "openai", fallbacks: ["mistral-embed"] });
    expect(asked()).toMatchObject({
      choice: { type: "named", model: MODEL, provider: "openai" },
      fallbacks: ["mistral-embed"],
    });
  });

  it.each([
    [{ encoding_format: "hex" }, "encoding_format", "it must be `float` or `base64`"],
    [{ dimensions: 0 }, "dimensions", "it must be a whole number of at least 1"],
    [{ dimensions: 1.5 }, "dimensions", "it must be a whole number of at least 1"],
    [{ user: 5 }, "user", "it must be a string"],
    [{ model: "auto" }, "model", "there is nothing to choose by. Name a model"],
    [{ fallbacks: ["auto"] }, "fallbacks[0]", 'is "auto"'],
    [{ dimension: 5 }, "dimension", "Did you mean `dimensions`?"],
    [{ fallback: ["a"] }, "fallback", "Did you mean `fallbacks`?"],
    [{ router: {} }, "router", "Embeddings are not routed"],
    [{ stream: true }, "stream", "in one piece"],
    [{ messages: [] }, "messages", "Send the texts in `input`"],
  ])("refuses %j", async (changes, param, words) => {
    const refused = await refusal({ model: MODEL, input: "hello", ...changes });
    expect(refused).toMatchObject({ status: 400, code: "invalid_request", param });
    expect(refused.message).toContain(words);
  });

  it("requires the scope `inference`", async () => {
    const response = await post({ model: MODEL, input: "a" }, { "x-api-key": READER_KEY });
    expect([response.statusCode, response.json().error.code]).toEqual([403, "insufficient_scope"]);
  });

  it("lets tools look up the local embedder, and lists it as what it is", async () => {
    const headers = { "x-api-key": READER_KEY };
    const found = await app.inject({ url: "/v1/models/sextant", headers });
    expect(found.json()).toMatchObject({ id: "sextant", object: "model", owned_by: "sextant" });
    const { data } = (await app.inject({ url: "/v1/models", headers })).json();
    const listed = data.find(({ id }: { id: string }) => id === "sextant");
    expect(listed.architecture.output_modalities).toEqual(["embeddings"]);
  });
});
