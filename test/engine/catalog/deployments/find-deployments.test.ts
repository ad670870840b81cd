import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CatalogOptions, createCatalog } from "../../../../src/engine/catalog/catalog.js";
import type { Deployment } from "../../../../src/engine/catalog/deployments/deployment.js";
import { resolveProviders } from "../../../../src/engine/catalog/deployments/provider-entries.js";
import type { CatalogSettings } from "../../../../src/engine/catalog/entries.js";
import { datasetNames } from "../../../../src/engine/catalog/models/dataset-names.js";

type Environment = Readonly<Record<string, string>>;

const AT = new Date("2026-01-15T12:00:00Z");

const EVERY_KEY: Environment = Object.fromEntries(
  [
    "OPENAI",
    "ANTHROPIC",
    "GEMINI",
    "MISTRAL",
    "DEEPSEEK",
    "XAI",
    "GROQ",
    "TOGETHER",
    "FIREWORKS",
    "OPENROUTER",
  ].map((name) => [`${name}_API_KEY`, "key"]),
);

interface World extends Partial<CatalogSettings>, Pick<CatalogOptions, "now"> {
  readonly environment?: Environment;
  readonly sandbox?: boolean;
  readonly at?: Date;
}

function catalogOf({ environment = EVERY_KEY, sandbox = false, at = AT, now, ...given }: World = {}) {
  const settings = { providers: [], deployments: [], prices: {}, ...given };
  const providers = resolveProviders({ ...settings, sandbox }, environment);
  return createCatalog(settings, { at, providers, ...(now === undefined ? {} : { now }) });
}

const deploymentsOf = (name: string, world?: World): readonly Deployment[] =>
  catalogOf(world).deployments(name);
/** `openai=gpt-4o`: who, and under which name. */
const whereOf = (name: string, world?: World): readonly string[] =>
  deploymentsOf(name, world).map(({ provider, upstreamModel }) => `${provider}=${upstreamModel}`);

const lab = (models: CatalogSettings["providers"][number]["models"], id = "lab") =>
  ({ id, type: "openai-compatible", base_url: "http://localhost:8000/v1", models }) as const;

describe("findDeployments for a model id", () => {
  it("returns deployments at its maker and at hosts, under the names that they use", () => {
    expect(whereOf("gpt-4o-mini")).toEqual(["openai=gpt-4o-mini", "openrouter=openai/gpt-4o-mini"]);
    expect(whereOf("llama-3.1-8b-instruct")).toEqual(["openrouter=meta-llama/llama-3.1-8b-instruct"]);
    expect(whereOf("claude-opus-4-5")).toEqual([
      "anthropic=claude-opus-4-5",
      "openrouter=anthropic/claude-opus-4.5",
      "vertex-anthropic=claude-opus-4-5@20251101",
    ]);
    expect(whereOf("gpt-oss-120b")).toEqual([
      "groq=openai/gpt-oss-120b",
      "together=openai/gpt-oss-120b",
      "fireworks=accounts/fireworks/models/gpt-oss-120b",
      "openrouter=openai/gpt-oss-120b",
    ]);
  });

  it("requests a vendor's dated snapshot under exactly that name", () => {
    expect(whereOf("gpt-4o-2024-08-06")[0]).toBe("openai=gpt-4o-2024-08-06");
    expect(whereOf("claude-haiku-4-5-20251001")[0]).toBe("anthropic=claude-haiku-4-5-20251001");
    const at = new Date("2025-06-01");
    expect(whereOf("claude-3-5-sonnet-20241022", { at })).toEqual(["anthropic=claude-3-5-sonnet-20241022"]);
    expect(whereOf("gemini-1.5-flash-002", { at })).toEqual(["google=gemini-1.5-flash-002"]);
  });

  it("requests one of our ids by the vendor's full name, and resolves that name to our id", () => {
    const [deployment] = deploymentsOf("claude-sonnet-4");
    expect(deployment).toMatchObject({ provider: "anthropic", upstreamModel: "claude-sonnet-4-20250514" });
    expect(deploymentsOf("claude-sonnet-4-20250514")).toEqual(deploymentsOf("claude-sonnet-4"));
    expect(whereOf("gpt-4.1-2025-04-14")[0]).toBe("openai=gpt-4.1-2025-04-14");
    expect(deploymentsOf("gpt-4.1-2025-04-14")[0]?.model).toBe("gpt-4.1");
  });

  it("returns no deployment at a provider that sells another model under that name", () => {
    expect(whereOf("mistral-medium-3")).toEqual(["openrouter=mistralai/mistral-medium-3"]);
    expect(whereOf("deepseek-r1")).toEqual(["openrouter=deepseek/deepseek-r1"]);
    expect(whereOf("gemma-2-27b-it")).toEqual(["openrouter=google/gemma-2-27b-it"]);
    expect(whereOf("claude-opus-4-5").some((where) => where.startsWith("google"))).toBe(false);
    expect(whereOf("gpt-oss-20b").some((where) => where.startsWith("openai="))).toBe(false);
    expect(whereOf("gpt-4o-20250129")).toEqual([]);
    expect(whereOf("deepseek-v2-chat")).toEqual([]);
  });

  it("returns the price, the context and the endpoint of each deployment", () => {
    expect(deploymentsOf("gpt-4o-mini")[0]).toMatchObject({
      model: "gpt-4o-mini",
      enabled: true,
      api: "responses",
      chatToo: true,
      contextTokens: 128_000,
      parameters: {},
      refuses: [],
      price: { inputUsdPerMtok: 0.15, cachedInputUsdPerMtok: 0.075, outputUsdPerMtok: 0.6, tiers: [] },
    });
    expect(deploymentsOf("gemini-2.5-pro")[0]?.price?.tiers).toEqual([
      {
        abovePromptTokens: 200_000,
        rates: expect.objectContaining({ inputUsdPerMtok: 2.5, outputUsdPerMtok: 15 }),
      },
    ]);
  });

  it("marks a deployment as not enabled where the key is missing", () => {
    const some = deploymentsOf("gpt-4o-mini", { environment: { OPENROUTER_API_KEY: "k" } });
    expect(some.map(({ provider, enabled }) => [provider, enabled])).toEqual([
      ["openrouter", true],
      ["openai", false],
    ]);
    const none = catalogOf({ environment: {} });
    expect(none.deployments("gpt-4o-mini").map(({ enabled }) => enabled)).toEqual([false, false]);
    expect(none.isRunnable("gpt-4o-mini")).toBe(false);
  });

  it("resolves a market's id with a maker's prefix to the known model", () => {
    const [deployment] = deploymentsOf("meta-llama/llama-3.1-8b-instruct");
    expect(deployment).toMatchObject({
      model: "llama-3.1-8b-instruct",
      provider: "openrouter",
      upstreamModel: "meta-llama/llama-3.1-8b-instruct",
    });
  });
});

