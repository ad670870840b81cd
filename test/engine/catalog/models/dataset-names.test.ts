import { describe, expect, it } from "vitest";
import { createCatalog } from "../../../../src/engine/catalog/catalog.js";
import { canonicalId } from "../../../../src/engine/catalog/models/canonical-id.js";
import { catalogId, datasetNames } from "../../../../src/engine/catalog/models/dataset-names.js";
import { modelEntries } from "../../../../src/engine/catalog/models/models.js";

const DATASET_NAMES = datasetNames();
const catalog = createCatalog({ providers: [], deployments: [], prices: {} }, { at: new Date("2026-01-15") });

/** Every model column value of the five outcome sets the default profiles are built from. */
const ORIGINAL_NAMES = `
Athene-70B DeepHermes-3-Mistral-24B-Pre DeepSeek-Coder-V2 DeepSeek-Coder-V2-0724 DeepSeek-V3
Hermes-3-Llama-3.1-70B Llama-2-13b-hf Llama-2-70b-hf Llama-2-7b-hf Llama-3.1-405B-Inst
Llama-3.1-405B-Inst-fp8 Llama-3.1-405B-Instruct-Turbo Meta-Llama-3-70B Meta-Llama-3-70B-Instruct
Meta-Llama-3-8B Meta-Llama-3-8B-Instruct Meta-Llama-3.1-405B-Instruct Meta-Llama-3.1-70B-Instruct
Meta-Llama-3.1-8B-Instruct Meta-Llama-3_1-70B Meta-Llama-3_1-70B-Instruct Meta-Llama-3_1-8B
Meta-Llama-3_1-8B-Instruct Mistral-7B-Instruct-v0.1 Mistral-7B-Instruct-v0.2 Mistral-7B-v0.1
Mistral-7B-v0.2-hf Mistral-Large-2 Mistral-Nemo-Instruct-2407 Mixtral-8x7B-Instruct-v0.1
Mixtral-8x7B-v0.1 Phi-3-mini-4k-instruct Phi-3.5-mini-instruct QwQ-32b Qwen1.5-110B Qwen1.5-72B-Chat
Qwen1.5-7B-Chat Qwen2-72B-Instruct Qwen2-7B-Instruct Qwen2.5-32B-Instruct Qwen2.5-3B-Instruct
Qwen2.5-72B-Instruct Qwen2.5-7B-Instruct Yi-1.5-34B-Chat Yi-1.5-9B-Chat Yi-34B Yi-6B Yi-6b-Chat
c4ai-command-r-v01 chatgpt-4o-latest-24-09-07 claude-3-5-haiku-20241022 claude-3-5-sonnet-20240620
claude-3-5-sonnet-20241022 claude-3-haiku-20240307 claude-3-opus-20240229 claude-3-sonnet-20240229
claude-3.5-sonnet-new claude-3.7-sonnet claude-3.7-thinking-4k claude-4-sonnet-0522-thinking
claude-opus-4 claude-sonnet-4 codegemma-7b command-a-03-2025 command-r command-r-plus deepseek-chat
deepseek-chat-v3-0324 deepseek-coder deepseek-r1 deepseek-r1-0528 deepseek-r1-distill-llama-70b
deepseek-v2-chat-0628 deepseek-v2-coder-0724 deepseek-v2.5-0908 gemini-1.5-flash gemini-1.5-flash-002
gemini-1.5-flash-exp-0827 gemini-1.5-pro gemini-1.5-pro-002 gemini-1.5-pro-exp-0801
gemini-1.5-pro-exp-0827 gemini-2.0-flash gemini-2.0-pro-exp-02-05 gemini-2.5-flash-high
gemini-2.5-flash-preview-05-20 gemini-2.5-flash-preview-05-20:thinking gemini-2.5-pro-high
gemini-2.5-pro-low gemini-2.5-pro-preview-03-25 gemini-2.5-pro-preview-05-06 gemma-2-27b-it gemma-2-2b-it
gemma-2-9b-it gemma-3-27b gemma-3n-e4b-it gemma-7b glm-z1-32b gpt-3.5-turbo-0125 gpt-4-0314
gpt-4-1106-preview gpt-4-turbo-2024-04-09 gpt-4.1 gpt-4.1-mini gpt-4.1-nano gpt-4o-2024-05-13
gpt-4o-2024-08-06 gpt-4o-2024-11-20 gpt-4o-20250129 gpt-4o-mini-2024-07-18 grok-2-1212 grok-3-beta
grok-3-mini-beta-think grok-3-mini-think horizon-alpha jamba-1.5-large jamba-1.6-large
ll3.3-nemotron-49b-v1-thk llama-3.1-8b-instruct llama-3.1-nemotron-51b-instruct llama-3.3-70b-instruct
llama-3.3-nemotron-super-49b-v1 llama-4-maverick llama-4-scout llama3-chatqa-1.5-70b llama3-chatqa-1.5-8b
magistral-medium-2506-thinking mathstral-7B minimax-01 mistral-7b-instruct-v0.3 mistral-medium-3
mistral-small-3 mistral-small-3.1-2503 mistralai/Mixtral-8x7B-Instruct-v0.1 o1-mini-2024-09-12
o1-preview-2024-09-12 o3-mini o4-mini-high o4-mini-high-long olmo-2-0325-32b optimus-alpha
phi-4-reasoning-plus quasar-alpha qwen-max qwen2.5-7b-instruct qwen3-235b-a22b-nothink
qwen3-235b-a22b-think qwen3-30b-a3b-nothink qwen3-30b-a3b-think reka-core-20240501 reka-flash-20240226
yi-large yi-large-preview
`
  .trim()
  .split(/\s+/);

