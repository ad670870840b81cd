import { describe, expect, it } from "vitest";
import { isRetired, nextRetirement } from "../../../../src/engine/catalog/models/retirements.js";

const NOVEMBER = new Date("2026-11-21");

describe("A retirement", () => {
  it("takes effect on its date", () => {
    expect(isRetired("openai", "o4-mini", new Date("2026-10-22T23:59:59Z"))).toBe(false);
    expect(isRetired("openai", "o4-mini", new Date("2026-10-23T00:00:00Z"))).toBe(true);
  });

  it("matches names without regard to dots, dashes and capitals", () => {
    for (const name of ["gpt-4.1-nano", "gpt-4.1-nano-2025-04-14", "GPT-4-1-nano"]) {
      expect(isRetired("openai", name, NOVEMBER), name).toBe(true);
    }
    expect(isRetired("anthropic", "claude-3.5-sonnet", NOVEMBER)).toBe(true);
  });

  it("does not affect any other model", () => {
    for (const [provider, name] of [
      ["openai", "gpt-4o"],
      ["openai", "gpt-4.1"],
      ["openai", "gpt-5.2"],
      ["anthropic", "claude-opus-4-5"],
      ["anthropic", "claude-sonnet-4-6"],
      ["google", "gemini-2.5-flash-lite"],
      ["mistral", "mistral-large-2512"],
      ["openrouter", "anthropic/claude-opus-4.5"],
      ["openrouter", "meta-llama/llama-3.1-8b-instruct"],
      ["together", "openai/gpt-oss-20b"],
    ] as const) {
      expect(isRetired(provider, name, NOVEMBER), name).toBe(false);
    }
  });

  it("applies on markets too when the maker alone runs its models, but not to open weights", () => {
    expect(isRetired("openrouter", "openai/o4-mini", NOVEMBER)).toBe(true);
    expect(isRetired("openrouter", "x-ai/grok-4-fast", NOVEMBER)).toBe(true);
    expect(isRetired("openrouter", "mistralai/mistral-large-2407", NOVEMBER)).toBe(false);
    expect(isRetired("mistral", "mistral-large-2407", NOVEMBER)).toBe(true);
  });

  it("applies to its provider only", () => {
    expect(isRetired("azure", "o4-mini", NOVEMBER)).toBe(false);
    expect(isRetired("lab", "o4-mini", NOVEMBER)).toBe(false);
  });
});

it("nextRetirement returns the first date in the future, or null", () => {
  expect(nextRetirement(new Date("2026-10-22"))).toEqual(new Date("2026-10-23"));
  expect(nextRetirement(new Date("2026-10-23"))).toEqual(new Date("2026-11-30"));
  expect(nextRetirement(new Date("2100-01-01"))).toBeNull();
});
