/** `GET /v1/providers` and `GET /v1/models`: each parameter and each field. */
import { afterAll, describe, expect, it } from "vitest";
import { modelListSchema, modelSchema } from "../../../src/api/models.js";
import { providerListSchema } from "../../../src/api/providers.js";
import { FAKE_DEPLOYMENTS } from "../../fakes/catalog.js";
import { FakeRouter } from "../../fakes/router.js";
import { get, NOW_MS, READER_KEY, startTestServer } from "../server.js";

const profiled = (...models: readonly string[]) =>
  new FakeRouter(models.map((model) => ({ model, provider: "openai", quality: 0.5, costUsd: null })));

const { app, inference } = startTestServer({
  router: profiled("gpt-4o-mini", "lab/own model", "claude-sonnet-4"),
});
afterAll(() => app.close());

describe("GET /v1/providers", () => {
  it("describes gpt-4o-mini by default: its providers, prices and health", async () => {
    inference.healthOf = (provider, model) =>
      provider === "openai" && model === "gpt-4o-mini"
        ? { state: "half_open", error_rate: 0.25, p50_ttft_ms: 310.5 }
        : { state: "closed", error_rate: null, p50_ttft_ms: null };
    const response = await get(app, "/v1/providers");
    expect(response.statusCode).toBe(200);
    const price = { input_usd_per_mtok: 0.15, cached_input_usd_per_mtok: 0.075, output_usd_per_mtok: 0.6 };
    expect(response.json()).toEqual({
      object: "list",
      model: "gpt-4o-mini",
      data: [
        {
          id: "openai",
          type: "openai-compatible",
          enabled: true,
          upstream_model: "gpt-4o-mini-2024-07-18",
          price,
          context_tokens: 128_000,
          health: { state: "half_open", error_rate: 0.25, p50_ttft_ms: 310.5 },
        },
        {
          id: "azure",
          type: "openai-compatible",
          enabled: false,
          upstream_model: "gpt-4o-mini",
          price,
          context_tokens: 128_000,
          health: { state: "closed", error_rate: null, p50_ttft_ms: null },
        },
      ],
      request_id: response.headers["x-request-id"],
    });
    expect(providerListSchema.parse(response.json())).toEqual(response.json());
  });

  it("returns null for an unknown price or context window", async () => {
    const [deployment] = (await get(app, "/v1/providers?model=lab%2Fown%20model")).json().data;
    expect(deployment).toMatchObject({ id: "lab", price: null, context_tokens: null });
  });

  it("returns only that provider for `provider/id`", async () => {
    const { data, model } = (await get(app, "/v1/providers?model=azure/gpt-4o-mini")).json();
    expect([model, data.map(({ id }: { id: string }) => id)]).toEqual(["azure/gpt-4o-mini", ["azure"]]);
  });

  it("answers 404 for an unknown model, quoted readably", async () => {
    const response = await get(app, '/v1/providers?model=no%0A"such');
    expect([response.statusCode, response.json().error]).toEqual([
      404,
      {
        message: 'There is no model "no\\n\\"such". GET /v1/models lists those that can be used.',
        type: "invalid_request_error",
        code: "model_not_found",
        param: "model",
      },
    ]);
  });

  it.each([
    ["modle=x", "`modle` is not known here. Did you mean `model`?", "modle"],
    ["limit=3", "`limit` is not known here. Known are `model`.", "limit"],
    ["model=a&model=b", "`model` is a list of 2: it must be one model id.", "model"],
    ["model=", '`model` is "": it must be one model id.', "model"],
  ])("refuses ?%s", async (query, message, param) => {
    const response = await get(app, `/v1/providers?${query}`);
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({ code: "invalid_request", message, param });
  });

  it("never shows a deployment's own parameters", async () => {
    expect(FAKE_DEPLOYMENTS[0]?.parameters).toEqual({ secret: "x" });
    expect((await get(app, "/v1/providers")).body).not.toContain("secret");
  });
});

describe("GET /v1/models", () => {
  const entry = (id: string, owned_by: string) => ({
    id,
    object: "model",
    created: Math.floor(NOW_MS / 1000),
    owned_by,
  });

  it("lists `auto`, then the available models, in OpenAI's format", async () => {
    const response = await get(app, "/v1/models");
    expect(response.json()).toEqual({
      object: "list",
      data: [entry("auto", "sextant"), entry("gpt-4o-mini", "openai"), entry("lab/own model", "lab")],
      request_id: response.headers["x-request-id"],
    });
    expect(modelListSchema.parse(response.json())).toEqual(response.json());
  });

  it.each([
    ["auto", entry("auto", "sextant")],
    ["gpt-4o-mini", entry("gpt-4o-mini", "openai")],
    ["lab%2Fown%20model", entry("lab/own model", "lab")],
    ["lab/own%20model", entry("lab/own model", "lab")],
    ["openai/gpt-4o-mini", entry("openai/gpt-4o-mini", "openai")],
  ])("retrieves %s", async (path, expected) => {
    const response = await get(app, `/v1/models/${path}`);
    expect(response.json()).toEqual({ ...expected, request_id: response.headers["x-request-id"] });
    expect(modelSchema.parse(response.json())).toEqual(response.json());
  });

  it("omits `auto` while fewer than two profiled models are available, and says what would help", async () => {
    const few = startTestServer({ router: profiled("gpt-4o-mini", "claude-sonnet-4") });
    const ids = (await get(few.app, "/v1/models")).json().data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(["gpt-4o-mini", "lab/own model"]);
    const response = await get(few.app, "/v1/models/auto");
    expect([response.statusCode, response.json().error.code]).toEqual([404, "model_not_found"]);
    expect(response.json().error.message).toContain(
      "Configured providers: openai, lab. To add models, set ANTHROPIC_API_KEY (anthropic).",
    );
    await few.app.close();
  });

  it.each(["nope", "a/b/c", "claude-sonnet-4"])(
    "answers 404 for %s, which is unknown or unavailable",
    async (id) => {
      const response = await get(app, `/v1/models/${id}`);
      expect([response.statusCode, response.json().error.code]).toEqual([404, "model_not_found"]);
    },
  );
});

describe("The model and provider lists", () => {
  it("accept any valid credentials, and require some", async () => {
    for (const url of ["/v1/models", "/v1/models/auto", "/v1/providers", "/v1/router/profiles"]) {
      expect((await get(app, url, { "x-api-key": READER_KEY })).statusCode, url).toBe(200);
      expect((await app.inject({ url })).statusCode, url).toBe(401);
    }
  });
});
