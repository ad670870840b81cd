import { expect, it } from "vitest";
import { AnswerText } from "../../../src/gateway/run/answer-text.js";
import { answerTokens } from "../../../src/gateway/run/counted-tokens.js";

it("A million characters of an answer are counted at most, and the rest is taken to have as many tokens for its length", async () => {
  const counted: number[] = [];
  /** A token for every four characters. */
  const count = async (texts: readonly string[]) => {
    const characters = texts.reduce((sum, { length }) => sum + length, 0);
    counted.push(characters);
    return characters / 4;
  };
  const tokensOf = async (characters: number) => {
    const text = new AnswerText(4_000_000);
    const message = { role: "assistant", content: "x".repeat(characters) };
    text.addCompletion({ choices: [{ index: 0, message, finish_reason: "stop" }] });
    return answerTokens(text, "m", { count });
  };
  expect(await tokensOf(1_000_000)).toBe(250_000);
  expect(await tokensOf(3_000_000)).toBe(750_000);
  // Only the first four millions of it are kept at all.
  expect(await tokensOf(8_000_000)).toBe(2_000_000);
  expect(Math.max(...counted)).toBe(1_048_576);
});
