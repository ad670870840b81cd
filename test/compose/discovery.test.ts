/** Models of servers of one's own, over a real connection. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startDiscovery } from "../../src/compose/discovery.js";
import { createCatalog } from "../../src/engine/catalog/catalog.js";
import { DiscoveredModels } from "../../src/engine/catalog/deployments/discovered-models.js";
import { resolveProviders } from "../../src/engine/catalog/deployments/provider-entries.js";
import { ManualTime } from "../fakes/manual-time.js";
import { jsonReply, type Script, UpstreamServer } from "../fakes/upstream-server.js";

const SETTINGS = { providers: [], deployments: [], prices: {}, sandbox: false };

let server: UpstreamServer;
beforeEach(async () => {
  server = await UpstreamServer.start();
});
afterEach(() => server.close());

function start(variables: Readonly<Record<string, string>>, settings = { discoveryIntervalMs: 1000 }) {
  const time = new ManualTime();
  const discovered = new DiscoveredModels();
  const entries = resolveProviders(SETTINGS, variables);
  const catalog = createCatalog(SETTINGS, { at: new Date("2026-11-23"), providers: entries, discovered });
  const lines: string[] = [];
  const line = (fields: object) => void lines.push(JSON.stringify(fields));
  const log = { info: line, debug: line };
  const discovery = startDiscovery(settings, { entries, discovered, timers: time.timers, log });
  const served = (name: string) =>
    catalog.deployments(name).map(({ provider, upstreamModel, contextTokens, api, price }) => ({
      provider,
      upstreamModel,
      contextTokens,
      api,
      price,
    }));
  return { time, catalog, discovery, served, lines };
}

const list = (...models: readonly object[]): Script => jsonReply({ object: "list", data: models });

// As the servers answer: ids as Ollama names them, `max_model_len` of vLLM, `meta` of llama.cpp.
const OLLAMA = [
  { id: "qwen3:8b", object: "model", created: 1, owned_by: "library" },
  { id: "llama3.2:latest", object: "model", created: 1, owned_by: "library" },
  { id: "nomic-embed-text:latest", object: "model" },
];

describe("Models of Ollama, vLLM and llama.cpp", () => {
  it("are known by their own names, without the provider, and listed", async () => {
    server.answer(list(...OLLAMA));
    const { discovery, served, catalog } = start({ OLLAMA_BASE_URL: server.origin });
    expect(served("qwen3:8b")).toEqual([]);
    await discovery.first;
    expect(server.lastRequest).toMatchObject({ method: "GET", path: "/v1/models" });
    const qwen = { provider: "ollama", upstreamModel: "qwen3:8b", contextTokens: null, api: "chat" };
    for (const name of ["qwen3:8b", "ollama/qwen3:8b"])
      expect(served(name)).toEqual([{ ...qwen, price: null }]);
    expect(served("llama3.2").map(({ upstreamModel }) => upstreamModel)).toEqual(["llama3.2:latest"]);
    expect(served("nomic-embed-text").map(({ api }) => api)).toEqual(["embeddings"]);
    expect(catalog.isRunnable("qwen3:8b")).toBe(true);
    expect(catalog.runnableModels()).toEqual(expect.arrayContaining(OLLAMA.map(({ id }) => id)));
    discovery.stop();
  });

  it("have the context window that the server tells, and its key is sent", async () => {
    server.answer(list({ id: "Qwen/Qwen3-8B", max_model_len: 40_960 }, { id: "openai/gpt-oss-20b" }));
    const vllm = start({ VLLM_BASE_URL: `${server.origin}/v1`, VLLM_API_KEY: "token-abc" });
    await vllm.discovery.first;
    expect(server.lastRequest.headers.authorization).toBe("Bearer token-abc");
    expect(vllm.served("Qwen/Qwen3-8B")[0]).toMatchObject({ provider: "vllm", contextTokens: 40_960 });
    // A name that begins with another provider is listed with its own.
    expect(vllm.catalog.runnableModels()).toContain("vllm/openai/gpt-oss-20b");
    server.answer(list({ id: "tiny.gguf", meta: { n_ctx_train: 8192 } }));
    const llama = start({ LLAMA_CPP_BASE_URL: server.origin });
    await llama.discovery.first;
    expect(llama.served("tiny.gguf")).toMatchObject([{ provider: "llama-cpp", contextTokens: 8192 }]);
    vllm.discovery.stop();
    llama.discovery.stop();
  });

  it("are asked for again, and kept while the server does not answer", async () => {
    server.answer(list(...OLLAMA));
    const { discovery, served, time, lines } = start({ OLLAMA_BASE_URL: server.origin });
    await discovery.first;
    expect(lines).toEqual(['{"provider":"ollama","models":3}']);
    const answered = async (script: Script) => {
      const before = lines.length;
      server.answer(script);
      await time.advance(1000);
      await expect.poll(() => lines.length).toBeGreaterThan(before);
    };
    await answered(jsonReply({ error: "starting" }, { status: 503 }));
    expect(served("qwen3:8b")).toHaveLength(1);
    await answered(list({ id: "gemma3:4b" }));
    expect([served("qwen3:8b").length, served("gemma3:4b").length]).toEqual([0, 1]);
    discovery.stop();
    expect(time.running).toBe(0);
  });

  it.each([
    ["another form", jsonReply({ data: { id: "x" } })],
    ["names that are none", list({ id: "" }, { id: 7 }, { id: "x".repeat(600) }, {})],
    ["more bytes than a list has", jsonReply({ data: [{ id: "x".repeat(5_000_000) }] })],
    ["an error", jsonReply({}, { status: 500 })],
  ])("are none where the server answers with %s, which is no error", async (_, script) => {
    server.answer(script);
    const { discovery, catalog } = start({ OLLAMA_BASE_URL: server.origin });
    await discovery.first;
    expect(catalog.runnableModels()).toEqual(
      start({ OLLAMA_BASE_URL: "http://127.0.0.1:9" }).catalog.runnableModels(),
    );
    discovery.stop();
  });

  it("are not asked for where that is switched off, nor at other providers", async () => {
    const off = start({ OLLAMA_BASE_URL: server.origin }, { discoveryIntervalMs: 0 });
    const vendor = start({ OPENAI_API_KEY: "sk-x", OPENAI_BASE_URL: server.origin });
    await Promise.all([off.discovery.first, vendor.discovery.first]);
    expect([server.requests.length, off.time.running, vendor.time.running]).toEqual([0, 0, 0]);
  });

  it("give way to a provider that lists a model of the same name", async () => {
    server.answer(list({ id: "gpt-4o-mini" }));
    const { discovery, served } = start({ VLLM_BASE_URL: server.origin, OPENAI_API_KEY: "sk-x" });
    await discovery.first;
    expect(served("gpt-4o-mini").slice(0, 2)).toMatchObject([{ provider: "openai" }, { provider: "vllm" }]);
    discovery.stop();
  });
});
