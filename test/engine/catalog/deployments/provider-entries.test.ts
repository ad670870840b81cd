import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import {
  type ProviderEntry,
  type ProviderSettings,
  resolveProviders,
} from "../../../../src/engine/catalog/deployments/provider-entries.js";
import { PUBLIC_PROVIDERS } from "../../../../src/engine/catalog/providers/public-providers.js";
import { SettingsError } from "../../../../src/foundation/errors.js";
import { errorThrownBy } from "../../../support/errors.js";

type Environment = Readonly<Record<string, string>>;
type Configured = ProviderSettings["providers"][number];

const resolve = (environment: Environment, settings: Partial<ProviderSettings> = {}) =>
  resolveProviders({ providers: [], deployments: [], sandbox: false, ...settings }, environment);

function entry(
  id: string,
  environment: Environment,
  settings: Partial<ProviderSettings> = {},
): ProviderEntry {
  const found = resolve(environment, settings).find((entry) => entry.id === id);
  if (found === undefined) throw new Error(`no provider ${id}`);
  return found;
}

const LAB: Configured = {
  id: "lab",
  type: "openai-compatible",
  base_url: "http://localhost:8000/v1",
  models: [],
};

const KEYED: Configured = {
  ...LAB,
  keys: [
    { api_key_env: "LAB_A", weight: 1 },
    { api_key_env: "LAB_B", weight: 2, name: "spare", base_url: "http://localhost:9000/v1/" },
  ],
};

const failure = (environment: Environment, settings: Partial<ProviderSettings> = {}): string =>
  errorThrownBy(() => resolve(environment, settings), SettingsError).message;

describe("A provider with several keys", () => {
  it("is enabled by any of them", () => {
    const none = { enabled: false, remedy: "set LAB_A or LAB_B" };
    expect(entry("lab", {}, { providers: [KEYED] })).toMatchObject(none);
    const lab = entry("lab", { LAB_B: "key-b" }, { providers: [KEYED] });
    expect(lab).toMatchObject({ enabled: true, apiKey: "key-b", enabledBy: "LAB_A and LAB_B" });
    expect(lab.keys?.map(({ name, apiKey, baseUrl }) => [name, apiKey, baseUrl])).toEqual([
      ["LAB_A", undefined, "http://localhost:8000/v1"],
      ["spare", "key-b", "http://localhost:9000/v1"],
    ]);
  });

  it("refuses two keys of one name, and a single key beside them", () => {
    const twice = { ...KEYED, keys: [...(KEYED.keys ?? []), { api_key_env: "LAB_A", weight: 1 }] };
    expect(failure({}, { providers: [twice] })).toBe(
      '`providers[0]` ("lab") has two `keys` of the name "LAB_A": give them a `name`.',
    );
    expect(failure({}, { providers: [{ ...KEYED, api_key_env: "LAB" }] })).toBe(
      '`providers[0]` ("lab") has both `api_key_env` and `keys`: leave out `api_key_env`.',
    );
  });
});