describe("findDeployments for `provider/id`", () => {
  it("returns that provider alone, by the id or another name", () => {
    expect(whereOf("openai/gpt-4o-mini")).toEqual(["openai=gpt-4o-mini"]);
    expect(whereOf("openrouter/gpt-4o-mini")).toEqual(["openrouter=openai/gpt-4o-mini"]);
    expect(whereOf("gemini/gemini-2.5-pro")).toEqual(["google=gemini-2.5-pro"]);
    expect(whereOf("xai/grok-4.3")).toEqual(["x-ai=grok-4.3"]);
    expect(whereOf("anthropic/claude-sonnet-4")).toEqual(["anthropic=claude-sonnet-4-20250514"]);
  });

  it("passes an unlisted id through, without a price", () => {
    expect(deploymentsOf("openai/gpt-9")).toMatchObject([
      { provider: "openai", upstreamModel: "gpt-9", model: "gpt-9", price: null, enabled: true },
    ]);
    expect(whereOf("openrouter/meta-llama/llama-3-70b")).toEqual(["openrouter=meta-llama/llama-3-70b"]);
    expect(whereOf("ollama/Qwen3:8b")).toEqual(["ollama=Qwen3:8b"]);
    expect(deploymentsOf("groq/gpt-4o-mini")[0]).toMatchObject({ upstreamModel: "gpt-4o-mini", price: null });
  });

  it("resolves the full name that an aggregator gives to one of our models", () => {
    expect(deploymentsOf("openrouter/openai/o4-mini")).toMatchObject([
      { model: "o4-mini", upstreamModel: "openai/o4-mini", contextTokens: 200_000 },
    ]);
    expect(deploymentsOf("openrouter/someone/o4-mini")).toMatchObject([
      { model: "someone/o4-mini", price: null },
    ]);
  });

  it("keeps slashes in the model id", () => {
    expect(whereOf("openrouter/meta-llama/llama-3.1-8b-instruct")).toEqual([
      "openrouter=meta-llama/llama-3.1-8b-instruct",
    ]);
    expect(deploymentsOf("openrouter/deepseek/deepseek-r1:free")[0]?.price?.outputUsdPerMtok).toBe(0);
  });

  it("uses the maker's price on Azure, where the deployment's name names the model", () => {
    expect(deploymentsOf("azure/gpt-4o")).toMatchObject([
      { provider: "azure", upstreamModel: "gpt-4o", enabled: false, price: { inputUsdPerMtok: 2.5 } },
    ]);
    expect(whereOf("gpt-4o").some((where) => where.startsWith("azure"))).toBe(false);
  });

  it("returns nothing for an unknown provider", () => {
    expect(deploymentsOf("nobody/gpt-4o-mini")).toEqual([]);
    expect(deploymentsOf("sandbox/gpt-4o-mini")).toEqual([]);
  });
});

