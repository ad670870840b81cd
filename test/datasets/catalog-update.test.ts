import { describe, expect, it } from "vitest";
import { mergePrices, type SourcedPrice } from "../../datasets/catalog/merge-prices.js";
import { mergeRecords } from "../../datasets/catalog/merge-records.js";
import { withPredecessors } from "../../datasets/catalog/predecessors.js";
import { parseSource, type SourceRecord } from "../../datasets/catalog/source-records.js";
import { updatedCatalog } from "../../datasets/catalog/update.js";
import { catalogText } from "../../datasets/catalog/write-catalog.js";
import { type CatalogFile, catalogSchema, readCatalogFile } from "../../src/engine/catalog/catalog-file.js";

const SOURCE = "https://example.com/models";

const FACTS: SourceRecord["facts"] = {
  maker: "anthropic",
  family: "claude-zebra",
  released: "2026-10-01",
  context: 500_000,
  max_output: 64_000,
  input: ["text", "image"],
  tools: true,
  open_weights: false,
};

/** Of a maker's own list. */
const recordOf = (more: Partial<SourceRecord> = {}): SourceRecord => ({
  provider: "anthropic",
  name: "claude-zebra-9",
  ofMaker: true,
  completes: false,
  facts: FACTS,
  price: { input: 2, output: 8 },
  source: SOURCE,
  asOf: "2026-10-02",
  ...more,
});

type Models = CatalogFile["models"];

const merge = (models: Models, ...records: readonly SourceRecord[]) => mergeRecords({ models }, records);

describe("Facts of a list", () => {
  it("are taken with their source", () => {
    const { models, report } = merge({}, recordOf());
    expect(models["claude-zebra-9"]).toEqual({
      ...FACTS,
      source: SOURCE,
      as_of: "2026-10-02",
    });
    expect(report).toMatchObject({ added: ["claude-zebra-9"], unchanged: 0 });
  });

  it("leave models as they are that the list does not have", () => {
    const other = { context: 1, source: "https://example.com/zebra" };
    const { models, report } = merge({ other }, recordOf());
    expect(models.other).toEqual(other);
    expect([...report.changed.keys()]).toEqual([]);
  });

  it("only complete the file where the list is a narrow one, and say where it has them otherwise", () => {
    const known = { context: 400_000, input: ["text", "image", "pdf"] };
    const { models, report } = merge({ "claude-zebra-9": known }, recordOf({ completes: true }));
    expect(models["claude-zebra-9"]).toMatchObject({ ...known, max_output: 64_000 });
    expect(report.disagreements).toEqual([expect.stringContaining(`context 400000, 500000 by ${SOURCE}`)]);
  });

  it("are not taken of names that change over time, and of models that do not chat", () => {
    const names = ["zebra-latest", "zebra-embedding-1"];
    const { models, report } = merge({}, ...names.map((name) => recordOf({ name })));
    expect(models).toEqual({});
    expect(report.skipped).toEqual(names);
  });

  it("come from api.json of models.dev, in which hosts add names that the id does not lead to", () => {
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
      "fireworks-ai": host("accounts/fireworks/models/claude-zebra-9"),
      somebody: host("x"),
    };
    const { models } = merge({}, ...parseSource(JSON.stringify(api), "api.json"));
    expect(Object.keys(models)).toEqual(["claude-zebra-9"]);
    expect(models["claude-zebra-9"]?.names).toEqual({
      fireworks: "accounts/fireworks/models/claude-zebra-9",
    });
  });
});

describe("Prices of several sources", () => {
  const LIST = {
    lab: {
      models: [
        { id: "zebra", names: ["zebra*"], prices: [{ input: 1, output: 2 }] },
        {
          id: "moved",
          prices: [
            { input: 1, output: 2 },
            { from: "2027-01-01", input: 3, output: 6 },
          ],
        },
        {
          id: "hours",
          prices: [
            { input: 1, output: 2 },
            { hours: ["00:00:00Z", "08:00:00Z"], input: 2, output: 4 },
          ],
        },
      ],
    },
  } satisfies CatalogFile["hosts"];
  const price = (name: string, input: number, more: Partial<SourcedPrice> = {}): SourcedPrice => ({
    host: "lab",
    name,
    charges: [{ input, output: 2 * input }],
    source: "a page",
    asOf: "2026-11-20",
    ...more,
  });
  const merged = (...prices: SourcedPrice[]) => {
    const { hosts, disagreements } = mergePrices(LIST, "2026-09-23", prices);
    const rows = hosts.lab?.models.map(({ id, prices: charges }) => [
      id,
      charges.map(({ from = "", input }) => `${from} ${input}`.trim()).join(", "),
    ]);
    return { rows: Object.fromEntries(rows ?? []), said: disagreements.map(({ name }) => name) };
  };

  it.each([
    ["the same price changes nothing", price("zebra", 1), "zebra", "1", []],
    ["a newer one holds from its day", price("zebra", 5), "zebra", "1, 2026-11-20 5", ["zebra"]],
    [
      "of a dated name that the list knows by its start",
      price("zebra-2026-01-01", 5),
      "zebra",
      "1, 2026-11-20 5",
      ["zebra-2026-01-01"],
    ],
    ["one older than the list is not asked", price("zebra", 5, { asOf: "2026-05-01" }), "zebra", "1", []],
    [
      "an announced one stays the last",
      price("moved", 2),
      "moved",
      "1, 2026-11-20 2, 2027-01-01 3",
      ["moved"],
    ],
    ["one of some hours is agreed to", price("hours", 2), "hours", "1, 2", []],
    ["a new model is added", price("lion", 7), "lion", "7", []],
  ])("%s", (_, added, id, charges, said) => {
    const found = merged(added);
    expect(found.rows[id]).toBe(charges);
    expect(found.said).toEqual(said);
  });

  it("has a model of its own for a name that the list takes for another's", () => {
    const list = {
      lab: { models: [{ id: "lion", names: ["lion-safe"], prices: [{ input: 1, output: 2 }] }] },
    };
    const { hosts } = mergePrices(list, "2026-09-23", [price("lion-safe", 7)]);
    expect(hosts.lab?.models.map(({ id, prices }) => [id, prices[0]?.input])).toEqual([
      ["lion-safe", 7],
      ["lion", 1],
    ]);
  });

  it("takes what is announced of a price that it knows", () => {
    const charges = [
      { input: 1, output: 2 },
      { from: "2026-12-01", input: 2, output: 4 },
    ] as const;
    expect(merged(price("zebra", 1, { charges })).rows.zebra).toBe("1, 2026-12-01 2");
  });
});

