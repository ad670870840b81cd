import { describe, expect, it } from "vitest";
import { hiddenTokens } from "../../../src/engine/catalog/hidden-tokens.js";
import { describeByName } from "../../../src/engine/catalog/model-description.js";
import { decodeRatio } from "../../../src/engine/estimation/bills.js";
import {
  estimateLengths,
  levelElsewhere,
  ThinkingRatios,
} from "../../../src/workbench/fitting/answer-lengths.js";
import type { ModelOutcomes, OutcomeTable } from "../../../src/workbench/fitting/outcome-table.js";

const PROMPTS = 60;
const NOTHING = Float32Array.from({ length: PROMPTS }, () => Number.NaN);

interface Answers {
  readonly tokensOut?: (prompt: number) => number;
  readonly tokensReasoning?: (prompt: number) => number;
  readonly costUsd?: (prompt: number) => number;
}

function outcomesOf(model: string, { tokensOut, tokensReasoning, costUsd }: Answers): ModelOutcomes {
  const column = (of: ((prompt: number) => number) | undefined) =>
    of === undefined ? NOTHING : NOTHING.map((_, prompt) => of(prompt));
  return {
    model,
    originalNames: [model],
    quality: new Float32Array(PROMPTS),
    samples: new Uint16Array(PROMPTS).fill(1),
    anchors: Uint32Array.from({ length: PROMPTS }, (_, prompt) => prompt),
    tokensOut: column(tokensOut),
    tokensReasoning: column(tokensReasoning),
    costUsd: column(costUsd),
  };
}

const OF_ONE = new Uint16Array(PROMPTS);

/** Of prompts of one source and topic, with what lengths are read from. */
const tableOf = (models: readonly ModelOutcomes[]) =>
  ({
    promptIds: Array.from({ length: PROMPTS }, (_, prompt) => `s:${prompt}`),
    benchmarks: ["b"],
    benchmarkOf: OF_ONE,
    topics: ["b"],
    topicOf: OF_ONE,
    sources: [{ name: "s", lengths: "total" }],
    sourceOf: OF_ONE,
    tokensIn: new Float32Array(PROMPTS).fill(100),
    models,
  }) as unknown as OutcomeTable;

const price = { inputUsdPerMtok: 1, outputUsdPerMtok: 10 };
const lengthsOf = (
  models: Readonly<Record<string, Answers>>,
  answerTokens: Float32Array | null = new Float32Array(PROMPTS).fill(200),
) =>
  estimateLengths(tableOf(Object.entries(models).map(([model, answers]) => outcomesOf(model, answers))), {
    describe: (model) => ({ ...describeByName(model), listPrice: model.startsWith("free") ? null : price }),
    answerTokens,
    difficulty: new Float32Array(PROMPTS).fill(2),
  });

const middle = (values: ArrayLike<number>): number =>
  [...Array.from(values)].sort((a, b) => a - b)[PROMPTS >> 1] as number;

