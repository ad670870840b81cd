import { describe, expect, it } from "vitest";
import { unpricedNotes } from "../../../../src/engine/catalog/deployments/unpriced.js";
import { catalogOf, lab } from "../catalog-of.js";

function notesFor(provider: ReturnType<typeof lab>): readonly string[] {
  const settings = { providers: [provider], deployments: [], prices: {} };
  return unpricedNotes(settings, catalogOf(settings));
}

describe("The note on models without a price", () => {
  it("names those of the settings, and the remedy", () => {
    const notes = notesFor(lab([{ id: "our-model" }]));
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain("lab/our-model");
    expect(notes[0]).toContain("budgets do not see it");
  });

  it("is absent when all have one, their own or a vendor's at its address, and for disabled providers", () => {
    const price = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };
    expect(notesFor(lab([{ id: "our-model", price }]))).toEqual([]);
    expect(notesFor(lab([{ id: "gpt-4o-mini" }], { base_url: "https://api.openai.com/v1" }))).toEqual([]);
    expect(notesFor(lab([{ id: "our-model" }], { api_key_env: "NOT_SET" }))).toEqual([]);
  });

  it("shortens a long list", () => {
    const models = Array.from({ length: 8 }, (_, index) => ({ id: `our-${index}` }));
    expect(notesFor(lab(models))[0]).toContain("lab/our-4, 3 more");
  });
});