describe("The predecessor of a model", () => {
  const of = (maker: string, ...models: readonly (readonly [id: string, released: string])[]) =>
    models.map(([id, released]) => [id, { maker, released }] as const);
  const MODELS: Models = Object.fromEntries([
    ...of("a", ["lion-5", "2025-08"], ["lion-5.1", "2025-11"], ["lion-5.1-mini", "2025-12"]),
    ...of("a", ["lion-5-pro", "2025-10"], ["lion-5.2-pro", "2026-01"], ["lion-5-20260101", "2026-01"]),
    ...of("a", ["lion-opus-4-8", "2026-05"], ["lion-opus-5", "2026-07"], ["lion-30b", "2026-07"]),
    ...of("b", ["lion-6", "2026-08"], ["zebra", "2026-09"], ["lion-7", "2026-10"], ["lion-8", "2026-11"]),
  ]);
  const reviewed: Models = { zebra: { predecessor: "lion-6" }, "lion-8": { predecessor: null } };

  it("is the release before it of its maker's line by its name, and what people have reviewed", () => {
    const found = Object.entries(withPredecessors(MODELS, reviewed)).flatMap(([id, { predecessor }]) =>
      predecessor === undefined ? [] : [[id, predecessor]],
    );
    expect(Object.fromEntries(found)).toEqual({
      "lion-5.1": "lion-5",
      "lion-5.2-pro": "lion-5-pro",
      "lion-opus-5": "lion-opus-4-8",
      zebra: "lion-6",
      "lion-7": "lion-6",
      "lion-8": null,
    });
  });

  it("is a model of the shipped file that was released before it", () => {
    const { models } = catalogSchema.parse(readCatalogFile("models.json"));
    expect(withPredecessors(models, models)).toEqual(models);
    for (const [id, { predecessor, released = "9" }] of Object.entries(models))
      if (predecessor)
        expect(
          `${predecessor} ${models[predecessor]?.released ?? ""}` < `${predecessor} ${released}`,
          id,
        ).toBe(true);
    expect(models["gpt-6.2-astra"]?.predecessor).toBe("gpt-6-astra");
    expect(models["gemini-4-argon"]?.predecessor).toBe("gemini-3.1-pro");
  });
});

describe("The catalog file", () => {
  it("has what people have reviewed before what lists say", () => {
    const reviewed = {
      retirements: {},
      reasoning: [],
      apis: {},
      tiers: {},
      hosts: {},
      models: { "claude-zebra-9": { context: 7 } },
    };
    const before = { ...reviewed, models: {}, as_of: "2026-01-01", notices: [] };
    const update = {
      before,
      reviewed,
      hosts: {},
      hostsAsOf: "2026-01-01",
      notices: ["MIT"],
      asOf: "2026-11-28",
    };
    const { file } = updatedCatalog({ ...update, records: [recordOf()] });
    expect(file).toMatchObject({ as_of: "2026-11-28", notices: ["MIT"] });
    expect(file.models["claude-zebra-9"]).toMatchObject({ context: 7, max_output: 64_000 });
    expect(file.hosts.anthropic?.models).toMatchObject([
      { id: "claude-zebra-9", prices: [{ input: 2, output: 8 }] },
    ]);
    const again = (before: CatalogFile) => updatedCatalog({ ...update, before, records: [] }).file;
    expect(again(file)).toEqual(file);
    const announced = { from: "2026-12-01", input: 4, output: 16, source: "a page", as_of: "2026-11-28" };
    const rows =
      file.hosts.anthropic?.models.map((row) => ({ ...row, prices: [...row.prices, announced] })) ?? [];
    const later = { ...file, hosts: { anthropic: { models: rows } } };
    expect(again(later)).toEqual(later);
  });

  it("is deterministic to the byte, and the shipped file is its output", () => {
    const shipped = catalogSchema.parse(readCatalogFile("models.json"));
    const text = catalogText(shipped);
    expect(catalogText(catalogSchema.parse(JSON.parse(text)))).toBe(text);
    expect(JSON.parse(text)).toEqual(readCatalogFile("models.json"));
  });
});
