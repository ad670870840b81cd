import fc from "fast-check";
import * as cl100k from "gpt-tokenizer/encoding/cl100k_base";
import * as o200k from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { countTokens } from "../../../src/gateway/token-counting/count-tokens.js";

const count = (text: string, model = "gpt-4o") => countTokens([text], { model });

describe("counting tokens", () => {
  it("uses the vocabulary of the model", async () => {
    const text = "नमस्ते दुनिया";
    const [newer, older] = [await count(text, "gpt-4o"), await count(text, "gpt-4-turbo")];
    expect(newer).toBeLessThan(older);
    for (const model of ["gpt-4", "gpt-4-0613", "gpt-3.5-turbo", "openai/gpt-4-32k"])
      expect(await count(text, model)).toBe(older);
    for (const model of ["gpt-4.1-mini", "gpt-4o-mini", "o4-mini", "claude-sonnet-4", "gpt-5"])
      expect(await count(text, model)).toBe(newer);
  });

  it("counts as the tokenizer's own package does, whatever the text", async () => {
    const packages = { "gpt-4o": o200k, "gpt-4": cl100k };
    const special = [" ", "\n", "\r\n", "\t", "'s", "<|endoftext|>", "é", "word", "12345"];
    const scripts = ["漢字", "नम", "🇩🇪", "\ud800"];
    const anyCharacter = fc.string({ unit: "binary", minLength: 1, maxLength: 1 });
    const character = fc.oneof(anyCharacter, fc.constantFrom(...special, ...scripts));
    // The package drops a byte order mark.
    const texts = fc.array(character, { maxLength: 60 }).map((all) => all.join("").replaceAll("\ufeff", ""));
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom("gpt-4o" as const, "gpt-4" as const), async (text, model) => {
        const expected = packages[model].countTokens(text, { disallowedSpecial: new Set<string>() });
        expect(await count(text, model)).toBe(expected);
      }),
    );
  });
});

describe("A long text", () => {
  it("of ordinary prose is counted in pieces as if it were in one", async () => {
    const prose = "It was the best of times, it was the worst of times; 1859 was far away.\n\n".repeat(500);
    expect(Math.abs((await count(prose)) - o200k.countTokens(prose))).toBeLessThan(10);
  });

  it("without a break is cut into words of a bounded length, within a few percent of the count", async () => {
    const word = "internationalization".repeat(200);
    expect(Math.abs((await count(word)) / o200k.countTokens(word) - 1)).toBeLessThan(0.05);
    // Each hundred characters are counted alone: merged in one run, this takes time by the square of the length.
    const hundred = "漢字".repeat(50);
    expect(await count(hundred.repeat(50))).toBe(50 * (await count(hundred)));
  });

  it("is not cut within a character", async () => {
    const emoji = "😀".repeat(20_000);
    expect(await count(emoji)).toBe(20_000);
    expect(await count(`a${emoji}`)).toBe(20_001);
  });

  it("is counted no further than to the limit", async () => {
    const tokens = await countTokens(["hello world ".repeat(10_000)], { model: "gpt-4o", limit: 100 });
    expect(tokens).toBeGreaterThan(100);
    expect(tokens).toBeLessThan(10_000);
  });

  it("is counted in turns of 16,000 characters, in which shorter ones are counted", async () => {
    const ended: string[] = [];
    const counted = (text: string) => count(text).then(() => ended.push(`${text.length} characters`));
    await Promise.all([counted("hello ".repeat(8_000)), counted("hello ".repeat(4_000)), counted("hello")]);
    expect(ended).toEqual(["5 characters", "24000 characters", "48000 characters"]);
  });
});
