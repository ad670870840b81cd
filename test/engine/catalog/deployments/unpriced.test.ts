import { describe, expect, it } from "vitest";
import { createCatalog } from "../../../../src/engine/catalog/catalog.js";
import { resolveProviders } from "../../../../src/engine/catalog/deployments/provider-entries.js";
import { unpricedNotes } from "../../../../src/engine/catalog/deployments/unpriced.js";
import type { CatalogSettings } from "../../../../src/engine/catalog/entries.js";

const AT = new Date("2026-11-01T00:00:00Z");

type ProviderSettingsEntry = CatalogSettings["providers"][number];

function notesFor(providers: readonly ProviderSettingsEntry[]) {
  const settings = { providers: [...providers], deployments: [], prices: {} };
  const entries = resolveProviders({ ...settings, sandbox: false }, {});
  const catalog = createCatalog(settings, { at: AT, providers: entries });
  return { notes: unpricedNotes(settings, catalog), catalog };
}

const lab = (changes: Partial<ProviderSettingsEntry> = {}): ProviderSettingsEntry => ({
  id: "lab",
  type: "openai-compatible",
  base_url: "http://127.0.0.1:9/v1",
  models: [{ id: "our-model" }],
  ...changes,
});

describe("The note on models without a price", () => {
  it("names those of the settings, and the remedy", () => {
    const { notes } = notesFor([lab()]);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain("lab/our-model");
    expect(notes[0]).toContain("budgets do not see it");
  });

  it("is absent when all have one", () => {
    const price = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };
    expect(notesFor([lab({ models: [{ id: "our-model", price }] })]).notes).toEqual([]);
  });

  it("omits disabled providers", () => {
    expect(notesFor([lab({ api_key_env: "NOT_SET" })]).notes).toEqual([]);
  });

  it("shortens a long list", () => {
    const models = Array.from({ length: 8 }, (_, index) => ({ id: `our-${index}` }));
    expect(notesFor([lab({ models })]).notes[0]).toContain("lab/our-4, 3 more");
  });
});

describe("A provider of the settings at a vendor's own address", () => {
  it("uses the vendor's list price", () => {
    const own = lab({ base_url: "https://api.openai.com/v1", models: [{ id: "gpt-4o-mini" }] });
    const { notes, catalog } = notesFor([own]);
    const [deployment] = catalog.deployments("lab/gpt-4o-mini");
    expect(deployment?.price).toMatchObject({ inputUsdPerMtok: 0.15, outputUsdPerMtok: 0.6 });
    expect(notes).toEqual([]);
  });

  it("has no price at any other address", () => {
    const { catalog } = notesFor([lab({ models: [{ id: "gpt-4o-mini" }] })]);
    expect(catalog.deployments("lab/gpt-4o-mini")[0]?.price).toBeNull();
  });
});
