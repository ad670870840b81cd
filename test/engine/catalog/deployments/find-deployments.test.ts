import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Deployment } from "../../../../src/engine/catalog/deployments/deployment.js";
import type { CatalogSettings } from "../../../../src/engine/catalog/entries.js";
import { datasetNames } from "../../../../src/engine/catalog/models/dataset-names.js";
import { type CatalogWorld, catalogOf as catalogAt, lab } from "../catalog-of.js";

const MAKERS = ["OPENAI", "ANTHROPIC", "GEMINI", "MISTRAL", "DEEPSEEK", "XAI"];
const HOSTS = ["GROQ", "TOGETHER", "FIREWORKS", "OPENROUTER"];
const environment = Object.fromEntries([...MAKERS, ...HOSTS].map((name) => [`${name}_API_KEY`, "key"]));

const catalogOf = (world: CatalogWorld = {}) => catalogAt({ environment, ...world });
const deploymentsOf = (name: string, world?: CatalogWorld): readonly Deployment[] =>
  catalogOf(world).deployments(name);
/** `openai=gpt-4o`: who, and under which name. */
const whereOf = (name: string, world?: CatalogWorld): readonly string[] =>
  deploymentsOf(name, world).map(({ provider, upstreamModel }) => `${provider}=${upstreamModel}`);
/** `openai+`: who, and whether its key is there. */
const enabledOf = (name: string, world?: CatalogWorld): readonly string[] =>
  deploymentsOf(name, world).map(({ provider, enabled }) => `${provider}${enabled ? "+" : "-"}`);

const DATASET_MODELS = [...new Set(datasetNames().values())];

describe("findDeployments for a model id", () => {
  it.each([
    ["deepseek-v4-pro-0813", "together"],
    ["qwen3.8-27b", "groq"],
    ["gpt-6.2-astra", "openai"],
    ["kimi-k3.1-pro", "fireworks"],
  ])("has the price of %s at %s, which one list of several knows", (model, host) => {
    expect(deploymentsOf(model).find(({ provider }) => provider === host)?.price).not.toBeNull();
  });

  it.each([
    ["gpt-4o-mini", ["openai=gpt-4o-mini", "openrouter=openai/gpt-4o-mini"]],
    ["meta-llama/llama-3.1-8b-instruct", ["openrouter=meta-llama/llama-3.1-8b-instruct"]],
    ["claude-opus-4-5", ["anthropic=claude-opus-4-5", "openrouter=anthropic/claude-opus-4.5"]],
    ["claude-opus-4-5", ["vertex-anthropic=claude-opus-4-5@20251101"]],
    ["gpt-oss-120b", ["groq=openai/gpt-oss-120b", "fireworks=accounts/fireworks/models/gpt-oss-120b"]],
    ["gpt-oss-120b", ["together=openai/gpt-oss-120b", "openrouter=openai/gpt-oss-120b"]],
  ])("returns those of %s at its maker and at hosts, under the names that they use", (name, where) => {
    expect(whereOf(name)).toEqual(expect.arrayContaining(where));
  });

  it.each([
    ["gpt-4o-2024-08-06", "openai=gpt-4o-2024-08-06"],
    ["gemini-1.5-flash-002", "google=gemini-1.5-flash-002"],
    ["claude-sonnet-4", "anthropic=claude-sonnet-4-20250514"],
  ])("requests %s at the vendor under its dated name: %s", (name, where) => {
    expect(whereOf(name, { at: new Date("2025-06-01") })[0]).toBe(where);
  });

  it("resolves the vendor's full name to our id", () => {
    expect(deploymentsOf("claude-sonnet-4-20250514")).toEqual(deploymentsOf("claude-sonnet-4"));
    expect(deploymentsOf("gpt-4.1-2025-04-14")[0]?.model).toBe("gpt-4.1");
    expect(deploymentsOf("meta-llama/llama-3.1-8b-instruct")[0]?.model).toBe("llama-3.1-8b-instruct");
  });

  // The second mark: https://github.com/Wei-Shaw/sub2api/pull/4505 (2026-07-17)
  it.each(["[1m]", "[1M][1m]", "[200k]"])("resolves a name with the mark %s of a client", (mark) => {
    for (const name of ["claude-opus-4-8", "anthropic/claude-opus-4-8", "anthropic/unknown"])
      expect(deploymentsOf(name + mark)).toEqual(deploymentsOf(name));
  });

  it("keeps a mark that the settings have in a name", () => {
    // https://github.com/anthropics/claude-code/issues/70419 (2026-06-23)
    const id = "opus[1m]";
    const deployments = [{ name: "sonnet[1m]", provider: "anthropic" }];
    const world = { providers: [lab([{ id }])], deployments };
    expect(whereOf(id, world)).toEqual(["lab=opus[1m]"]);
    expect(whereOf("lab/opus[1m]", world)).toEqual(["lab=opus[1m]"]);
    expect(whereOf("sonnet[1m]", world)).toEqual(["anthropic=sonnet[1m]"]);
  });

  it.each([
    ["mistral-medium-3", ["openrouter=mistralai/mistral-medium-3"]],
    ["deepseek-r1", ["openrouter=deepseek/deepseek-r1"]],
    ["gpt-4o-20250129", []],
  ])("returns for %s none at a provider that sells another model under that name", (name, where) => {
    expect(whereOf(name)).toEqual(where);
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
    expect(deploymentsOf("gemini-2.5-pro")[0]?.price?.tiers).toMatchObject([
      { abovePromptTokens: 200_000, rates: { inputUsdPerMtok: 2.5, outputUsdPerMtok: 15 } },
    ]);
  });

  it("lists those without a key last, as not enabled", () => {
    const some = { environment: { OPENROUTER_API_KEY: "k" } };
    expect(enabledOf("gpt-4o-mini", some)).toEqual(["openrouter+", "openai-"]);
    expect(enabledOf("gpt-4o-mini", { environment: {} })).toEqual(["openai-", "openrouter-"]);
    expect(catalogOf({ environment: {} }).isRunnable("gpt-4o-mini")).toBe(false);
  });
});

