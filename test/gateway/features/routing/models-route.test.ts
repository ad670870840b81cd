/** `GET /v1/providers` and `GET /v1/models`: each parameter and each field. */
import { describe, expect, it } from "vitest";
import { modelListSchema, modelSchema } from "../../../../src/gateway/api/models.js";
import { providerListSchema } from "../../../../src/gateway/features/providers/schema.js";
import { FAKE_DEPLOYMENTS } from "../../../fakes/catalog.js";
import { FakeRouter } from "../../../fakes/router.js";
import { serverLimits } from "../../../support/server-limits.js";
import { errorOf, get, NOW_MS, startTestServer } from "../../server.js";

const profiled = (...models: readonly string[]) =>
  new FakeRouter(models.map((model) => ({ model, provider: "openai", quality: 0.5, costUsd: null })));

const { app, inference } = startTestServer({
  router: profiled("gpt-4o-mini", "lab/own model", "claude-sonnet-4"),
});

describe("GET /v1/providers", () => {
  it("describes gpt-4o-mini by default: its providers, prices and health", async () => {
    const halfOpen = {
      state: "half_open",
      reason: "overloaded",
      error_rate: 0.25,
      p50_ttft_ms: 310.5,
    } as const;
    const closed = { state: "closed", reason: null, error_rate: null, p50_ttft_ms: null } as const;
    inference.healthOf = (provider, model) =>
      provider === "openai" && model === "gpt-4o-mini" ? halfOpen : closed;
    const response = await get(app, "/v1/providers");
    expect(response.statusCode).toBe(200);
    const price = { input_usd_per_mtok: 0.15, cached_input_usd_per_mtok: 0.075, output_usd_per_mtok: 0.6 };
    const both = { type: "openai-compatible", price, context_tokens: 128_000 };
    expect(response.json()).toEqual({
      object: "list",
      model: "gpt-4o-mini",
      data: [
        { ...both, id: "openai", enabled: true, upstream_model: "gpt-4o-mini-2024-07-18", health: halfOpen },
        { ...both, id: "azure", enabled: false, upstream_model: "gpt-4o-mini", health: closed },
      ],
      request_id: response.headers["x-request-id"],
    });
    expect(providerListSchema.parse(response.json())).toEqual(response.json());
  });

  it("returns only that provider for `provider/id`", async () => {
    const { data, model } = (await get(app, "/v1/providers?model=azure/gpt-4o-mini")).json();
    expect([model, data.map(({ id }: { id: string }) => id)]).toEqual(["azure/gpt-4o-mini", ["azure"]]);
  });

  it("answers 404 for an unknown model, quoted readably", async () => {
    expect(await errorOf(get(app, '/v1/providers?model=no%0A"such'), 404)).toMatchObject({
      message: 'There is no model "no\\n\\"such". GET /v1/models lists those that can be used.',
      code: "model_not_found",
      param: "model",
    });
  });

  it.each([
    ["modle=x", "`modle` is not known here. Did you mean `model`?", "modle"],
    ["limit=3", "`limit` is not known here. Known: `model`.", "limit"],
    ["model=a&model=b", "`model` is a list of 2: it must be one model id.", "model"],
    ["model=", '`model` is "": it must be one model id.', "model"],
  ])("refuses ?%s", async (query, message, param) => {
    const error = await errorOf(get(app, `/v1/providers?${query}`));
    expect(error).toMatchObject({ code: "invalid_request", message, param });
  });

  it("never shows a deployment's own parameters", async () => {
    expect(FAKE_DEPLOYMENTS[0]?.parameters).toEqual({ secret: "x" });
    expect((await get(app, "/v1/providers")).body).not.toContain("secret");
  });
});

