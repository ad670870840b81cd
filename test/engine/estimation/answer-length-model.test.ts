import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Embedder } from "../../../src/engine/embedding/embedder.js";
import { openEmbedder } from "../../../src/engine/embedding/open-embedder.js";
import { type ReadPromptText, readPromptTexts } from "../../../src/engine/embedding/read-prompt-texts.js";
import {
  type AnswerLengthWeights,
  answerLengthFeatures,
  createAnswerLengthModel,
  isMultipleChoice,
} from "../../../src/engine/estimation/answer-length-model.js";
import type { PromptFacts } from "../../../src/engine/estimation/evidence.js";
import { hiddenFactor } from "../../../src/engine/estimation/expected-tokens.js";
import { verbosityOfFamily } from "../../../src/workbench/fitting/answer-lengths.js";
import { SHIPPED_MODEL } from "../embedding/tiny-model.js";

const STEMS = { closed: ["yes or no"], edit: ["translat"], summary: ["summar"], plan: ["plan$"] };
const VECTOR = Float32Array.of(0.6, 0.8);

function weightsWith(
  weightByName: Readonly<Record<string, number>>,
  overrides: Partial<AnswerLengthWeights> = {},
): AnswerLengthWeights {
  const { names } = answerLengthFeatures(STEMS);
  return {
    dimensions: 2,
    bias: Math.log(100),
    clip: 4,
    vectorWeights: [0, 0],
    stems: STEMS,
    features: names.map((name) => ({ name, mean: 0, deviation: 1, weight: weightByName[name] ?? 0 })),
    ...overrides,
  };
}

const estimateOf = (weights: AnswerLengthWeights, text: string, difficulty = 1): number =>
  createAnswerLengthModel(weights).estimate(text, { vector: VECTOR, difficulty }).tokens;

describe("The estimate of an answer's length", () => {
  it("multiplies by what is asked for, the difficulty and the vector", () => {
    const base = estimateOf(weightsWith({}), "Plan it");
    // The mean about the median that the bias is.
    expect(base).toBeCloseTo(125, 9);
    const of = (weights: AnswerLengthWeights, difficulty?: number) =>
      estimateOf(weights, "Plan it", difficulty) / base;
    expect(of(weightsWith({ asks_plan: Math.log(3) }))).toBeCloseTo(3, 9);
    expect(of(weightsWith({ difficulty: Math.log(2) }), 3)).toBeCloseTo(8, 9);
    expect(of(weightsWith({}, { vectorWeights: [1, 1] }))).toBeCloseTo(Math.exp(1.4), 5);
  });

  it("finds a closed question outside the asked part, too", () => {
    const weights = weightsWith({ closed_anywhere: -1 });
    const text = `Answer yes or no.\n\n${"A long text. ".repeat(40)}\n\nIs it so?`;
    expect(estimateOf(weights, text) / estimateOf(weightsWith({}), text)).toBeCloseTo(Math.exp(-1), 9);
  });

  it("is near what the prompt asks for in so many words", () => {
    const long = estimateOf(weightsWith({}), "Write 2,000 words about it");
    expect(long).toBeGreaterThan(1200);
    expect(long).toBeLessThan(2700);
    expect(estimateOf(weightsWith({}), "Answer in 10 words")).toBeLessThan(50);
  });

  it("is refused for features or vectors of another version", () => {
    const weights = weightsWith({});
    const renamed = weights.features.with(3, { name: "other", mean: 0, deviation: 1, weight: 0 });
    const renaming = () => createAnswerLengthModel({ ...weights, features: renamed });
    expect(renaming).toThrow(/feature 3 is other where/);
    expect(() => createAnswerLengthModel({ ...weights, dimensions: 3 })).toThrow(/2 vector weights for 3/);
  });
});

describe("Multiple choice", () => {
  it.each([
    "Which is right?\nA) one\nB) two\nC) three",
    "Choose.\n(A) one\n(B) two\n(C) three\n(D) four",
    "\n\n A) one\n\n\tB) two\r\n\r\n  C) three",
    "Frage\na. eins\nb. zwei\nc. drei",
  ])("is told by its options: %j", (text) => {
    expect(isMultipleChoice(text)).toBe(true);
  });

  it("is not seen in other lists and initials", () => {
    for (const text of ["Compare A and B.", "Do this:\n1. read\n2. write", "A. Smith wrote to B. Jones"])
      expect(isMultipleChoice(text), text).toBe(false);
  });
});

describe("The shipped model of answer lengths", () => {
  let embedder: Embedder;
  beforeAll(async () => {
    embedder = await openEmbedder(SHIPPED_MODEL, { cacheDir: "" });
  });
  afterAll(() => embedder.close());
  const factsOf = async (text: string) =>
    ((await readPromptTexts(embedder, [text]))[0] as ReadPromptText).facts;
  const expectedTokens = async (text: string) => (await factsOf(text)).answerTokens as number;

  it.each([
    ["Thanks a lot!", 1, 100],
    ["Who composed The Magic Flute?", 3, 90],
    ["Is this sentence correct? Answer yes or no: He go home.", 1, 100],
    ["What is 30 % of 45?", 3, 150],
    ["Improve this sentence: He don't like no vegetables.", 20, 200],
    ["Explain how a heat pump works.", 250, 800],
    ["Write a 900-word story about a lighthouse.", 700, 1800],
    ["Build a chess game in a single HTML file.", 600, 4000],
  ])("expects an answer to %j of %i to %i tokens", async (text, least, most) => {
    const tokens = await expectedTokens(text);
    expect(tokens).toBeGreaterThan(least);
    expect(tokens).toBeLessThan(most);
  });

  it.each([
    "Write 700 words about the history of tea.",
    "Write a 700-word essay on remote work.",
    "Escribe 700 palabras sobre la historia del té.",
  ])("expects no maker's answer to %j in fewer than 500 tokens", async (text) => {
    const tersest = Math.min(...["claude", "gpt", "gemini", "grok", "oak"].map(verbosityOfFamily));
    expect(tersest * (await expectedTokens(text))).toBeGreaterThan(500);
  });

  it("expects a proof to be more than ten times as long as the answer to a greeting", async () => {
    const greeting = await factsOf("How was your weekend?");
    const proof = await factsOf("Prove that a lock-free queue with hazard pointers is linearisable.");
    expect((proof.answerTokens as number) / (greeting.answerTokens as number)).toBeGreaterThan(10);
    const hidden = ({ difficulty = Number.NaN }: PromptFacts) => hiddenFactor(difficulty);
    expect(hidden(proof) / hidden(greeting)).toBeGreaterThan(4);
  });
});