describe("findDeployments for a variant of a model", () => {
  it("requests it with each provider's own parameters", () => {
    const asked = (name: string, world?: World) =>
      deploymentsOf(name, world).map(({ provider, upstreamModel, parameters }) => ({
        provider,
        upstreamModel,
        parameters,
      }));
    expect(asked("o4-mini:high")).toEqual([
      { provider: "openai", upstreamModel: "o4-mini", parameters: { reasoning_effort: "high" } },
      {
        provider: "openrouter",
        upstreamModel: "openai/o4-mini",
        parameters: { reasoning: { effort: "high" } },
      },
    ]);
    expect(asked("gpt-6-sol:max")).toContainEqual({
      ...{ provider: "openrouter", upstreamModel: "openai/gpt-6-sol" },
      parameters: { reasoning: { effort: "max" } },
    });
    expect(asked("claude-sonnet-4:thinking")).toEqual([
      {
        provider: "anthropic",
        upstreamModel: "claude-sonnet-4-20250514",
        parameters: { thinking: { type: "enabled", budget_tokens: 24_000 } },
      },
      {
        provider: "openrouter",
        upstreamModel: "anthropic/claude-sonnet-4",
        parameters: { reasoning: { max_tokens: 24_000 } },
      },
    ]);
    expect(asked("gemini-2.5-pro:low")[0]).toEqual({
      provider: "google",
      upstreamModel: "gemini-2.5-pro",
      parameters: { reasoning_effort: "low" },
    });
    expect(asked("qwen3-235b-a22b:no-thinking")).toContainEqual({
      provider: "fireworks",
      upstreamModel: "accounts/fireworks/models/qwen3-235b-a22b",
      parameters: { reasoning_effort: "none" },
    });
  });

  it("keeps its own id at the price of the model", () => {
    const [variant] = deploymentsOf("o4-mini:high");
    expect(variant).toMatchObject({ model: "o4-mini:high", price: deploymentsOf("o4-mini")[0]?.price });
    expect(variant?.contextTokens).toBe(200_000);
  });

  it("returns nothing when no request can ask for it", () => {
    expect(deploymentsOf("llama-3.3-nemotron-super-49b-v1:thinking")).toEqual([]);
  });

  it("includes the providers that the settings list for the model", () => {
    const world = {
      providers: [{ ...lab([{ id: "qwen3-30b-a3b", upstream_model: "qwen" }]), like: "vllm" }],
    };
    expect(deploymentsOf("qwen3-30b-a3b:no-thinking", world)[0]).toMatchObject({
      provider: "lab",
      upstreamModel: "qwen",
      parameters: { chat_template_kwargs: { enable_thinking: false } },
    });
  });
});

describe("The parameters of a deployment for a reasoning effort", () => {
  const askedFor = (name: string, provider: string, effort: string, world?: World) =>
    deploymentsOf(name, world).find((one) => one.provider === provider)?.effortParameters?.[effort];
  const vllm: World = {
    providers: [{ ...lab([{ id: "qwen3-8b" }, { id: "house-model" }], "vllm"), like: "vllm" }],
  };

  it("are its nearest level not above the effort, else its lowest", () => {
    expect(askedFor("gpt-5", "openai", "minimal")).toEqual({ reasoning_effort: "minimal" });
    expect(askedFor("gpt-5", "openai", "max")).toEqual({ reasoning_effort: "high" });
    expect(askedFor("gpt-5", "openai", "none")).toEqual({ reasoning_effort: "minimal" });
    expect(askedFor("gpt-5", "openrouter", "high")).toEqual({ reasoning: { effort: "high" } });
    expect(askedFor("gpt-5:high", "openai", "low")).toEqual({ reasoning_effort: "low" });
    expect(askedFor("gemini-3-flash", "google", "xhigh")).toEqual({ reasoning_effort: "high" });
  });

  it("are the effort itself where the adapter computes a budget", () => {
    expect(askedFor("claude-haiku-4-5", "anthropic", "low")).toEqual({ reasoning_effort: "low" });
    expect(askedFor("claude-haiku-4-5", "anthropic", "none")).toEqual({ reasoning_effort: "none" });
    expect(askedFor("claude-opus-4-6", "openrouter", "xhigh")).toEqual({ reasoning: { effort: "high" } });
  });

  it("are the provider's own switch where reasoning is on or off", () => {
    const chat_template_kwargs = { enable_thinking: false };
    expect(askedFor("qwen3-8b", "vllm", "none", vllm)).toEqual({ chat_template_kwargs });
    expect(askedFor("qwen3-8b", "vllm", "low", vllm)).toEqual({
      chat_template_kwargs: { enable_thinking: true },
    });
    expect(askedFor("qwen3-8b", "openrouter", "low")).toEqual({ reasoning: { enabled: true } });
  });

  it.each([
    ["that does not reason", "gpt-4o-mini", {}],
    ["that always reasons", "grok-4", {}],
    ["that nobody knows", "vllm/house-model", vllm],
  ])("are unknown for a model %s", (_, name, world) => {
    const deployments = deploymentsOf(name, world);
    expect(deployments.length).toBeGreaterThan(0);
    for (const deployment of deployments) expect(deployment).not.toHaveProperty("effortParameters");
  });
});

