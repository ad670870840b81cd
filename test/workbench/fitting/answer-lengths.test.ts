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
    ...{
      model,
      originalNames: [model],
      quality: new Float32Array(PROMPTS),
      samples: new Uint16Array(PROMPTS).fill(1),
    },
    anchors: Uint32Array.from({ length: PROMPTS }, (_, prompt) => prompt),
    tokensOut: column(tokensOut),
    tokensReasoning: column(tokensReasoning),
    costUsd: column(costUsd),
  };
}

const tableOf = (models: readonly ModelOutcomes[], lengths: "visible" | "total" = "total"): OutcomeTable => ({
  promptIds: Array.from({ length: PROMPTS }, (_, prompt) => `s:${prompt}`),
  ...{
    benchmarks: ["b"],
    benchmarkOf: new Uint16Array(PROMPTS),
    topics: ["b"],
    topicOf: new Uint16Array(PROMPTS),
  },
  sources: [
    {
      ...{ name: "s", licence: null, commit: null, url: null, lengths, anchors: PROMPTS },
      ...{ promptsWithoutScore: 0, rows: 0, rowsOfUnknownPrompts: 0 },
    },
  ],
  sourceOf: new Uint16Array(PROMPTS),
  tokensIn: new Float32Array(PROMPTS).fill(100),
  models,
});

const price = { inputUsdPerMtok: 1, outputUsdPerMtok: 10 };
const lengthsOf = (
  table: OutcomeTable,
  answerTokens: Float32Array | null = new Float32Array(PROMPTS).fill(200),
) =>
  estimateLengths(table, {
    describe: (model) => ({ ...describeByName(model), listPrice: model.startsWith("free") ? null : price }),
    answerTokens,
    difficulty: new Float32Array(PROMPTS).fill(2),
  });

const middle = (values: ArrayLike<number>): number =>
  [...Array.from(values)].sort((a, b) => a - b)[PROMPTS >> 1] as number;

describe("The lengths of a set's answers", () => {
  it("are told apart into those of the prompt and of the model", () => {
    const longer = (prompt: number) => (prompt % 2 === 0 ? 400 : 100);
    const { answerLevel, verbosity } = lengthsOf(
      tableOf([
        outcomesOf("plain-a", { tokensOut: longer }),
        outcomesOf("plain-b", { tokensOut: (prompt) => 2 * longer(prompt) }),
      ]),
    );
    expect((answerLevel[0] as number) - (answerLevel[1] as number)).toBeGreaterThan(0.9);
    expect((verbosity[1] as number) / (verbosity[0] as number)).toBeCloseTo(2, 0);
  });

  it("are those of the maker where a model has no answers", () => {
    const { verbosity } = lengthsOf(tableOf([outcomesOf("qwen-x", {}), outcomesOf("claude-x", {})]));
    expect(verbosity[0]).toBeGreaterThan(1.2);
    expect(verbosity[1]).toBeLessThan(1);
  });

  it("leave multiple choice out", () => {
    const { answerLevel, bills } = lengthsOf(tableOf([outcomesOf("plain", { tokensOut: () => 3 })]), NOTHING);
    expect([...answerLevel].every(Number.isNaN)).toBe(true);
    expect(bills).toBeNull();
  });

  it("have hidden tokens by level and maker, corrected by what was counted", () => {
    const tokensOf = (tokensReasoning?: (prompt: number) => number) =>
      lengthsOf(
        tableOf([
          outcomesOf("gpt-x:high", { tokensOut: () => 5000, ...(tokensReasoning && { tokensReasoning }) }),
        ]),
      ).thinkingTokens[0] as number;
    const guess = lengthsOf(tableOf([outcomesOf("gpt-x:high", {})])).thinkingTokens[0] as number;
    const { levels, makers } = hiddenTokens();
    expect(guess).toBeCloseTo((levels.high as number) * (makers.gpt as number), 6);
    expect(tokensOf(() => 3 * guess)).toBeGreaterThan(1.3 * guess);
    expect(tokensOf(() => guess / 3)).toBeLessThan(guess / 1.3);
    expect(lengthsOf(tableOf([outcomesOf("gpt-x:none", {})])).thinkingTokens[0]).toBe(0);
  });

  it("have no effort that hides less than a lower one, whatever was counted", () => {
    const counted = (model: string, tokens: number) =>
      outcomesOf(model, { tokensOut: () => 20000, tokensReasoning: () => tokens });
    const { thinkingTokens } = lengthsOf(
      tableOf([
        counted("gpt-x:high", 300),
        counted("gpt-x:low", 3000),
        outcomesOf("gpt-x:none", {}),
        outcomesOf("gpt-x:medium", {}),
      ]),
    );
    const [high, low, none, medium] = [...thinkingTokens] as [number, number, number, number];
    expect(none).toBe(0);
    expect(low).toBeLessThanOrEqual(medium);
    expect(medium).toBeLessThanOrEqual(high);
  });

  it("have hidden tokens of models that think without a known dial", () => {
    const [model] = hiddenTokens().undeclared as [string];
    expect(lengthsOf(tableOf([outcomesOf(model, {})])).thinkingTokens[0]).toBeGreaterThan(100);
    expect(lengthsOf(tableOf([outcomesOf("oak-1", {})])).thinkingTokens[0]).toBe(0);
  });
});

describe("The bills of a set's answers", () => {
  const ratioOf = (answers: Answers, model = "plain") => {
    const { bills } = lengthsOf(tableOf([outcomesOf(model, answers)]));
    return decodeRatio(middle(bills?.codes[0] ?? [])) * 2 ** 0;
  };

  it("are dollars over the list price of the expected tokens, whatever the tokens were", () => {
    // 100 tokens in, 200 out by the text: $.0021.
    expect(ratioOf({ tokensOut: () => 200, costUsd: () => 0.021 })).toBeCloseTo(10, 0);
    expect(ratioOf({ costUsd: () => 0.0021 })).toBeCloseTo(1, 1);
  });

  it("are tokens where no dollars are known", () => {
    expect(ratioOf({ tokensOut: () => 200 })).toBeCloseTo(1, 1);
  });

  it("say whether the price is listed and dollars were paid", () => {
    const { bills } = lengthsOf(
      tableOf([
        outcomesOf("free-one", { costUsd: () => 0.01 }),
        outcomesOf("plain", { tokensOut: () => 10 }),
      ]),
    );
    expect(bills?.terms.map(({ listed, paid }) => [listed, paid])).toEqual([
      [false, true],
      [true, false],
    ]);
    expect(bills?.terms[1]?.price).toEqual(price);
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
