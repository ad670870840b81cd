import { describe, expect, it } from "vitest";
import { createCatalog } from "../../../../src/engine/catalog/catalog.js";
import { canonicalId } from "../../../../src/engine/catalog/models/canonical-id.js";
import { catalogId, datasetNames } from "../../../../src/engine/catalog/models/dataset-names.js";
import { modelEntries } from "../../../../src/engine/catalog/models/models.js";
import { groupBy } from "../../../../src/foundation/group-by.js";

const DATASET_NAMES = datasetNames();
const catalog = createCatalog({ providers: [], deployments: [], prices: {} }, { at: new Date("2026-01-15") });

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
  it("share an id only where they are the same model", () => {
    expect(DATASET_NAMES.size).toBe(153);
    const namesById = groupBy([...DATASET_NAMES.keys()].sort(), (name) => catalogId(name));
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
});

describe("The model names of tables with an effort column", () => {
  it.each([
    ["claude-opus-4.5", "", "claude-opus-4-5"],
    ["claude-3.5-sonnet", "default", "claude-3-5-sonnet-20241022"],
    ["claude-3.7-sonnet", "thinking+default", "claude-3-7-sonnet:thinking"],
    ["deepseek-v3--dec-'24", "", "deepseek-v3"],
    ["llama-3.1-8b", "", "llama-3.1-8b-instruct"],
    ["kimi-k2", "thinking", "kimi-k2-thinking"],
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