describe("Unsupported request fields of a deployment", () => {
  const refuses = (name: string) => deploymentsOf(name)[0]?.refuses ?? [];

  it("include the sampling fields of reasoning models only", () => {
    for (const model of ["o3", "o4-mini:high", "gpt-5", "gpt-5.2", "openrouter/openai/gpt-5-mini"]) {
      expect(refuses(model), model).toEqual(
        expect.arrayContaining(["temperature", "top_p", "presence_penalty"]),
      );
    }
    for (const model of ["gpt-4o", "gpt-4.1", "gpt-5-chat-latest", "llama-3.1-8b-instruct"]) {
      expect(refuses(model), model).not.toContain("temperature");
    }
  });

  it("include both sampling fields of Claude models that think, and one of them where only one is accepted", () => {
    for (const model of [
      "claude-opus-4-7",
      "claude-opus-5-5",
      "claude-sonnet-5",
      "claude-sonnet-4:thinking",
    ]) {
      expect(refuses(model), model).toEqual(expect.arrayContaining(["temperature", "top_p"]));
    }
    expect(refuses("claude-sonnet-4-5")).toContain("top_p");
    expect(refuses("claude-sonnet-4-5")).not.toContain("temperature");
    expect(refuses("claude-sonnet-4")).toEqual(["presence_penalty", "frequency_penalty"]);
  });

  it("are those of the model behind a configured deployment", () => {
    const deployments = [{ name: "thinker", provider: "openai", upstream_model: "o3" }];
    expect(deploymentsOf("thinker", { deployments })[0]?.refuses).toContain("temperature");
  });
});

describe("findDeployments with providers of the settings", () => {
  const providers = [
    lab([
      {
        id: "gpt-4o-mini",
        upstream_model: "x",
        price: { input_usd_per_mtok: 9, cache_write_usd_per_mtok: 4, output_usd_per_mtok: 8 },
        context_tokens: 1_000,
        api: "completions",
      },
      { id: "private" },
    ]),
    lab([{ id: "private" }], "second"),
  ];

  it("lists them first, with the configured values", () => {
    expect(deploymentsOf("gpt-4o-mini", { providers })[0]).toEqual({
      model: "gpt-4o-mini",
      provider: "lab",
      enabled: true,
      upstreamModel: "x",
      api: "completions",
      price: {
        inputUsdPerMtok: 9,
        cachedInputUsdPerMtok: null,
        cacheWriteUsdPerMtok: 4,
        cacheWriteHourUsdPerMtok: null,
        outputUsdPerMtok: 8,
        tiers: [],
      },
      priceSource: "settings",
      contextTokens: 1_000,
      parameters: {},
      refuses: [],
      retired: false,
    });
    expect(whereOf("gpt-4o-mini", { providers })).toEqual([
      "lab=x",
      "openai=gpt-4o-mini",
      "openrouter=openai/gpt-4o-mini",
    ]);
  });

  it("returns models that no list has, in the order of the file, without a guessed price", () => {
    expect(whereOf("private", { providers })).toEqual(["lab=private", "second=private"]);
    expect(deploymentsOf("private", { providers })[0]).toMatchObject({ price: null, contextTokens: null });
    expect(whereOf("second/private", { providers })).toEqual(["second=private"]);
    expect(whereOf("second/other", { providers })).toEqual(["second=other"]);
  });

  it("lists disabled ones behind enabled ones", () => {
    const off = [{ ...lab([{ id: "gpt-4o-mini" }]), api_key_env: "LAB_KEY" }];
    expect(whereOf("gpt-4o-mini", { providers: off }).at(-1)).toBe("lab=gpt-4o-mini");
  });

  it("uses the models and prices of the public provider whose id they take", () => {
    const world = { providers: [lab([{ id: "mini", upstream_model: "gpt-4o-mini" }], "openai")] };
    expect(deploymentsOf("mini", world)[0]?.price?.inputUsdPerMtok).toBe(0.15);
    expect(whereOf("gpt-4o", world)[0]).toBe("openai=gpt-4o");
  });

  it("applies configured prices by model id", () => {
    const prices = { "gpt-4o-mini": { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } };
    expect(deploymentsOf("gpt-4o-mini", { prices })[0]?.price).toMatchObject({
      inputUsdPerMtok: 1,
      outputUsdPerMtok: 2,
    });
    expect(deploymentsOf("openai/gpt-4o-mini", { prices })[0]?.price?.inputUsdPerMtok).toBe(1);
    const one = { "openrouter/gpt-4o-mini": { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } };
    expect(deploymentsOf("openrouter/gpt-4o-mini", { prices: one })[0]?.price?.inputUsdPerMtok).toBe(1);
    expect(deploymentsOf("openai/gpt-4o-mini", { prices: one })[0]?.price?.inputUsdPerMtok).toBe(0.15);
  });
});

