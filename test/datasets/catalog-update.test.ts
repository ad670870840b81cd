import { describe, expect, it } from "vitest";
import { mergeRecords } from "../../datasets/catalog/merge-records.js";
import { parseSource } from "../../datasets/catalog/source-records.js";
import { catalogText } from "../../datasets/catalog/write-catalog.js";
import {
  type CatalogFile,
  catalogSchema,
  readCatalogFile,
} from "../../src/engine/catalog/models/catalog-data.js";

const LINE = {
  id: "anthropic/claude-zebra-9",
  maker: "anthropic",
  family: "claude-zebra",
  release_date: "2026-10-01",
  last_updated: "2026-10-02",
  context: 500_000,
  max_output: 64_000,
  input_modalities: ["text", "image"],
  tool_call: true,
  structured_output: null,
  open_weights: false,
  cost: { input: 2, output: 8, cache_read: null, cache_write: null },
  cost_source: "a list",
  repo: "example/models",
  repo_commit: "0123456789abcdef",
  path: "models/anthropic/claude-zebra-9.toml",
};

const lines = (...changes: readonly object[]): string =>
  changes.map((change) => JSON.stringify({ ...LINE, ...change })).join("\n");

const EMPTY: CatalogFile = { as_of: "2026-01-01", retirements: {}, reasoning: [], apis: {}, models: {} };

const merge = (file: CatalogFile, text: string) =>
  mergeRecords(file, parseSource(text, "a.jsonl"), { at: new Date("2026-11-22"), asOf: "2026-11-22" });

describe("An update of the catalog file", () => {
  it("adds facts with their source, and prices that the public list lacks", () => {
    const { file, report } = merge(EMPTY, lines({}));
    expect(file.as_of).toBe("2026-11-22");
    expect(file.models["claude-zebra-9"]?.imported).toEqual({
      maker: "anthropic",
      family: "claude-zebra",
      released: "2026-10-01",
      context: 500_000,
      max_output: 64_000,
      input: ["text", "image"],
      tools: true,
      open_weights: false,
      names: { anthropic: "claude-zebra-9" },
      prices: { anthropic: { input: 2, output: 8, as_of: "2026-10-02" } },
      source: "https://github.com/example/models/blob/0123456789abcdef/models/anthropic/claude-zebra-9.toml",
      as_of: "2026-10-02",
    });
    expect(report).toMatchObject({ added: ["claude-zebra-9"], unchanged: 0 });
  });

  it("keeps reviewed entries, and entries that the source does not have", () => {
    const reviewed = { context: 1, source: "https://example.com/zebra" };
    const kept = { names: { openrouter: "anthropic/claude-zebra-9" }, source: "an older list" };
    const { file, report } = merge(
      { ...EMPTY, models: { "claude-zebra-9": { ...reviewed, imported: kept }, other: reviewed } },
      lines({}),
    );
    expect(file.models["claude-zebra-9"]).toMatchObject(reviewed);
    expect(file.models["claude-zebra-9"]?.imported?.names).toEqual({
      openrouter: "anthropic/claude-zebra-9",
      anthropic: "claude-zebra-9",
    });
    expect(file.models.other).toEqual(reviewed);
    expect([...report.changed.keys()]).toEqual(["claude-zebra-9"]);
  });

  it("omits aliases that change over time, and models that do not chat", () => {
    const { file, report } = merge(
      EMPTY,
      lines({ id: "mistral/zebra-latest" }, { id: "openai/zebra-embedding-1" }),
    );
    expect(file.models).toEqual({});
    expect(report.skipped).toEqual(["zebra-latest", "zebra-embedding-1"]);
  });

  it("reads api.json of models.dev, in which hosts add names to known models", () => {
    const [limit, cost] = [
      { context: 9, output: 3 },
      { input: 1, output: 2 },
    ];
    const modalities = { input: ["text"], output: ["text"] };
    const model = (id: string) => ({ id, release_date: "2026-10-01", limit, modalities, cost });
    const host = (...ids: string[]) => ({ models: Object.fromEntries(ids.map((id) => [id, model(id)])) });
    const api = {
      anthropic: host("claude-zebra-9"),
      openrouter: host("anthropic/claude-zebra-9", "else/unheard-of"),
      somebody: host("x"),
    };
    const { file } = merge(EMPTY, JSON.stringify(api));
    expect(Object.keys(file.models)).toEqual(["claude-zebra-9"]);
    expect(file.models["claude-zebra-9"]?.imported?.names).toEqual({
      anthropic: "claude-zebra-9",
      openrouter: "anthropic/claude-zebra-9",
    });
  });

  it("is deterministic to the byte, and the shipped file is its output", () => {
    const shipped = catalogSchema.parse(readCatalogFile("models.json"));
    const text = catalogText(shipped);
    expect(catalogText(catalogSchema.parse(JSON.parse(text)))).toBe(text);
    expect(JSON.parse(text)).toEqual(shipped);
    const again = merge(merge(EMPTY, lines({})).file, lines({}));
    expect(again.report).toMatchObject({ added: [], unchanged: 1 });
  });
});