/** Different names of the same weights. */
const MERGES: Readonly<Record<string, readonly string[]>> = {
  "claude-3-5-sonnet-20241022": ["claude-3-5-sonnet-20241022", "claude-3.5-sonnet-new"],
  "command-r-03-2024": ["c4ai-command-r-v01", "command-r"],
  "deepseek-coder-v2-0724": ["DeepSeek-Coder-V2-0724", "deepseek-v2-coder-0724"],
  "llama-3.1-70b-instruct": ["Meta-Llama-3.1-70B-Instruct", "Meta-Llama-3_1-70B-Instruct"],
  "llama-3.1-8b-instruct": [
    "Meta-Llama-3.1-8B-Instruct",
    "Meta-Llama-3_1-8B-Instruct",
    "llama-3.1-8b-instruct",
  ],
  "mixtral-8x7b-instruct-v0.1": ["Mixtral-8x7B-Instruct-v0.1", "mistralai/Mixtral-8x7B-Instruct-v0.1"],
  "qwen2.5-7b-instruct": ["Qwen2.5-7B-Instruct", "qwen2.5-7b-instruct"],
};

describe("The model names of datasets", () => {
  it("include every name of the outcome sets", () => {
    expect(ORIGINAL_NAMES).toHaveLength(153);
    expect(ORIGINAL_NAMES.filter((name) => !DATASET_NAMES.has(name))).toEqual([]);
    expect([...DATASET_NAMES.keys()].sort()).toEqual([...ORIGINAL_NAMES].sort());
  });

  it("share an id only where they are the same model", () => {
    const namesById = new Map<string, string[]>();
    for (const name of [...DATASET_NAMES.keys()].sort()) {
      namesById.set(catalogId(name), [...(namesById.get(catalogId(name)) ?? []), name]);
    }
    const merged = [...namesById].filter(([, names]) => names.length > 1);
    expect(Object.fromEntries(merged)).toEqual(MERGES);
  });

  it("have lower-case ids without a maker's prefix", () => {
    for (const id of DATASET_NAMES.values()) expect(id).toMatch(/^[a-z0-9][a-z0-9.:-]*$/);
  });

  it("stay unchanged when they are unknown", () => {
    expect(catalogId("my-model")).toBe("my-model");
    expect(canonicalId("my-model")).toBe("my-model");
    expect(canonicalId("__proto__")).toBe("__proto__");
  });

  it("distinguish thinking from non-thinking, base from chat models, and derived from original models", () => {
    const pairs = [
      ["claude-3.7-sonnet", "claude-3.7-thinking-4k"],
      ["qwen3-30b-a3b-think", "qwen3-30b-a3b-nothink"],
      ["gemini-2.5-pro-high", "gemini-2.5-pro-low"],
      ["Mixtral-8x7B-v0.1", "Mixtral-8x7B-Instruct-v0.1"],
      ["Meta-Llama-3.1-405B-Instruct", "Llama-3.1-405B-Inst-fp8"],
    ] as const;
    for (const [left, right] of pairs) expect(catalogId(left)).not.toBe(catalogId(right));
  });
});