describe("findDeployments for `provider/id`", () => {
  it.each([
    ["openai/gpt-4o-mini", "openai=gpt-4o-mini"],
    ["gemini/gemini-2.5-pro", "google=gemini-2.5-pro"],
    ["anthropic/claude-sonnet-4", "anthropic=claude-sonnet-4-20250514"],
    ["openrouter/meta-llama/llama-3.1-8b-instruct", "openrouter=meta-llama/llama-3.1-8b-instruct"],
    ["openrouter/meta-llama/llama-3-70b", "openrouter=meta-llama/llama-3-70b"],
    ["ollama/Qwen3:8b", "ollama=Qwen3:8b"],
  ])("returns for %s that provider alone: %s", (name, where) => {
    expect(whereOf(name)).toEqual([where]);
  });

  it("passes an unlisted id through, without a price", () => {
    expect(deploymentsOf("openai/gpt-9")).toMatchObject([
      { provider: "openai", upstreamModel: "gpt-9", model: "gpt-9", price: null, enabled: true },
    ]);
    expect(deploymentsOf("groq/gpt-4o-mini")[0]).toMatchObject({ upstreamModel: "gpt-4o-mini", price: null });
  });

  it("resolves the full name that an aggregator gives to one of our models", () => {
    expect(deploymentsOf("openrouter/openai/o4-mini")).toMatchObject([
      { model: "o4-mini", upstreamModel: "openai/o4-mini", contextTokens: 200_000 },
    ]);
    expect(deploymentsOf("openrouter/someone/o4-mini")).toMatchObject([
      { model: "someone/o4-mini", price: null },
    ]);
    expect(deploymentsOf("openrouter/deepseek/deepseek-r1:free")[0]?.price?.outputUsdPerMtok).toBe(0);
  });

  it("uses the maker's price on Azure, where the deployment's name names the model", () => {
    expect(deploymentsOf("azure/gpt-4o")).toMatchObject([
      { provider: "azure", upstreamModel: "gpt-4o", enabled: false, price: { inputUsdPerMtok: 2.5 } },
    ]);
    expect(whereOf("gpt-4o").some((where) => where.startsWith("azure"))).toBe(false);
  });
});

