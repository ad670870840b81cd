/** Embeddings over real sockets: the official client, and ours → gateway → an upstream that answers as told, or the real embedder. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Sextant } from "../../../src/client/index.js";
import { type ComposedServer, composeServer } from "../../../src/compose/compose.js";
import { openRouterFromSettings } from "../../../src/compose/open-router.js";
import { loadSettings } from "../../../src/gateway/settings/load-settings.js";
import { jsonReply, reply, type Script, UpstreamServer } from "../../fakes/upstream-server.js";

const KEY = "pk_live_0123456789abcdefghijklmnopqrstuvwxyzABCD";
const MODEL = "text-embedding-3-small";
const folder = mkdtempSync(join(tmpdir(), "sextant-embeddings-"));

let upstream: UpstreamServer;
let server: ComposedServer;
let client: OpenAI;
let sextant: Sextant;

beforeAll(async () => {
  upstream = await UpstreamServer.start();
  const environment = {
    SEXTANT_PORT: "0",
    SEXTANT_DATA_DIR: folder,
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_RETRIES: "0",
    SEXTANT_TRACE_FLUSH_MS: "1",
    OPENAI_API_KEY: "sk-of-this-test",
    OPENAI_BASE_URL: `${upstream.origin}/v1`,
  };
  const settings = loadSettings(environment, { workingDirectory: folder });
  const logger = pino({ level: "silent" });
  server = await composeServer(settings, { logger, environment, openRouter: openRouterFromSettings });
  const baseURL = `${await server.start()}/v1`;
  client = new OpenAI({ baseURL, apiKey: KEY, maxRetries: 0 });
  sextant = new Sextant({ baseURL, apiKey: KEY, maxRetries: 0 });
});

afterAll(async () => {
  await server.stop();
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Two numbers for each input, in the encoding that is asked for; 1000 tokens. */
const embeds: Script = async (exchange) => {
  const { input, encoding_format: encoding } = JSON.parse(exchange.request.body);
  const data = [input].flat().map((_: unknown, index: number) => {
    const numbers = [0.25, index];
    const embedding =
      encoding === "base64" ? Buffer.from(Float32Array.from(numbers).buffer).toString("base64") : numbers;
    return { object: "embedding", index, embedding };
  });
  await jsonReply({ object: "list", data, usage: { prompt_tokens: 1000, total_tokens: 1000 } })(exchange);
};
beforeEach(() => upstream.answer(embeds));

const sentBody = () => JSON.parse(upstream.lastRequest.body);

describe("Embeddings through the openai package", () => {
  it("are requested as base64 by default, and have numbers, usage and cost", async () => {
    const list = await client.embeddings.create({ model: MODEL, input: "a moth" });
    expect(sentBody()).toEqual({ model: MODEL, input: "a moth", encoding_format: "base64" });
    expect(list.data).toEqual([{ object: "embedding", index: 0, embedding: [0.25, 0] }]);
    expect(list).toMatchObject({
      object: "list",
      model: MODEL,
      provider: "openai",
      usage: { prompt_tokens: 1000, total_tokens: 1000, completion_tokens: 0, total_cost_usd: 0.00002 },
    });
    expect(list._request_id).toMatch(/^req_/);
  });

  it("of a batch come as numbers with the requested dimensions", async () => {
    const input = ["a moth", "a drawer", "a pin"];
    const list = await client.embeddings.create({
      model: MODEL,
      input,
      encoding_format: "float",
      dimensions: 2,
    });
    expect(sentBody()).toEqual({ model: MODEL, input, encoding_format: "float", dimensions: 2 });
    expect(list.data.map(({ embedding }) => embedding)).toEqual([
      [0.25, 0],
      [0.25, 1],
      [0.25, 2],
    ]);
  });

  it("throw its own error with the provider's message", async () => {
    const error = { message: "This model does not support specifying dimensions.", param: "dimensions" };
    upstream.answer(jsonReply({ error }, { status: 400 }));
    const asked = client.embeddings.create({ model: "text-embedding-ada-002", input: "a", dimensions: 5 });
    await expect(asked).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(asked).rejects.toThrow("This model does not support specifying dimensions.");
    await expect(asked).rejects.toMatchObject({ code: "upstream_rejected", param: "dimensions" });
  });

  it("fail with errors that say what the model can do, and which variable would enable a provider", async () => {
    const chat = client.embeddings.create({ model: "gpt-4o-mini", input: "a" });
    await expect(chat).rejects.toThrow('"gpt-4o-mini" makes no embeddings');
    const answer = client.chat.completions.create({
      model: MODEL,
      messages: [{ role: "user", content: "a" }],
    });
    await expect(answer).rejects.toThrow("Use POST /v1/embeddings");
    const other = client.embeddings.create({ model: "mistral-embed", input: "a" });
    await expect(other).rejects.toThrow("MISTRAL_API_KEY");
  });

  it("have their models in the list of models", async () => {
    const ids = (await client.models.list()).data.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([MODEL, "text-embedding-3-large", "sextant"]));
  });
});