describe("The model names of tables with an effort column", () => {
  it.each([
    ["claude-opus-4.5", "", "claude-opus-4-5"],
    ["claude-3.5-sonnet", "default", "claude-3-5-sonnet-20241022"],
    ["claude-3.7-sonnet", "thinking+default", "claude-3-7-sonnet:thinking"],
    ["deepseek-v3--dec-'24", "", "deepseek-v3"],
    ["alibaba/qwen-max", "", "qwen-max"],
    ["google/gemini-3-flash-preview", "", "gemini-3-flash"],
    ["llama-3.1-8b", "", "llama-3.1-8b-instruct"],
    ["kimi-k2", "thinking", "kimi-k2-thinking"],
    ["gpt-5.2-2025-12-11", "xhigh", "gpt-5.2:xhigh"],
    ["o3-mini", "high+reasoning", "o3-mini:high"],
  ])("map: %s with effort %j to %s", (name, effort, id) => {
    expect(catalogId(name, effort)).toBe(id);
  });

  it.each([
    ["none of a model that does not think by default", "gpt-5.4", "none", "gpt-5.4"],
    ["none of one that does", "gpt-5.5", "none", "gpt-5.5:none"],
    ["the default level", "gpt-5.5", "medium", "gpt-5.5"],
    ["another level", "gpt-5.4", "medium", "gpt-5.4:medium"],
    ["on, of one that is on by default", "glm-5", "reasoning", "glm-5"],
    ["off, of one that is on by default", "glm-5", "none", "glm-5:none"],
    ["on, of one that is off by default", "deepseek-v3.2", "reasoning", "deepseek-v3.2:thinking"],
    ["a level of one that is on or off", "deepseek-v3.2", "high", "deepseek-v3.2:thinking"],
    ["off, of one that cannot be off", "gemini-3-flash", "none", "gemini-3-flash:minimal"],
    ["more than a model has", "gemini-3.1-pro", "xhigh", "gemini-3.1-pro"],
    ["anything, of one that always thinks", "qwq-32b", "none", "qwq-32b"],
    ["adaptive thinking at the default effort", "claude-opus-4.6", "thinking", "claude-opus-4-6:thinking"],
    ["adaptive thinking at its most", "claude-opus-4.6", "adaptive", "claude-opus-4-6:max"],
  ])("map the effort that the API uses by default to the plain name: %s", (_what, name, effort, id) => {
    expect(catalogId(name, effort)).toBe(id);
  });

  it("follow the source's own name where it is more specific", () => {
    expect(catalogId("gpt-4o", "", { sourceName: "gpt-4o-2024-11-20" })).toBe("gpt-4o-2024-11-20");
    expect(catalogId("gpt-4o", "", { sourceName: "openai/gpt-4o" })).toBe("gpt-4o-2024-08-06");
  });

  it("map its own ids to themselves", () => {
    for (const id of DATASET_NAMES.values()) expect(catalogId(id)).toBe(id);
  });
});

describe("The reviewed model table", () => {
  it("refers only to price-list entries and models that exist", () => {
    for (const [id, entry] of modelEntries()) {
      if (entry.priced_as !== undefined) expect(modelEntries().has(entry.priced_as), id).toBe(true);
      if (typeof entry.listed === "object")
        expect(catalog.lookup(id).provider, id).toBe(entry.listed.provider);
      expect(entry.source).toMatch(/^https:\/\//);
    }
  });

  it("gives a price to every model that is sold today under its name", () => {
    const ids = [...new Set(DATASET_NAMES.values())];
    const unknown = ids.filter((id) => catalog.lookup(id).price === null).sort();
    expect(ids).toHaveLength(145);
    expect(unknown).toHaveLength(43);
    expect(unknown).toContain("horizon-alpha");
    expect(unknown).toContain("gemini-1.5-pro-exp-0801");
  });
});
