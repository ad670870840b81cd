import { describe, expect, it } from "vitest";
import { shippedCatalogFile } from "../../../../src/engine/catalog/catalog-file.js";
import {
  isRetired,
  nextRetirement,
  retirementOf,
} from "../../../../src/engine/catalog/models/retirements.js";

const NOVEMBER = new Date("2026-11-21");

describe("A retirement", () => {
  it("takes effect on its date", () => {
    expect(isRetired("openai", "o4-mini", new Date("2026-10-22T23:59:59Z"))).toBe(false);
    expect(isRetired("openai", "o4-mini", new Date("2026-10-23T00:00:00Z"))).toBe(true);
  });

  it.each([
    ["without regard to dots, dashes and capitals", "openai", "gpt-4.1-nano"],
    ["of a dated name", "openai", "gpt-4.1-nano-2025-04-14"],
    ["of another spelling", "anthropic", "claude-3.5-sonnet"],
    ["at its maker, though hosts run its weights", "mistral", "mistral-large-2407"],
    ["on a market, when the maker alone runs it", "openrouter", "openai/o4-mini"],
  ])("applies to a model %s: %s, %s", (_, provider, name) => {
    expect(isRetired(provider, name, NOVEMBER)).toBe(true);
  });

  it.each([
    ["any other model", "openai", "gpt-4o"],
    ["any other model", "mistral", "mistral-large-2512"],
    ["any other model on a market", "openrouter", "anthropic/claude-opus-4.5"],
    ["any other model at a host", "together", "openai/gpt-oss-20b"],
    ["open weights on a market", "openrouter", "mistralai/mistral-large-2407"],
    ["another provider", "azure", "o4-mini"],
    ["a provider of the settings", "lab", "o4-mini"],
  ])("does not apply to %s: %s, %s", (_, provider, name) => {
    expect(isRetired(provider, name, NOVEMBER)).toBe(false);
  });
});

it.each([
  ["answers in its place", "google", "gemini-2.5-pro", "gemini-3.8-flash", true],
  ["answers in its place", "google", "gemini-3.7-flash", "gemini-3.8-flash", true],
  ["answers in its place", "deepseek", "deepseek-v4-flash", "deepseek-v4.1-flash", true],
  ["is recommended by its vendor", "openai", "gpt-4o-2024-08-06", "gpt-6-luna", false],
  [
    "is recommended by its maker, on a market",
    "openrouter",
    "google/gemini-2.5-flash",
    "gemini-3.5-flash-lite",
    false,
  ],
  ["is not known", "openai", "gpt-5.1", null, false],
])("The successor of a model %s: %s, %s", (_, provider, name, successor, isRedirected) => {
  expect(retirementOf(provider, name)).toMatchObject({ successor, isRedirected });
});

it("Every successor is of a name that is listed, and known to the catalog", () => {
  const { retirements, models } = shippedCatalogFile();
  for (const { names, answered_by = {}, successors = {} } of Object.values(retirements)) {
    const listed = Object.values(names).flat();
    const given = { ...answered_by, ...successors };
    expect(listed).toEqual(expect.arrayContaining(Object.keys(given)));
    expect(Object.keys(models)).toEqual(expect.arrayContaining(Object.values(given)));
  }
});

it("nextRetirement returns the first date in the future, or infinity", () => {
  expect(nextRetirement(new Date("2026-10-22"))).toBe(Date.parse("2026-10-23"));
  expect(nextRetirement(new Date("2026-11-28"))).toBe(Date.parse("2026-11-30"));
  expect(nextRetirement(new Date("2100-01-01"))).toBe(Number.POSITIVE_INFINITY);
});