describe("findDeployments for a variant of a model", () => {
  it.each<[string, string, object]>([
    ["o4-mini:high", "openai", { reasoning_effort: "high" }],
    ["o4-mini:high", "openrouter", { reasoning: { effort: "high" } }],
    ["claude-sonnet-4:thinking", "anthropic", { thinking: { type: "enabled", budget_tokens: 24_000 } }],
    ["claude-sonnet-4:thinking", "openrouter", { reasoning: { max_tokens: 24_000 } }],
    ["qwen3-235b-a22b:no-thinking", "fireworks", { reasoning_effort: "none" }],
  ])("requests %s at %s with its parameters", (name, provider, parameters) => {
    expect(deploymentsOf(name).find((one) => one.provider === provider)?.parameters).toEqual(parameters);
  });

  it("keeps its own id at the price of the model", () => {
    const { price } = deploymentsOf("o4-mini")[0] ?? {};
    const expected = { model: "o4-mini:high", upstreamModel: "o4-mini", contextTokens: 200_000, price };
    expect(deploymentsOf("o4-mini:high")[0]).toMatchObject(expected);
  });

  it("returns nothing when no request can ask for it", () => {
    expect(deploymentsOf("llama-3.3-nemotron-super-49b-v1:thinking")).toEqual([]);
  });
});

