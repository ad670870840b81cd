import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/foundation/random.js";
import { type ExpectedAnswers, fitCorrections } from "../../../src/workbench/learning/fit-corrections.js";
import { chance, meanOf } from "../statistics.js";

type Planted = Record<"model" | "topic" | "offset" | "score", number>;

const answersOf = (rows: readonly Planted[]): ExpectedAnswers => ({
  model: Uint16Array.from(rows, ({ model }) => model),
  topic: Uint16Array.from(rows, ({ topic }) => topic),
  offset: Float32Array.from(rows, ({ offset }) => offset),
  score: Float32Array.from(rows, ({ score }) => score),
  weight: new Float32Array(rows.length).fill(1),
  modelCount: 3,
  topicCount: 2,
});

/** Model 0 gets easy prompts, model 1 hard ones; both are as good as was expected, but for what is planted. */
function biasedTraffic(corrections: readonly number[], count = 4000): Planted[] {
  const random = seededRandom(1);
  return Array.from({ length: count }, (_, index) => {
    const topic = index % 2;
    const ease = 2 * random() - 1;
    const model = ease > 0 ? 0 : 1;
    const odds = ease + (corrections[model] as number);
    return { model, topic, offset: ease, score: random() < chance(odds) ? 1 : 0 };
  });
}

describe("fitCorrections", () => {
  it("finds nothing to correct where a model only met easier prompts", () => {
    const traffic = biasedTraffic([0, 0]);
    const scoreOf = (wanted: number) =>
      meanOf(traffic.flatMap(({ model, score }) => (model === wanted ? [score] : [])));
    // By their mean scores, model 0 would be far better.
    expect(scoreOf(0) - scoreOf(1)).toBeGreaterThan(0.2);
    const { skill, shift } = fitCorrections(answersOf(traffic));
    for (const value of [...skill, ...shift]) expect(Math.abs(value)).toBeLessThan(0.15);
  });

  it("finds by how much a model is better than expected, on each topic, with its variance", () => {
    const traffic = biasedTraffic([0.5, -0.5]);
    const { skill, variance } = fitCorrections(answersOf(traffic));
    for (const topic of [0, 1]) {
      const gap = (skill[topic] as number) - (skill[2 + topic] as number);
      expect(Math.abs(gap - 1)).toBeLessThan(0.3);
      // Nothing is learned of the model without answers.
      expect(skill[4 + topic]).toBe(0);
      expect(variance[4 + topic]).toBeGreaterThan(variance[topic] as number);
    }
  });

  it("takes what all models share for how scores are given, and not for their skill", () => {
    const traffic = biasedTraffic([-1, -1]);
    const { skill, shift } = fitCorrections(answersOf(traffic));
    expect(meanOf(shift)).toBeLessThan(-0.7);
    expect(Math.abs((skill[0] as number) - (skill[2] as number))).toBeLessThan(0.2);
  });

  it("believes few answers less", () => {
    const [few, many] = [40, 4000].map((count) => {
      const { skill } = fitCorrections(answersOf(biasedTraffic([1, -1], count)));
      return (skill[0] as number) - (skill[2] as number);
    });
    expect(few).toBeLessThan(many as number);
  });
});