describe("The embedding model `sextant`", () => {
  it("returns unit vectors locally: equal for equal texts, near for texts on the same subject", async () => {
    const seen = upstream.requests.length;
    const input = ["Sort a list of numbers in Python", "Sort an array of integers in Python", "Bake bread"];
    const list = await client.embeddings.create({ model: "sextant", input });
    expect(upstream.requests).toHaveLength(seen);
    const [sort = [], alike = [], bread = []] = list.data.map(({ embedding }) => embedding);
    expect(sort).toHaveLength(128);
    for (const vector of [sort, alike, bread]) expect(dot(vector, vector)).toBeCloseTo(1);
    expect(dot(sort, alike)).toBeGreaterThan(dot(sort, bread));
    expect(list).toMatchObject({
      model: "sextant",
      provider: "sextant",
      usage: { completion_tokens: 0, total_cost_usd: 0, estimated: true },
    });
    const again = await client.embeddings.create({
      model: "sextant",
      input: input[0] ?? "",
      encoding_format: "float",
    });
    expect(again.data[0]?.embedding.map(Math.fround)).toEqual(sort.map(Math.fround));
  });

  it("reports unsupported options", async () => {
    const short = client.embeddings.create({ model: "sextant", input: "a", dimensions: 64 });
    await expect(short).rejects.toThrow("vectors of 128 numbers");
    await expect(client.embeddings.create({ model: "sextant", input: [1, 2] })).rejects.toThrow("token ids");
  });
});

describe("Embeddings through sextant/client", () => {
  it("have typed gateway fields, and use the fallbacks", async () => {
    upstream.answer(async (exchange) => {
      const { model } = JSON.parse(exchange.request.body);
      await (model === MODEL ? reply({ status: 503 }) : embeds)(exchange);
    });
    const list = await sextant.embeddings.create({
      model: MODEL,
      input: "a moth",
      fallbacks: ["text-embedding-3-large"],
      metadata: { team: "client" },
    });
    expect([list.model, list.provider]).toEqual(["text-embedding-3-large", "openai"]);
    expect(list.usage.total_cost_usd).toBe(0.00013);
    const trace = await traceOf(list.request_id);
    expect(trace).toMatchObject({ metadata: { team: "client" }, cost_usd: 0.00013 });
    expect(trace.attempts.map(({ model, code }) => [model, code])).toEqual([
      [MODEL, "overloaded"],
      ["text-embedding-3-large", "ok"],
    ]);
  });
});

it("Embeddings have a trace", async () => {
  const list = await sextant.embeddings.create({ model: "sextant", input: ["a moth", "a drawer"] });
  expect(await traceOf(list.request_id)).toMatchObject({
    kind: "embeddings",
    model: "sextant",
    provider: "sextant",
    status: "success",
    input_text: "a moth\na drawer",
    output_text: "",
    tokens_out: 0,
    cost_usd: 0,
  });
});

/** The trace, once it is written. */
const traceOf = (requestId: string) =>
  expect
    .poll(() => sextant.traces.retrieve(requestId).catch(() => undefined), { timeout: 20_000 })
    .toBeDefined()
    .then(() => sextant.traces.retrieve(requestId));

const dot = (left: readonly number[], right: readonly number[]): number =>
  left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