describe("A public provider", () => {
  it("is disabled without its key, and reports what would enable it", () => {
    const baseUrl = "https://api.openai.com/v1";
    expect(entry("openai", {})).toMatchObject({ enabled: false, remedy: "set OPENAI_API_KEY", baseUrl });
    expect(entry("openai", { OPENAI_API_KEY: "  " }).enabled).toBe(false);
  });

  it("uses the first of its key variables that is set, and takes its address from its variable", () => {
    expect(entry("vllm", { VLLM_BASE_URL: "http://gpu:8000", VLLM_API_KEY: "k" }).apiKey).toBe("k");
    expect(entry("vllm", { VLLM_API_KEY: "k" }).enabled).toBe(false);
    expect(entry("google", { GEMINI_API_KEY: "one", GOOGLE_API_KEY: "two" }).apiKey).toBe("one");
    expect(entry("google", { GEMINI_API_KEY: "", GOOGLE_API_KEY: "two" }).apiKey).toBe("two");
    const proxied = entry("openai", { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://localhost:9/v1/" });
    expect(proxied).toMatchObject({ baseUrl: "http://localhost:9/v1", enabled: true });
    const anthropic = entry("anthropic", { ANTHROPIC_BASE_URL: "http://proxy" });
    expect(anthropic).toMatchObject({ baseUrl: "http://proxy", type: "anthropic" });
  });

  it("with a resource of one's own needs its address too, and has an API version", () => {
    const remedy = "set AZURE_OPENAI_API_KEY and AZURE_OPENAI_ENDPOINT";
    expect(entry("azure", {})).toMatchObject({ enabled: false, baseUrl: null, remedy });
    expect(entry("azure", { AZURE_OPENAI_API_KEY: "k" }).remedy).toBe("set AZURE_OPENAI_ENDPOINT");
    const azure = { AZURE_OPENAI_API_KEY: "k", AZURE_OPENAI_ENDPOINT: "https://us.openai.azure.com/" };
    expect(entry("azure", { ...azure, OPENAI_API_VERSION: "2024-10-21" })).toMatchObject({
      enabled: true,
      baseUrl: "https://us.openai.azure.com",
      apiVersion: "2024-10-21",
    });
    const address = "https://us.openai.azure.com/?api-version=2024-10-21";
    expect(entry("azure", { AZURE_OPENAI_ENDPOINT: address }).baseUrl).toBe(
      "https://us.openai.azure.com?api-version=2024-10-21",
    );
  });

  it.each([
    [{ OLLAMA_BASE_URL: "http://gpu:11434" }, "ollama", "http://gpu:11434/v1"],
    [{ OLLAMA_HOST: "0.0.0.0" }, "ollama", "http://127.0.0.1:11434/v1"],
    [{ OLLAMA_HOST: "gpu:9000" }, "ollama", "http://gpu:9000/v1"],
    [{ VLLM_BASE_URL: "http://gpu:8000" }, "vllm", "http://gpu:8000/v1"],
    [{ LLAMA_CPP_BASE_URL: "http://gpu:8080/" }, "llama-cpp", "http://gpu:8080/v1"],
  ])("on the local machine is enabled by its address: %o", (environment, id, baseUrl) => {
    expect(entry(id, {})).toMatchObject({ enabled: false, baseUrl: null });
    const enabled = resolve(environment).filter((entry) => entry.enabled);
    expect(enabled).toMatchObject([{ id, baseUrl, apiKey: undefined }]);
  });
});

describe("An unusable provider address", () => {
  it.each([
    ["localhost:9/v1", 'OPENAI_BASE_URL is "localhost:9/v1": it must be an http or https URL'],
    ["ftp://example.com", "it must be an http or https URL"],
    ["http://user:pass@example.com/v1", "OPENAI_BASE_URL has credentials in the URL"],
    ["https://example.com/v1?key=1", "OPENAI_BASE_URL has a query or a fragment"],
  ])("stops the start with a message that names the variable: %s", (value, message) => {
    expect(failure({ OPENAI_BASE_URL: value })).toContain(message);
  });

  it.each(["sk-proj-1234", "http://user:1234@example.com"])(
    "is not quoted when it may be a key: %s",
    (value) => {
      expect(failure({ OPENAI_BASE_URL: value })).not.toContain("1234");
    },
  );
});

describe("A provider of the settings", () => {
  it("reads its key from the variable that it names, needs none when it names none, and is disabled without it", () => {
    const providers = [{ ...LAB, api_key_env: "LAB_KEY" }];
    expect(entry("lab", {}, { providers })).toMatchObject({ enabled: false, remedy: "set LAB_KEY" });
    expect(entry("lab", { LAB_KEY: "" }, { providers }).enabled).toBe(false);
    expect(entry("lab", { LAB_KEY: "k" }, { providers })).toMatchObject({ enabled: true, apiKey: "k" });
    const keyless = { enabled: true, apiKey: undefined, configured: true, baseUrl: LAB.base_url };
    expect(entry("lab", {}, { providers: [LAB] })).toMatchObject(keyless);
  });

  it("comes before the public ones, and replaces the one with the same id", () => {
    const models = [{ id: "gpt-4o" }];
    const providers = [{ ...LAB, id: "openai", api_key_env: "OTHER_KEY", models }];
    const all = resolve({ OPENAI_API_KEY: "public", OTHER_KEY: "own" }, { providers });
    expect(all.filter(({ id }) => id === "openai")).toHaveLength(1);
    expect(all[0]).toMatchObject({ id: "openai", like: "openai", apiKey: "own", models });
    expect(all[0]?.baseUrl).toBe("http://localhost:8000/v1");
  });

  it("uses the public provider's key when it has its id and names no variable", () => {
    const providers = [{ ...LAB, id: "openai" }];
    expect(entry("openai", { OPENAI_API_KEY: "public" }, { providers }).apiKey).toBe("public");
    expect(entry("openai", {}, { providers })).toMatchObject({ enabled: true, apiKey: undefined });
  });

  it("uses the request format and the API version of the public provider that it names", () => {
    const providers = [{ ...LAB, like: "azure" }];
    expect(entry("lab", { OPENAI_API_VERSION: "2024-10-21" }, { providers })).toMatchObject({
      like: "azure",
      apiVersion: "2024-10-21",
    });
    expect(entry("lab", {}, { providers: [{ ...LAB, like: "xai" }] }).like).toBe("x-ai");
  });

  it.each([
    [{ ...LAB, like: "azur" }, "Did you mean `azure`?"],
    [{ ...LAB, id: "a/b" }, "an id must not hold a slash"],
    [{ ...LAB, id: "sandbox" }, "the name of the built-in provider"],
    [{ ...LAB, id: "sextant" }, "the name of the built-in embedder"],
    [{ ...LAB, base_url: "http://x/?key=1" }, "`providers[0].base_url` has a query"],
  ])("with invalid values stops the start: %o", (provider, message) => {
    expect(failure({}, { providers: [provider] })).toContain(message);
  });

  it("that a deployment names must exist", () => {
    const deployments = [{ name: "bot", provider: "labb" }];
    const message = failure({}, { providers: [LAB], deployments });
    expect(message).toContain('`deployments[0].provider` ("bot") is "labb"');
    expect(message).toContain("Did you mean `lab`?");
  });
});

it("The sandbox is an enabled provider only when it is switched on", () => {
  expect(resolve({}).some(({ id }) => id === "sandbox")).toBe(false);
  const [last] = resolve({}, { sandbox: true }).slice(-1);
  expect(last).toMatchObject({ id: "sandbox", type: "sandbox", enabled: true, baseUrl: null });
});

it("A provider's key is returned to the code that asks for it, and hidden when the entry is printed, copied or serialised", () => {
  const keyed = entry("openai", { OPENAI_API_KEY: "sk-hidden" });
  expect(keyed.apiKey).toBe("sk-hidden");
  const several = entry("lab", { LAB_B: "sk-hidden" }, { providers: [KEYED] });
  for (const one of [keyed, several]) {
    const printed = inspect(one, { showHidden: true, depth: null, getters: false });
    const copied = [JSON.stringify(one), JSON.stringify(structuredClone(one)), Object.values(one).join()];
    expect(printed + copied.join()).not.toContain("sk-hidden");
  }
  expect(Object.keys(keyed)).not.toContain("apiKey");
});

it("The table of public providers has each name once, with valid addresses and a page for each", () => {
  const names = PUBLIC_PROVIDERS.flatMap(({ id, aliases }) => [id, ...aliases]);
  expect(new Set(names).size).toBe(names.length);
  for (const { baseUrl, source } of PUBLIC_PROVIDERS) {
    expect(source).toMatch(/^https:\/\//);
    if (baseUrl !== null) expect(baseUrl).toMatch(/^https:\/\/.*[^/]$/);
  }
});