describe("findDeployments for an entry of `deployments` in the settings", () => {
  const deployments: CatalogSettings["deployments"] = [
    {
      name: "support-bot",
      provider: "lab",
      upstream_model: "y",
      price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 },
      profile: "gpt-4o-mini",
    },
    { name: "thinker", provider: "openai", upstream_model: "o4-mini", profile: "o4-mini:high" },
    { name: "eu-mini", provider: "azure", upstream_model: "my-mini", profile: "gpt-4o-mini" },
    { name: "gpt-4o", provider: "lab" },
  ];
  const world = { providers: [lab([{ id: "gpt-4o-mini", context_tokens: 1_000 }])], deployments };

  it("returns one deployment, at its provider and under its own name", () => {
    expect(deploymentsOf("support-bot", world)).toMatchObject([
      {
        model: "support-bot",
        provider: "lab",
        upstreamModel: "y",
        contextTokens: 1_000,
        price: { inputUsdPerMtok: 1, outputUsdPerMtok: 2 },
      },
    ]);
    expect(whereOf("gpt-4o", world)).toEqual(["lab=gpt-4o"]);
  });

  it("sends the parameters that its profile was measured with, at the list's price of its provider", () => {
    expect(deploymentsOf("thinker", world)).toMatchObject([
      { upstreamModel: "o4-mini", parameters: { reasoning_effort: "high" }, price: { inputUsdPerMtok: 1.1 } },
    ]);
    expect(deploymentsOf("eu-mini", world)).toMatchObject([
      {
        provider: "azure",
        upstreamModel: "my-mini",
        price: { inputUsdPerMtok: 0.15 },
        contextTokens: 128_000,
      },
    ]);
  });
});

describe("findDeployments with the sandbox", () => {
  const sandboxed = { sandbox: true, environment: { OPENAI_API_KEY: "k" } };

  it("lists it last among the enabled ones for every model of the catalog, free of charge", () => {
    expect(
      deploymentsOf("gpt-4o-mini", sandboxed).map(({ provider, enabled }) => [provider, enabled]),
    ).toEqual([
      ["openai", true],
      ["sandbox", true],
      ["openrouter", false],
    ]);
    expect(deploymentsOf("gpt-4o-mini", sandboxed)[1]?.price).toMatchObject({
      inputUsdPerMtok: 0,
      outputUsdPerMtok: 0,
    });
  });

  it("uses it for models that nobody runs, including configured deployments, but not for retired models", () => {
    const deployments = [{ name: "bot", provider: "openai", profile: "gpt-4o" }];
    const catalog = catalogOf({ ...sandboxed, environment: {}, deployments });
    for (const name of [...new Set(datasetNames().values()), "bot", "command-r7b"]) {
      const retired = catalog.unavailability(name)?.reason === "retired";
      expect(catalog.isRunnable(name), name).toBe(catalog.deployments(name).length > 0 && !retired);
    }
    expect(catalog.isRunnable("claude-3-opus-20240229")).toBe(false);
    expect(catalog.deployments("claude-3-opus-20240229")[0]).toMatchObject({
      provider: "sandbox",
      enabled: true,
    });
    expect(catalog.deployments("bot").map(({ provider, model }) => [provider, model])).toEqual([
      ["sandbox", "bot"],
      ["openai", "bot"],
    ]);
  });

  it("does not replace a named provider with it, and does not use it for unknown models", () => {
    expect(whereOf("openrouter/gpt-4o", sandboxed)).toEqual(["openrouter=openai/gpt-4o"]);
    expect(deploymentsOf("my-own-invention", sandboxed)).toEqual([]);
    expect(whereOf("sandbox/my-own-invention", sandboxed)).toEqual(["sandbox=my-own-invention"]);
  });
});

