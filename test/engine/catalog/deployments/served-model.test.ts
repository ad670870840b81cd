import { describe, expect, it } from "vitest";
import { servesAnother } from "../../../../src/engine/catalog/deployments/served-model.js";

/** Provider, name asked for there, name in the reply. */
const SAME = [
  ["openai", "gpt-4o-mini", "gpt-4o-mini-2024-07-18"],
  ["azure", "gpt-4o", "gpt-4o-2024-08-06"],
  ["anthropic", "claude-sonnet-4-5", "claude-sonnet-4-5-20250929"],
  ["anthropic", "claude-3-5-haiku-latest", "claude-3-5-haiku-20241022"],
  ["openrouter", "anthropic/claude-sonnet-4.5", "anthropic/claude-4.5-sonnet-20250929"],
  ["openrouter", "meta-llama/llama-3.3-70b-instruct:free", "meta-llama/llama-3.3-70b-instruct"],
  ["bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5-20250929"],
  ["x-ai", "grok-4", "grok-4-0709"],
  ["google", "gemini-2.5-flash", "models/gemini-2.5-flash"],
  ["together", "meta-llama/Llama-3.3-70B-Instruct-Turbo", "meta-llama/Llama-3.3-70B-Instruct-Turbo"],
  // Names of an operator's own may stand for anything.
  ["azure", "support-bot", "gpt-4.1-2025-04-14"],
] as const;

const OTHERS = [
  ["openai", "gpt-5", "gpt-5-mini-2025-08-07"],
  ["openai", "gpt-4o-2024-05-13", "gpt-4o-2024-08-06"],
  ["openrouter", "anthropic/claude-sonnet-4.5", "anthropic/claude-4.5-haiku-20251001"],
  ["together", "meta-llama/Llama-3.3-70B-Instruct-Turbo", "meta-llama/Llama-3.1-8B-Instruct-Turbo"],
] as const;

describe("The model that a reply names", () => {
  it.each(SAME)("at %s for %s may be %s", (provider, upstreamModel, served) => {
    expect(servesAnother({ provider, upstreamModel, model: upstreamModel }, served)).toBe(false);
  });

  it.each(OTHERS)("at %s for %s is another when it is %s", (provider, upstreamModel, served) => {
    expect(servesAnother({ provider, upstreamModel, model: upstreamModel }, served)).toBe(true);
  });

  it("is another than an id that the provider has a name of its own for", () => {
    const model = "llama-3.3-70b-instruct";
    const asked = { provider: "groq", model, upstreamModel: "llama-3.3-70b-versatile" };
    expect(servesAnother(asked, "llama-3.1-8b-instant")).toBe(true);
  });

  it("may be the id that requests use, whatever the provider's name of it", () => {
    const asked = { provider: "lab", model: "gpt-4o-mini", upstreamModel: "x" };
    expect(servesAnother(asked, "gpt-4o-mini-2024-07-18")).toBe(false);
    expect(servesAnother(asked, "x")).toBe(false);
    expect(servesAnother(asked, "gpt-4.1")).toBe(true);
  });
});