describe("GET /v1/models", () => {
  const sampling = "max_tokens temperature top_p stop frequency_penalty presence_penalty seed".split(" ");
  const auto = {
    id: "auto",
    owned_by: "sextant",
    created: Math.floor(NOW_MS / 1000),
    description: "The best model for each prompt.",
    architecture: { modality: "text+image->text" },
    pricing: null,
    supported_parameters: expect.arrayContaining([...sampling, "structured_outputs", "reasoning_effort"]),
  };
  /** Facts of the catalog file, and the price and the window of the deployment. */
  const mini = {
    id: "gpt-4o-mini",
    owned_by: "openai",
    created: Date.parse("2024-07-18") / 1000,
    context_length: 128_000,
    architecture: { modality: expect.stringMatching(/^text\+image.*->text$/), output_modalities: ["text"] },
    pricing: { prompt: "0.00000015", completion: "0.0000006", input_cache_read: "0.000000075" },
    top_provider: { context_length: 128_000, max_completion_tokens: 16_384, is_moderated: false },
    supported_parameters: [...sampling, "tools", "tool_choice", "response_format", "structured_outputs"],
  };
  const own = {
    id: "lab/own model",
    owned_by: "lab",
    context_length: null,
    architecture: { modality: "text->text", input_modalities: ["text"], output_modalities: ["text"] },
    pricing: null,
    top_provider: { context_length: null, max_completion_tokens: null },
    supported_parameters: [...sampling, "tools", "tool_choice"],
  };
  const embedder = {
    id: "sextant",
    owned_by: "sextant",
    architecture: { modality: "text->embeddings", output_modalities: ["embeddings"] },
    pricing: { prompt: "0", completion: "0" },
    supported_parameters: [],
  };

  it("lists `auto`, the available models and the embedder, with what pick-lists read", async () => {
    const response = await get(app, "/v1/models");
    expect(modelListSchema.parse(response.json())).toEqual(response.json());
    expect(response.json()).toMatchObject({ object: "list", data: [auto, mini, own, embedder] });
  });

  it.each([
    ["auto", auto],
    ["sextant", embedder],
    ["gpt-4o-mini", mini],
    ["lab%2Fown%20model", own],
    ["lab/own%20model", own],
    ["openai/gpt-4o-mini", { ...mini, id: "openai/gpt-4o-mini", name: "openai/gpt-4o-mini" }],
  ])("retrieves %s", async (path, expected) => {
    const response = await get(app, `/v1/models/${path}`);
    expect(modelSchema.parse(response.json())).toEqual(response.json());
    expect(response.json()).toMatchObject({ object: "model", ...expected });
  });

  it("lists the presets that have models to choose between, after `auto`", async () => {
    const presets = [
      { name: "support", cost_weight: 0.6 },
      { name: "own", models: ["gpt-4o-mini", "lab/own model"] },
      { name: "away", models: ["gpt-4o-mini", "nowhere"] },
    ];
    const server = startTestServer({
      router: profiled("gpt-4o-mini", "lab/own model"),
      limits: serverLimits({ presets }),
    });
    const { data } = modelListSchema.parse((await get(server.app, "/v1/models")).json());
    const ids = data.map(({ id }) => id).filter((id) => id.startsWith("auto"));
    expect(ids).toEqual(["auto", "auto:support", "auto:own"]);
    expect((await get(server.app, "/v1/models/auto:own")).json()).toMatchObject({ id: "auto:own" });
    expect((await get(server.app, "/v1/models/auto:away")).statusCode).toBe(404);
  });

  it("omits `auto` while fewer than two profiled models are available, and says what would help", async () => {
    const few = startTestServer({ router: profiled("gpt-4o-mini", "claude-sonnet-4") });
    const ids = (await get(few.app, "/v1/models")).json().data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(["gpt-4o-mini", "lab/own model", "sextant"]);
    const { code, message } = await errorOf(get(few.app, "/v1/models/auto"), 404);
    expect(code).toBe("model_not_found");
    expect(message).toContain(
      "Configured providers: openai, lab. To add models, set ANTHROPIC_API_KEY (anthropic).",
    );
  });

  it.each(["nope", "a/b/c", "claude-sonnet-4"])(
    "answers 404 for %s, which is unknown or unavailable",
    async (id) => {
      expect((await errorOf(get(app, `/v1/models/${id}`), 404)).code).toBe("model_not_found");
    },
  );
});