describe("The lengths of a set's answers", () => {
  it("are told apart into those of the prompt and of the model", () => {
    const longer = (prompt: number) => (prompt % 2 === 0 ? 400 : 100);
    const { answerLevel, verbosity } = lengthsOf({
      "plain-a": { tokensOut: longer },
      "plain-b": { tokensOut: (prompt) => 2 * longer(prompt) },
    });
    expect((answerLevel[0] as number) - (answerLevel[1] as number)).toBeGreaterThan(0.9);
    expect((verbosity[1] as number) / (verbosity[0] as number)).toBeCloseTo(2, 0);
  });

  it("are those of the maker where a model has no answers", () => {
    const { verbosity } = lengthsOf({ "qwen-x": {}, "claude-x": {} });
    expect(verbosity[0]).toBeGreaterThan(1.2);
    expect(verbosity[1]).toBeLessThan(1);
  });

  it("leave multiple choice out", () => {
    const { answerLevel, bills } = lengthsOf({ plain: { tokensOut: () => 3 } }, NOTHING);
    expect([...answerLevel].every(Number.isNaN)).toBe(true);
    expect(bills).toBeNull();
  });

  const hiddenTokensOf = (model: string, answers: Answers = {}) =>
    lengthsOf({ [model]: answers }).thinkingTokens[0] as number;

  it("have hidden tokens by level and maker, corrected by what was counted", () => {
    const counted = (tokens: number) =>
      hiddenTokensOf("gpt-x:high", { tokensOut: () => 5000, tokensReasoning: () => tokens });
    const guess = hiddenTokensOf("gpt-x:high");
    const { levels, makers } = hiddenTokens();
    expect(guess).toBeCloseTo((levels.high as number) * (makers.gpt as number), 6);
    expect(counted(3 * guess)).toBeGreaterThan(1.3 * guess);
    expect(counted(guess / 3)).toBeLessThan(guess / 1.3);
    expect(hiddenTokensOf("gpt-x:none")).toBe(0);
  });

  it("have no effort that hides less than a lower one, whatever was counted", () => {
    const counted = (tokens: number) => ({ tokensOut: () => 20000, tokensReasoning: () => tokens });
    const { thinkingTokens } = lengthsOf({
      "gpt-x:none": {},
      "gpt-x:low": counted(3000),
      "gpt-x:medium": {},
      "gpt-x:high": counted(300),
    });
    expect(thinkingTokens[0]).toBe(0);
    expect([...thinkingTokens]).toEqual([...thinkingTokens].sort((a, b) => a - b));
  });

  it("have hidden tokens of models that think without a known dial", () => {
    const [model] = hiddenTokens().undeclared as [string];
    expect(hiddenTokensOf(model)).toBeGreaterThan(100);
    expect(hiddenTokensOf("oak-1")).toBe(0);
  });
});

describe("The bills of a set's answers", () => {
  // 100 tokens in, 200 out by the text: $.0021.
  it.each<[string, Answers, number, number]>([
    ["dollars, whatever the tokens were", { tokensOut: () => 200, costUsd: () => 0.021 }, 10, 0],
    ["dollars", { costUsd: () => 0.0021 }, 1, 1],
    ["tokens where no dollars are known", { tokensOut: () => 200 }, 1, 1],
  ])("are %s, over the list price of the expected tokens", (_, answers, ratio, digits) => {
    const { bills } = lengthsOf({ plain: answers });
    expect(decodeRatio(middle(bills?.codes[0] ?? []))).toBeCloseTo(ratio, digits);
  });

  it("say whether the price is listed and dollars were paid", () => {
    const { bills } = lengthsOf({ "free-one": { costUsd: () => 0.01 }, plain: { tokensOut: () => 10 } });
    expect(bills?.terms).toMatchObject([
      { listed: false, paid: true },
      { listed: true, paid: false, price },
    ]);
  });
});

describe("What is beyond the anchors of a set", () => {
  it("is as its one source, and as the text says where there are several", () => {
    const level = Float32Array.of(1, 3, Number.NaN);
    expect(levelElsewhere(level, { sources: [1] })).toBe(2);
    expect(levelElsewhere(level, { sources: [1, 2] })).toBe(0);
    expect(levelElsewhere(Float32Array.of(Number.NaN), { sources: [1] })).toBe(0);
  });
});

describe("The ratios of hidden tokens", () => {
  it("count sources alike, and similar models as one more", () => {
    const ratios = new ThinkingRatios();
    for (let answer = 0; answer < 2000; answer++) ratios.add("m", { source: 0, seen: 8000, foreseen: 1000 });
    expect(ratios.ratioOf("m", 1)).toBeCloseTo(8 ** 0.5, 1);
    expect(ratios.ratioOf("other", 3)).toBeCloseTo(3, 9);
    for (let answer = 0; answer < 2000; answer++) ratios.add("m", { source: 1, seen: 1000, foreseen: 1000 });
    expect(ratios.ratioOf("m", 1)).toBeCloseTo(8 ** (1 / 3), 1);
  });
});
