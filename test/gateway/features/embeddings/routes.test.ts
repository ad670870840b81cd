/** `POST /v1/embeddings`: each field of the request and of the reply. */
import type { FastifyInstance } from "fastify";
import { beforeEach, describe, expect, it } from "vitest";
import { embeddingListSchema } from "../../../../src/gateway/features/embeddings/schema.js";
import { type FakeInference, USAGE } from "../../../fakes/inference.js";
import { serverLimits } from "../../../support/server-limits.js";
import { errorOf, post as postTo, startTestServer } from "../../server.js";

let app: FastifyInstance;
let inference: FakeInference;
beforeEach(() => {
  // Room for the longest list.
  ({ app, inference } = startTestServer({
    limits: serverLimits({ maxBodyBytes: 2 ** 16 }),
  }));
});

const MODEL = "text-embedding-3-small";
const post = (payload: unknown, headers: Record<string, string> = {}) =>
  postTo(app, "/v1/embeddings", { payload, headers });
const ask = (changes: object) => post({ model: MODEL, input: "hello", ...changes });
const asked = () => inference.embeddings.at(-1)?.request;
const refusal = async (changes: object) => {
  const error = await errorOf(ask(changes));
  expect(inference.embeddings).toEqual([]);
  return error;
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
    ["input", undefined, "is missing: it must be a text, or a list of 1 to 2048 texts"],
    ["input", "", "it must be a text"],
    ["input", [], "is an empty list"],
    ["input", Array.from({ length: 2049 }, () => "a"), "is a list of 2049"],
    ["input", { text: "a" }, "is an object"],
    ["input[3]", ["a", "b", "c", ""], "a text has at least one character"],
    ["input[1]", ["a", 424242], "is a number"],
    ["input[1]", [[1], []], "is an empty list"],
    ["input[1]", [1, "secret"], "it must be a token id"],
    ["input[1][1]", [[1], [2, -3]], "it must be a token id"],
  ])("refuses at %s, without repeating it, %j", async (param, input, words) => {
    const refused = await refusal({ input });
    expect(refused).toMatchObject({ code: "invalid_request", param });
    expect(refused.message).toContain(words);
    expect(refused.message).not.toMatch(/secret|424242/);
  });

  it("passes other fields on, `provider`, `fallbacks` and `metadata` beside the body, and omits nulls", async () => {
    const passed = { dimensions: 64, user: "u", input_type: "query" };
    const ours = { metadata: { a: 1 }, fallbacks: ["mistral-embed"] };
    await ask({ ...passed, ...ours, provider: "openai", encoding_format: null });
    expect(asked()).toEqual({
      choice: { type: "named", model: MODEL, provider: "openai" },
      body: { input: "hello", ...passed },
      ...ours,
    });
  });

  it.each([
    [{ encoding_format: "hex" }, "encoding_format", "it must be `float` or `base64`"],
    [{ dimensions: 0 }, "dimensions", "it must be a whole number of at least 1"],
    [{ user: 5 }, "user", "it must be a string"],
    [{ model: "auto" }, "model", "there is nothing to choose by. Name a model"],
    [{ fallbacks: ["auto"] }, "fallbacks[0]", 'is "auto"'],
    [{ fallback: ["a"] }, "fallback", "Did you mean `fallbacks`?"],
    [{ router: {} }, "router", "Embeddings are not routed"],
    [{ stream: true }, "stream", "in one piece"],
    [{ messages: [] }, "messages", "Send the texts in `input`"],
  ])("refuses %j", async (changes, param, words) => {
    const refused = await refusal(changes);
    expect(refused).toMatchObject({ code: "invalid_request", param });
    expect(refused.message).toContain(words);
  });
});
