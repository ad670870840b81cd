import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countTokens } from "../../../../src/gateway/inference/token-counting/count-tokens.js";

const count = (text: string, model = "gpt-4o") => countTokens([text], { model });

describe("counting tokens", () => {
  // Counts as OpenAI's own tokenizer gives them.
  it.each([
    ["", 0],
    ["hello world", 2],
    ["The quick brown fox jumps over the lazy dog.", 10],
    ["😀😀", 2],
  ])("returns the count of %j: %i", async (text, expected) => {
    expect(await count(text)).toBe(expected);
  });

  it("adds the counts of several texts", async () => {
    expect(await countTokens(["hello world", "hello"], { model: "gpt-4o" })).toBe(3);
  });

  it("reads special tokens as plain text", async () => {
    expect(await count("<|endoftext|>")).toBeGreaterThan(1);
  });

  it("uses the vocabulary of the model", async () => {
    const text = "नमस्ते दुनिया";
    const [newer, older] = [await count(text, "gpt-4o"), await count(text, "gpt-4-turbo")];
    expect(newer).toBeLessThan(older);
    for (const model of ["gpt-4", "gpt-4-0613", "gpt-3.5-turbo", "openai/gpt-4-32k"]) {
      expect(await count(text, model)).toBe(older);
    }
    for (const model of ["gpt-4.1-mini", "gpt-4o-mini", "o4-mini", "claude-sonnet-4", "gpt-5"]) {
      expect(await count(text, model)).toBe(newer);
    }
  });

  it("counts ordinary prose as if it were in one piece", async () => {
    const { countTokens: whole } = await import("gpt-tokenizer/encoding/o200k_base");
    const prose = "It was the best of times, it was the worst of times; 1859 was far away.\n\n".repeat(2000);
    expect(await count(prose)).toBeGreaterThan(whole(prose) - 10);
    expect(await count(prose)).toBeLessThan(whole(prose) + 10);
  });

  it("counts as the tokenizer's own package does, whatever the text", async () => {
    const packages = {
      "gpt-4o": await import("gpt-tokenizer/encoding/o200k_base"),
      "gpt-4": await import("gpt-tokenizer/encoding/cl100k_base"),
    };
    const character = fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
      fc.constantFrom(
        " ",
        "\n",
        "\r\n",
        "\t",
        "'s",
        "<|endoftext|>",
        "é",
        "word",
        "12345",
        "漢字",
        "नम",
        "🇩🇪",
        "\ud800",
      ),
    );
    // The package drops a byte order mark.
    const texts = fc.array(character, { maxLength: 60 }).map((all) => all.join("").replaceAll("\ufeff", ""));
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom("gpt-4o" as const, "gpt-4" as const), async (text, model) => {
        const expected = packages[model].countTokens(text, { disallowedSpecial: new Set<string>() });
        expect(await count(text, model)).toBe(expected);
      }),
    );
  });

  it("is within a few percent for very long words, which it counts in pieces", async () => {
    const { countTokens: whole } = await import("gpt-tokenizer/encoding/o200k_base");
    const word = "internationalization".repeat(200);
    expect(Math.abs((await count(word)) / whole(word) - 1)).toBeLessThan(0.05);
  });

  it("does not split a character where it cuts", async () => {
    const emoji = "😀".repeat(20_000);
    expect(await count(emoji)).toBe(20_000);
    expect(await count(`a${emoji}`)).toBe(20_001);
  });

  it("stops once the count exceeds the limit", async () => {
    const tokens = await countTokens(["hello world ".repeat(1_000_000)], { model: "gpt-4o", limit: 100 });
    expect(tokens).toBeGreaterThan(100);
    expect(tokens).toBeLessThan(10_000);
  });

  it("yields to other work while it counts a long text", async () => {
    let turns = 0;
    let counting = true;
    const others = (async () => {
      while (counting) {
        await new Promise((resolve) => setImmediate(resolve));
        turns += 1;
      }
    })();
    await count("hello world ".repeat(20_000));
    counting = false;
    await others;
    expect(turns).toBeGreaterThan(10);
  });

  it("takes linear, not quadratic, time for a text without any break", async () => {
    // Merged in runs of 16,000 characters, this takes many seconds.
    expect(await count("漢字".repeat(50_000))).toBeGreaterThan(50_000);
  }, 5000);
});