describe("findDeployments for a model that its vendor has retired", () => {
  const before = new Date("2026-02-18");
  const after = new Date("2026-02-19");

  it("does not use the vendor unless it is named, and then without a price", () => {
    expect(catalogOf({ at: before }).isRunnable("claude-3-7-sonnet")).toBe(true);
    const catalog = catalogOf({ at: after, environment: { ANTHROPIC_API_KEY: "k" } });
    expect(catalog.isRunnable("claude-3-7-sonnet")).toBe(false);
    expect(catalog.runnableModels()).not.toContain("claude-3-7-sonnet");
    expect(catalog.deployments("claude-3-7-sonnet")[0]).toMatchObject({
      provider: "anthropic",
      enabled: true,
      price: null,
    });
  });

  it("lists it behind providers that still run it", () => {
    const at = new Date("2026-07-01");
    expect(
      deploymentsOf("claude-sonnet-4", { at }).map(({ provider, price }) => [provider, price !== null]),
    ).toEqual([
      ["openrouter", true],
      ["anthropic", false],
    ]);
  });

  it("returns nothing at a market when only its maker ran it", () => {
    const at = new Date("2027-01-14");
    expect(catalogOf({ at }).isRunnable("gpt-4o")).toBe(false);
    expect(catalogOf({ at: new Date("2027-01-13") }).isRunnable("gpt-4o")).toBe(true);
  });

  it("still returns deployments at a configured address", () => {
    const environment = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://localhost:9/v1" };
    const at = new Date("2027-06-01");
    expect(catalogOf({ at, environment }).isRunnable("gpt-4o")).toBe(true);
    expect(deploymentsOf("gpt-4o", { at, environment })[0]?.price?.inputUsdPerMtok).toBe(2.5);
  });
});

describe("isRunnable", () => {
  const deployments = [{ name: "bot", provider: "openai", profile: "gpt-4o" }];
  const plain = [...new Set(datasetNames().values())];
  const named = ["gpt-4o", "gpt-4o-mini", "claude-opus-4.5", "llama-3.1-8b-instruct"];
  const makers = ["openai", "anthropic", "meta-llama", "openrouter", "sandbox", "lab"];
  const names = [
    ...plain,
    ...makers.flatMap((maker) => named.map((name) => `${maker}/${name}`)),
    "bot",
    "own",
  ];

  it.each<[string, World]>([
    ["a maker's key", { environment: { OPENAI_API_KEY: "k" } }],
    ["a market's key", { environment: { OPENROUTER_API_KEY: "k" } }],
    ["no key", { environment: {} }],
    ["the sandbox", { environment: {}, sandbox: true }],
    ["the sandbox and a key", { environment: { ANTHROPIC_API_KEY: "k" }, sandbox: true }],
    ["a provider of the settings", { environment: {}, providers: [lab([{ id: "own" }, { id: "gpt-4o" }])] }],
  ])("is true where an enabled deployment is not retired: with %s", (_, world) => {
    for (const at of [AT, new Date("2027-01-20")]) {
      const catalog = catalogOf({ deployments, at, ...world });
      for (const name of names) {
        const live = catalog
          .deployments(name)
          .some((found) => found.enabled && !("retired" in found && found.retired));
        expect(catalog.isRunnable(name), name).toBe(live);
      }
    }
  });
});

describe("findDeployments over time", () => {
  it("changes the prices of deployments with the clock, but not those of decisions", () => {
    let now = Date.parse("2026-09-01T00:30:00Z");
    const catalog = catalogOf({ at: new Date(now), now: () => now });
    const price = () => catalog.deployments("deepseek-v4-flash")[0]?.price?.outputUsdPerMtok;
    const decided = catalog.lookup("deepseek-v4-flash").price;
    const prices = [0, 1, 4, 6, 10].map((hour) => {
      now = Date.parse("2026-09-02T00:00:00Z") + hour * 3_600_000;
      return price();
    });
    expect(prices).toEqual([0.66, 1.32, 0.66, 1.32, 0.66]);
    expect(catalog.lookup("deepseek-v4-flash").price).toEqual(decided);
  });

  it("retires models without a restart", () => {
    let now = Date.parse("2026-11-20");
    const catalog = catalogOf({ now: () => now, environment: { GEMINI_API_KEY: "k" } });
    expect(catalog.isRunnable("gemini-2.5-pro:high")).toBe(true);
    now = Date.parse("2026-12-01");
    expect(catalog.isRunnable("gemini-2.5-pro:high")).toBe(false);
  });

  it("computes each deployment once between two changes", () => {
    let now = Date.parse("2026-09-01T02:00:00Z");
    const catalog = catalogOf({ now: () => now });
    const first = catalog.deployments("gpt-4o-mini");
    now += 3_600_000;
    expect(catalog.deployments("gpt-4o-mini")).toBe(first);
    now += 3_600_000;
    expect(catalog.deployments("gpt-4o-mini")).not.toBe(first);
  });
});

