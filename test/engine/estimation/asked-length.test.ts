import { describe, expect, it } from "vitest";
import { askedLength } from "../../../src/engine/estimation/asked-length.js";

describe("The length that a prompt asks for", () => {
  it.each([
    ["Write an essay of 1,500 words about the First World War.", 2025],
    ["Write a 200-word summary of the report.", 270],
    ["Answer in two sentences.", 54],
    ["Summarise it in one sentence, please", 27],
    ["Give me 10 ideas for a birthday party", 400],
    ["Schreibe drei Absätze über Bremen.", 330],
    ["Explica la fotosíntesis en 100 palabras", 135],
    ["Écris un poème en quatre strophes.", 240],
    ["写一篇1000字的文章", 1200],
    ["Either 50 words or three sentences", 81],
  ])("of %j is %i tokens", (text, tokens) => {
    expect(askedLength(text)).toBeCloseTo(tokens, 6);
  });

  it.each([
    "What is the capital of Australia?",
    "Compare the meaning of the two sentences.",
    "A train needs 3 hours for 210 km. How fast is it?",
    "How many words are in this line?",
    "She paid $20 words cannot describe it",
    "List the first 5 presidents",
    "Give five reasons each for and against it",
  ])("is not read from %j", (text) => {
    expect(askedLength(text)).toBe(0);
  });

  it("is bounded", () => {
    expect(askedLength("Refactor this in 99999 pages")).toBe(6000);
  });
});