describe("The parameters of a deployment for a reasoning effort", () => {
  const vllm = {
    providers: [lab([{ id: "qwen3-8b" }, { id: "house-model" }], { id: "vllm", like: "vllm" })],
  };
  const effort = (word: string) => ({ reasoning_effort: word });
  const reasoning = (word: string) => ({ reasoning: { effort: word } });
  const thinking = (enable_thinking: boolean) => ({ chat_template_kwargs: { enable_thinking } });

  it.each<[string, string, string, string, object]>([
    ["its nearest level", "gpt-5", "openai", "minimal", effort("minimal")],
    ["not above the effort", "gpt-5", "openai", "max", effort("high")],
    ["else its lowest", "gpt-5", "openai", "none", effort("minimal")],
    ["in a host's words", "gpt-5", "openrouter", "high", reasoning("high")],
    ["of another variant", "gpt-5:high", "openai", "low", effort("low")],
    ["to the adapter the effort", "claude-haiku-4-5", "anthropic", "low", effort("low")],
    ["not above the effort", "claude-opus-4-6", "openrouter", "xhigh", reasoning("high")],
    ["the provider's own switch", "qwen3-8b", "vllm", "none", thinking(false)],
    ["the provider's own switch", "qwen3-8b", "vllm", "low", thinking(true)],
    ["the host's own switch", "qwen3-8b", "openrouter", "low", { reasoning: { enabled: true } }],
  ])("are %s: %s at %s, %s", (_, name, provider, word, parameters) => {
    const world = provider === "vllm" ? vllm : {};
    const found = deploymentsOf(name, world).find((one) => one.provider === provider);
    expect(found?.effortParameters?.[word]).toEqual(parameters);
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
  const SAMPLING = ["temperature", "top_p"];
  const PENALTIES = ["presence_penalty", "frequency_penalty"];

  it.each([
    ["o3", [...SAMPLING, ...PENALTIES]],
    ["o4-mini:high", [...SAMPLING, ...PENALTIES]],
    ["openrouter/openai/gpt-5-mini", [...SAMPLING, ...PENALTIES]],
    ["gpt-4o", []],
    ["gpt-5-chat-latest", []],
    ["claude-opus-4-7", [...SAMPLING, ...PENALTIES]],
    ["claude-sonnet-5", [...SAMPLING, ...PENALTIES]],
    ["claude-sonnet-4:thinking", [...SAMPLING, ...PENALTIES]],
    ["claude-sonnet-4-5", ["top_p", ...PENALTIES]],
    ["claude-sonnet-4", PENALTIES],
    ["thinker", [...SAMPLING, ...PENALTIES]],
  ])("of the sampling fields and penalties, for %s: %j", (name, refused) => {
    const deployments = [{ name: "thinker", provider: "openai", upstream_model: "o3" }];
    const { refuses = [] } = deploymentsOf(name, { deployments })[0] ?? {};
    expect([...SAMPLING, ...PENALTIES].filter((field) => refuses.includes(field as never))).toEqual(refused);
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
    lab([{ id: "private" }], { id: "second" }),
  ];

  it("lists them first, with the configured values", () => {
    expect(deploymentsOf("gpt-4o-mini", { providers })[0]).toMatchObject({
      api: "completions",
      price: { inputUsdPerMtok: 9, cachedInputUsdPerMtok: null, cacheWriteUsdPerMtok: 4 },
      priceSource: "settings",
      contextTokens: 1_000,
    });
    expect(whereOf("gpt-4o-mini", { providers }).slice(0, 2)).toEqual(["lab=x", "openai=gpt-4o-mini"]);
  });

  it("returns models that no list has, in the order of the file, without a guessed price", () => {
    expect(whereOf("private", { providers })).toEqual(["lab=private", "second=private"]);
    expect(deploymentsOf("private", { providers })[0]).toMatchObject({ price: null, contextTokens: null });
    expect(whereOf("second/private", { providers })).toEqual(["second=private"]);
    expect(whereOf("second/other", { providers })).toEqual(["second=other"]);
  });

  it("uses the models and prices of the public provider whose id they take", () => {
    const world = { providers: [lab([{ id: "mini", upstream_model: "gpt-4o-mini" }], { id: "openai" })] };
    expect(deploymentsOf("mini", world)[0]?.price?.inputUsdPerMtok).toBe(0.15);
    expect(whereOf("gpt-4o", world)[0]).toBe("openai=gpt-4o");
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
    const price = { inputUsdPerMtok: 1, outputUsdPerMtok: 2 };
    expect(deploymentsOf("support-bot", world)).toMatchObject([
      { model: "support-bot", provider: "lab", upstreamModel: "y", contextTokens: 1_000, price },
    ]);
    expect(whereOf("gpt-4o", world)).toEqual(["lab=gpt-4o"]);
  });

  it("sends the parameters that its profile was measured with, at the list's price of its provider", () => {
    expect(deploymentsOf("thinker", world)).toMatchObject([
      { upstreamModel: "o4-mini", parameters: { reasoning_effort: "high" }, price: { inputUsdPerMtok: 1.1 } },
    ]);
    expect(deploymentsOf("eu-mini", world)).toMatchObject([
      { provider: "azure", price: { inputUsdPerMtok: 0.15 }, contextTokens: 128_000 },
    ]);
  });
});

describe("findDeployments with the sandbox", () => {
  const sandboxed = { sandbox: true, environment: { OPENAI_API_KEY: "k" } };

  it("lists it last among the enabled ones for every model of the catalog, free of charge", () => {
    expect(enabledOf("gpt-4o-mini", sandboxed)).toEqual(["openai+", "sandbox+", "openrouter-"]);
    const free = { inputUsdPerMtok: 0, outputUsdPerMtok: 0 };
    expect(deploymentsOf("gpt-4o-mini", sandboxed)[1]?.price).toMatchObject(free);
  });

  it("uses it for models that nobody runs, including configured deployments, but not for retired models", () => {
    const deployments = [{ name: "bot", provider: "openai", profile: "gpt-4o" }];
    const catalog = catalogOf({ ...sandboxed, environment: {}, deployments });
    const names = ["gpt-4o", "bot", "command-r7b", "claude-3-opus-20240229"];
    expect(names.filter((name) => catalog.isRunnable(name))).toEqual(names.slice(0, 3));
    expect(enabledOf("claude-3-opus-20240229", sandboxed)[0]).toBe("sandbox+");
    expect(catalog.deployments("bot")).toMatchObject([
      { provider: "sandbox", model: "bot" },
      { provider: "openai", model: "bot" },
    ]);
  });

  it("does not replace a named provider with it, and does not use it for unknown models", () => {
    expect(whereOf("openrouter/gpt-4o", sandboxed)).toEqual(["openrouter=openai/gpt-4o"]);
    expect(deploymentsOf("my-own-invention", sandboxed)).toEqual([]);
    expect(whereOf("sandbox/my-own-invention", sandboxed)).toEqual(["sandbox=my-own-invention"]);
  });
});

describe("findDeployments for a model that its vendor has retired", () => {
  it.each([
    ["gemini-2.5-pro", "google", "2026-11-02T23:59:59Z", 10, undefined],
    ["gemini-2.5-pro", "google", "2026-11-03", 10, "gemini-3.8-flash"],
    ["gemini-2.5-pro", "google", "2026-12-01", 3.75, "gemini-3.8-flash"],
    ["gemini-2.5-flash", "google", "2026-12-01", 2.5, "gemini-3.5-flash-lite"],
    ["deepseek-v4-flash", "deepseek", "2026-11-27T03:00Z", 1.2, "deepseek-v4.1-flash"],
    ["deepseek-v4-flash", "deepseek", "2026-11-28T03:00Z", 0.6, "deepseek-v4.1-flash"],
    ["deepseek-v4-pro", "deepseek", "2026-11-28T03:00Z", 1.98, undefined],
    ["gpt-4o", "openai", "2026-12-17", 10, "gpt-6-luna"],
    ["gpt-4o", "openai", "2027-01-14", undefined, "gpt-6-luna"],
  ])(
    "charges %s at %s on %s $%d for a million tokens of output, and names %s four weeks ahead",
    (model, at, day, usd, successor) => {
      const found = deploymentsOf(model, { at: new Date(day) }).find(({ provider }) => provider === at);
      const { price, retirement } = found ?? {};
      expect([price?.outputUsdPerMtok, retirement?.isNear ? retirement.successor : undefined]).toEqual([
        usd,
        successor,
      ]);
    },
  );

  const before = new Date("2026-02-18");
  const after = new Date("2026-02-19");

  it("does not use the vendor unless it is named, and then without a price", () => {
    expect(catalogOf({ at: before }).isRunnable("claude-3-7-sonnet")).toBe(true);
    const catalog = catalogOf({ at: after, environment: { ANTHROPIC_API_KEY: "k" } });
    expect(catalog.isRunnable("claude-3-7-sonnet")).toBe(false);
    expect(catalog.runnableModels()).not.toContain("claude-3-7-sonnet");
    const [vendor] = catalog.deployments("claude-3-7-sonnet");
    expect(vendor).toMatchObject({ provider: "anthropic", enabled: true, price: null });
  });

  it("lists it behind providers that still run it", () => {
    const at = new Date("2026-07-01");
    const found = deploymentsOf("claude-sonnet-4", { at });
    expect(found.map(({ provider }) => provider)).toEqual(["openrouter", "anthropic"]);
    expect(found.map(({ price }) => price === null)).toEqual([false, true]);
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
  const makers = ["openai", "anthropic", "meta-llama", "openrouter", "sandbox", "lab"];
  const named = ["gpt-4o", "gpt-4o-mini", "claude-opus-4.5", "llama-3.1-8b-instruct"];
  const prefixed = makers.flatMap((maker) => named.map((name) => `${maker}/${name}`));
  const names = [...DATASET_MODELS, ...prefixed, "bot", "own"];

  it.each<[string, CatalogWorld]>([
    ["a maker's key", { environment: { OPENAI_API_KEY: "k" } }],
    ["a market's key", { environment: { OPENROUTER_API_KEY: "k" } }],
    ["no key", { environment: {} }],
    ["the sandbox", { environment: {}, sandbox: true }],
    ["the sandbox and a key", { environment: { ANTHROPIC_API_KEY: "k" }, sandbox: true }],
    ["settings", { environment: {}, providers: [lab([{ id: "own" }, { id: "gpt-4o" }])] }],
  ])("is true where an enabled deployment is not retired: with %s", (_, world) => {
    for (const at of ["2026-01-15", "2027-01-20"]) {
      const catalog = catalogOf({ deployments, at: new Date(at), ...world });
      for (const name of names) {
        const live = catalog.deployments(name).some(({ enabled, retired }) => enabled && retired !== true);
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
    expect(price()).toBe(0.66);
    now = Date.parse("2026-09-02T01:00:00Z");
    expect(price()).toBe(1.32);
    expect(decided?.outputUsdPerMtok).toBe(1.32);
    expect(catalog.lookup("deepseek-v4-flash").price).toEqual(decided);
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
  const catalog = catalogOf({ sandbox: true });

  it("returns nothing for names of no model", () => {
    for (const name of ["", "/", "//", "openai/", "/gpt-4o", "gpt-4o-minii", "__proto__"]) {
      expect(catalog.deployments(name), name).toEqual([]);
      expect(catalog.isRunnable(name), name).toBe(false);
    }
  });

  it("does not look up names that no model could have", () => {
    for (const start of ["x", "/", "nobody/x", "openai/x"]) {
      const name = start.padEnd(10_000, start.at(-1));
      expect(catalog.deployments(name), start).toEqual([]);
      expect(catalog.lookup(name).price, start).toBeNull();
    }
  });

  it("never throws, and never returns a deployment of an unknown provider", () => {
    const known = new Set(catalog.providers().map(({ id }) => id));
    const part = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom("openai", "openrouter", "gpt-4o", "claude", "*", "..", ":", "meta-llama", "sandbox"),
    );
    const property = fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
      const found = catalog.deployments(parts.join("/"));
      expect(found.every(({ provider }) => known.has(provider))).toBe(true);
      if (catalog.isRunnable(parts.join("/"))) expect(found.some(({ enabled }) => enabled)).toBe(true);
    });
    fc.assert(property, { numRuns: 40 });
  });
});

describe("findDeployments for models of OpenAI's", () => {
  const apiOf = (name: string, world?: CatalogWorld) => {
    const { provider, api, chatToo } = deploymentsOf(name, world)[0] ?? {};
    return [provider, api, chatToo];
  };

  it("calls those that chat completions do not serve by Responses alone", () => {
    for (const name of ["gpt-5-pro", "gpt-5.5-pro", "openai/gpt-5.3-codex", "openai/codex-mini-latest"]) {
      expect(apiOf(name), name).toEqual(["openai", "responses", undefined]);
      expect(deploymentsOf(`groq/${name}`)[0], name).toMatchObject({ api: "chat" });
    }
  });

  it("calls Azure's by Responses too, those that speak by chat, and those of the settings as they say", () => {
    expect(apiOf("openai/gpt-audio-mini")).toEqual(["openai", "chat", undefined]);
    expect(apiOf("azure/our-gpt")).toEqual(["azure", "responses", true]);
    const providers = [lab([{ id: "gpt-4o-mini" }, { id: "o3", api: "responses" }])];
    expect(apiOf("lab/gpt-4o-mini", { providers })).toEqual(["lab", "chat", undefined]);
    expect(apiOf("lab/o3", { providers })).toEqual(["lab", "responses", undefined]);
  });
});

describe("findDeployments for an embedding model", () => {
  const api = (name: string, world?: CatalogWorld) => deploymentsOf(name, world)[0]?.api;

  it("resolves its name, with the price of its input", () => {
    const price = { inputUsdPerMtok: 0.02, outputUsdPerMtok: 0 };
    const expected = { provider: "openai", api: "embeddings", price, contextTokens: 8192 };
    expect(deploymentsOf("text-embedding-3-small")[0]).toMatchObject(expected);
  });

  it.each([
    ["embeddings", "mistral-embed"],
    ["embeddings", "google/gemini-embedding-001"],
    ["embeddings", "ollama/nomic-embed-text"],
    ["embeddings", "together/BAAI/bge-large-en-v1.5"],
    ["embeddings", "openrouter/intfloat/e5-large-v2"],
    ["chat", "mistral-small-3.2"],
    ["chat", "ollama/bge-reranker-v2-m3"],
    ["chat", "ollama/qwen3:8b"],
  ])("calls by %s: %s", (expected, name) => {
    expect(api(name)).toBe(expected);
  });

  it("uses the values of the settings", () => {
    const writer = { id: "embedded-writer", api: "chat" } as const;
    const providers = [lab([{ id: "house", api: "embeddings" }, writer])];
    expect(["house", writer.id].map((id) => api(id, { providers }))).toEqual(["embeddings", "chat"]);
    const vectors = { name: "vectors", provider: "openai", upstream_model: "v1", api: "embeddings" } as const;
    const search = { name: "search", provider: "openai", upstream_model: "text-embedding-3-large" };
    for (const deployment of [vectors, search])
      expect(api(deployment.name, { deployments: [deployment] })).toBe("embeddings");
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
    const absent = ["claude-sonnet-4", "gpt-4.1-2025-04-14", "mistral-embed", "whisper-1", "gpt-oss-120b"];
    expect(names.filter((name) => absent.includes(name))).toEqual([]);
  });

  it("includes other makers' models when the key is a market's, and is empty without any key", () => {
    const names = catalogOf({ environment: { OPENROUTER_API_KEY: "k" } }).runnableModels();
    expect(names).toEqual(expect.arrayContaining(["claude-sonnet-4", "gpt-4o", "llama-3.3-70b-instruct"]));
    expect(catalogOf({ environment: {} }).runnableModels()).toEqual([]);
  });
});

it("A provider is found by its id and by its other names", () => {
  const { providerId } = catalogOf({ providers: [lab([])] });
  expect(["lab", "gemini", "__proto__"].map(providerId)).toEqual(["lab", "google", undefined]);
});

describe("The facts for decisions", () => {
  const factsOf = (model: string, world?: CatalogWorld) => catalogOf(world).lookup(model);

  const key = (name: string) => ({ environment: { [`${name}_API_KEY`]: "k" } });
  const labKeyed = [lab([{ id: "gpt-4o" }], { api_key_env: "LAB_KEY" })];

  it.each<[string, string, CatalogWorld, string, number]>([
    ["that would run it", "mistral-nemo", key("MISTRAL"), "mistral", 0.15],
    ["of the price list where none would", "mistral-nemo", { environment: {} }, "openrouter", 0.01],
    ["sandbox, at the list's price", "gpt-4o", { environment: {}, sandbox: true }, "sandbox", 2.5],
    ["that has a key, not a disabled one of the settings", "gpt-4o", { providers: labKeyed }, "openai", 2.5],
    ["of the settings where none has a key", "gpt-4o", { providers: labKeyed, environment: {} }, "lab", 2.5],
    ["of a variant", "claude-sonnet-4:thinking", { at: new Date("2026-07-01") }, "openrouter", 3],
  ])("name the provider %s: %s", (_, model, world, provider, inputUsdPerMtok) => {
    expect(factsOf(model, world)).toMatchObject({ provider, price: { inputUsdPerMtok } });
  });

  it("include the profile of a provider's other name for a model", () => {
    expect(factsOf("gemini/gemini-2.5-pro")).toMatchObject({ provider: "google", profile: "gemini-2.5-pro" });
    expect(factsOf("openrouter/openai/gpt-4o-mini").profile).toBe("gpt-4o-mini");
  });
});