describe("findDeployments for untrusted names", () => {
  it.each(["", " ", "/", "//", "openai/", "/gpt-4o", "gpt-4o-minii", "__proto__", "constructor", "toString"])(
    "returns nothing for an unknown name: %j",
    (name) => {
      const catalog = catalogOf({ sandbox: true });
      expect(catalog.deployments(name)).toEqual([]);
      expect(catalog.isRunnable(name)).toBe(false);
    },
  );

  it("does not look up names that no model could have", () => {
    const catalog = catalogOf();
    for (const name of ["x".repeat(10_000), "/".repeat(10_000), `openai/${"x".repeat(10_000)}`]) {
      expect(catalog.deployments(name)).toEqual([]);
      expect(catalog.lookup(name).price).toBeNull();
    }
  });

  it("never throws, and never returns a deployment of an unknown provider", () => {
    const catalog = catalogOf({ sandbox: true });
    const known = new Set(catalog.providers().map(({ id }) => id));
    const part = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom("openai", "openrouter", "gpt-4o", "claude", "*", "..", ":", "meta-llama", "sandbox"),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const name = parts.join("/");
        const found = catalog.deployments(name);
        expect(found.every(({ provider }) => known.has(provider))).toBe(true);
        expect(catalog.isRunnable(name)).toBe(
          found.some(({ enabled }) => enabled) && catalog.isRunnable(name),
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe("findDeployments for models of OpenAI's", () => {
  const apiOf = (name: string, world?: World) => {
    const { provider, api, chatToo } = deploymentsOf(name, world)[0] ?? {};
    return [provider, api, chatToo];
  };

  it.each(["gpt-5-pro", "gpt-5.5-pro", "openai/gpt-5.3-codex", "openai/codex-mini-latest"])(
    "calls %s, which chat completions do not serve, by Responses alone",
    (name) => {
      expect(apiOf(name)).toEqual(["openai", "responses", undefined]);
      expect(deploymentsOf(`groq/${name}`)[0]).toMatchObject({ api: "chat" });
    },
  );

  it("calls those that speak by chat completions", () => {
    expect(apiOf("openai/gpt-audio-mini")).toEqual(["openai", "chat", undefined]);
  });

  it("calls Azure's by Responses too, and those of the settings as they say", () => {
    const lab = (api?: "chat" | "responses"): World => ({
      providers: [
        {
          ...{ id: "lab", type: "openai-compatible", base_url: "http://lab.example/v1" },
          models: [{ id: "gpt-4o-mini", ...(api === undefined ? {} : { api }) }],
        },
      ],
    });
    expect(apiOf("azure/our-gpt")).toEqual(["azure", "responses", true]);
    expect(apiOf("lab/gpt-4o-mini", lab())).toEqual(["lab", "chat", undefined]);
    expect(apiOf("lab/gpt-4o-mini", lab("responses"))).toEqual(["lab", "responses", undefined]);
  });
});

describe("findDeployments for an embedding model", () => {
  const api = (name: string, world?: World) => deploymentsOf(name, world)[0]?.api;

  it("resolves its name, with the price of its input", () => {
    expect(deploymentsOf("text-embedding-3-small")[0]).toMatchObject({
      provider: "openai",
      api: "embeddings",
      price: { inputUsdPerMtok: 0.02, outputUsdPerMtok: 0 },
      contextTokens: 8192,
    });
    for (const name of ["mistral-embed", "google/gemini-embedding-001", "ollama/nomic-embed-text"]) {
      expect(api(name), name).toBe("embeddings");
    }
    for (const name of ["together/BAAI/bge-large-en-v1.5", "openrouter/intfloat/e5-large-v2"]) {
      expect(api(name), name).toBe("embeddings");
    }
    for (const name of ["mistral-small-3.2", "ollama/bge-reranker-v2-m3", "ollama/qwen3:8b"]) {
      expect(api(name), name).toBe("chat");
    }
  });

  it("uses the values of the settings", () => {
    const models = [
      { id: "house-vectors", api: "embeddings" as const },
      { id: "embedded-writer", api: "chat" as const },
    ];
    expect(api("house-vectors", { providers: [lab(models)] })).toBe("embeddings");
    expect(api("embedded-writer", { providers: [lab(models)] })).toBe("chat");
    const deployments = [
      { name: "search", provider: "openai", upstream_model: "text-embedding-3-large" },
      { name: "vectors", provider: "openai", upstream_model: "v1", api: "embeddings" as const },
    ];
    expect(api("search", { deployments })).toBe("embeddings");
    expect(api("vectors", { deployments })).toBe("embeddings");
  });

  it("includes an embedding model of the sandbox", () => {
    const deployments = [{ name: "vectors", provider: "openai", api: "embeddings" as const }];
    const catalog = catalogOf({ deployments, sandbox: true });
    for (const name of ["vectors", "text-embedding-3-small", "sandbox/text-embedding-3-small"]) {
      const sandbox = catalog.deployments(name).find(({ provider }) => provider === "sandbox");
      expect(sandbox?.api, name).toBe("embeddings");
    }
  });
});

describe("The list of models that can be called", () => {
  it("has the sorted ids", () => {
    const deployments = [{ name: "support-bot", provider: "openai", profile: "gpt-4o-mini" }];
    const names = catalogOf({ deployments, environment: { OPENAI_API_KEY: "k" } }).runnableModels();
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(expect.arrayContaining(["gpt-4o", "gpt-4.1", "gpt-5.2", "o4-mini", "support-bot"]));
    expect(names).toContain("text-embedding-3-small");
    for (const absent of [
      "claude-sonnet-4",
      "gpt-4.1-2025-04-14",
      "mistral-embed",
      "whisper-1",
      "gpt-oss-120b",
    ]) {
      expect(names, absent).not.toContain(absent);
    }
  });

  it("includes other makers' models when the key is a market's", () => {
    const names = catalogOf({ environment: { OPENROUTER_API_KEY: "k" } }).runnableModels();
    expect(names).toEqual(expect.arrayContaining(["claude-sonnet-4", "gpt-4o", "llama-3.3-70b-instruct"]));
  });

  it("is empty without any provider", () => {
    expect(catalogOf({ environment: {} }).runnableModels()).toEqual([]);
  });

  it("has a deployment for each of its models", () => {
    const catalog = catalogOf();
    for (const name of catalog.runnableModels()) {
      expect(catalog.deployments(name)[0], name).toMatchObject({ enabled: true, model: name });
    }
  });
});

it("A provider is found by its id and by its other names", () => {
  const catalog = catalogOf({ providers: [lab([])] });
  expect(["lab", "gemini", "xai", "openai", "nobody", "__proto__"].map(catalog.providerId)).toEqual([
    "lab",
    "google",
    "x-ai",
    "openai",
    undefined,
    undefined,
  ]);
});

describe("The facts for decisions", () => {
  const factsOf = (model: string, world?: World) => catalogOf(world).lookup(model);

  it("name the provider that would run the model, at its price", () => {
    const nemo = { environment: { MISTRAL_API_KEY: "k" } };
    expect(factsOf("mistral-nemo", nemo)).toMatchObject({
      provider: "mistral",
      price: { inputUsdPerMtok: 0.15 },
    });
    expect(factsOf("mistral-nemo", { environment: {} })).toMatchObject({
      provider: "openrouter",
      price: { inputUsdPerMtok: 0.01 },
    });
    expect(factsOf("gpt-4o", { environment: { OPENROUTER_API_KEY: "k" } }).provider).toBe("openrouter");
  });

  it("are those of the price list where no provider would run it, and also for models of the sandbox", () => {
    expect(factsOf("gpt-4o", { environment: {} }).provider).toBe("openai");
    expect(factsOf("gpt-4o", { environment: {}, sandbox: true })).toMatchObject({
      provider: "sandbox",
      price: { inputUsdPerMtok: 2.5 },
    });
  });

  it("prefer an enabled provider to a disabled one of the settings", () => {
    const providers = [{ ...lab([{ id: "gpt-4o" }]), api_key_env: "LAB_KEY" }];
    expect(factsOf("gpt-4o", { providers }).provider).toBe("openai");
    expect(factsOf("gpt-4o", { providers, environment: {} }).provider).toBe("lab");
  });

  it("include the profile of a provider's other name for a model", () => {
    expect(factsOf("gemini/gemini-2.5-pro")).toMatchObject({ provider: "google", profile: "gemini-2.5-pro" });
    expect(factsOf("openrouter/openai/gpt-4o-mini").profile).toBe("gpt-4o-mini");
  });

  it("of a variant name the provider of the variant", () => {
    expect(factsOf("claude-sonnet-4:thinking", { at: new Date("2026-07-01") })).toMatchObject({
      provider: "openrouter",
      price: { outputUsdPerMtok: 15 },
    });
  });
});
