import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/foundation/random.js";
import {
  fitJointEvidence,
  type JointEvidence,
  logOddsOf,
} from "../../../src/workbench/fitting/joint-evidence.js";
import type { ModelOutcomes, OutcomeTable } from "../../../src/workbench/fitting/outcome-table.js";
import type { PublishedScore } from "../../../src/workbench/outcomes/published-scores.js";
import { chance, meanOf, normalOf, shareBelow } from "../statistics.js";

const TOPICS = 6;
/** Topics of the first source; the others are of the second. */
const OF_FIRST = 3;
const PROMPTS_A_TOPIC = 60;
const BENCHMARKS = 10;
/** As many as one source of the default profiles has on each of its topics. */
const FEW = 9;
const NO_ANSWERS = {
  anchors: new Uint32Array(),
  quality: new Float32Array(),
  samples: new Uint16Array(),
  tokensOut: new Float32Array(),
  costUsd: new Float32Array(),
};
/** Models scored in the first source, in the second, and in none. */
const COUNTS = { first: 30, second: 30, placed: 20 };
const MODELS = COUNTS.first + COUNTS.second + COUNTS.placed;
/** What the second source's prompts are harder by, log-odds: raw means of the two sources compare nothing. */
const HARDER = 1.5;

interface Planted {
  readonly table: OutcomeTable;
  readonly scores: readonly PublishedScore[];
  /** Mean log-odds of solving a prompt of the topic, `[models][topics]`. */
  readonly truth: readonly (readonly number[])[];
}

const nameOf = (model: number) => `model-${String(model).padStart(3, "0")}`;
const isPlaced = (model: number) => model >= COUNTS.first + COUNTS.second;

/** Two abilities a model; topics and benchmarks draw on both. */
function plant(seed: number): Planted {
  const random = seededRandom(seed);
  const normal = normalOf(random);
  const abilities = Array.from({ length: MODELS }, () => [normal(), 0.6 * normal()]);
  const tests = Array.from({ length: TOPICS + BENCHMARKS }, (_, test) => ({
    intercept: (test >= OF_FIRST && test < TOPICS ? -HARDER : 0) + 0.5 * normal(),
    loading: [0.9 + 0.15 * normal(), normal()],
    residual: test < TOPICS ? 0.25 : 0.2,
  }));
  const skill = abilities.map((ofModel) =>
    tests.map(
      ({ intercept, loading, residual }) =>
        intercept +
        loading.reduce((sum, weight, k) => sum + weight * (ofModel[k] as number), 0) +
        residual * normal(),
    ),
  );
  const topicOf = Uint16Array.from({ length: TOPICS * PROMPTS_A_TOPIC }, (_, anchor) => anchor % TOPICS);
  const ease = Float64Array.from(topicOf, normal);
  const models = skill.map((ofModel, model): ModelOutcomes => {
    const anchors = Uint32Array.from(topicOf.keys()).filter((anchor) => {
      if (isPlaced(model)) return false;
      return (topicOf[anchor] as number) < OF_FIRST === model < COUNTS.first;
    });
    const quality = Float32Array.from(anchors, (anchor) =>
      random() < chance((ofModel[topicOf[anchor] as number] as number) + (ease[anchor] as number)) ? 1 : 0,
    );
    const unknown = new Float32Array(anchors.length).fill(Number.NaN);
    const samples = new Uint16Array(anchors.length).fill(1);
    const name = nameOf(model);
    const measured = { tokensOut: unknown, costUsd: unknown };
    return { model: name, originalNames: [name], anchors, quality, samples, ...measured };
  });
  const scores = skill.flatMap((ofModel, model) =>
    ofModel.slice(TOPICS).flatMap((logOdds, benchmark): PublishedScore[] => {
      if (random() < 0.2) return [];
      const score = { model: nameOf(model), benchmark: `bench-${benchmark}`, score: chance(logOdds) };
      return [{ ...score, source: "planted", date: null, released: null, outputUsdPerMtok: null }];
    }),
  );
  const easeOf = Array.from({ length: TOPICS }, (_, topic) =>
    meanOf([...ease].filter((_each, anchor) => topicOf[anchor] === topic)),
  );
  const topics = Array.from({ length: TOPICS }, (_, topic) => `topic-${topic}`);
  const nothing = new Uint16Array(topicOf.length);
  const promptIds = Array.from(topicOf, (_, anchor) => `planted:${anchor}`);
  const named = { promptIds, topics, topicOf, benchmarks: topics, benchmarkOf: topicOf };
  return {
    table: { ...named, models, sources: [], sourceOf: nothing, tokensIn: Float32Array.from(nothing) },
    scores,
    truth: skill.map((ofModel) => easeOf.map((mean, topic) => (ofModel[topic] as number) + mean)),
  };
}

function fitPlanted({ table, scores }: Pick<Planted, "table" | "scores">): JointEvidence {
  const unknown = { released: null, outputUsdPerMtok: null, effort: null, thinking: null };
  const describeModel = (model: string) => ({ base: model, family: "any", ...unknown });
  return fitJointEvidence(table, { scores, describe: describeModel, seed: 3 });
}

/** Planted worlds and what is fitted to them. */
const WORLDS = [1, 2].map((seed) => {
  const planted = plant(seed);
  return { planted, joint: fitPlanted(planted) };
});
const [FIRST] = WORLDS as [(typeof WORLDS)[number]];

/** Mean log-odds that the fit expects of a model on a topic's prompts, and the standard error of its skill. */
function expectedOf(joint: JointEvidence, { topicOf }: OutcomeTable, model: number, topic: number) {
  const index = model * TOPICS + topic;
  const ease = meanOf([...joint.ease].filter((_, anchor) => topicOf[anchor] === topic));
  return {
    value: (joint.skill[index] as number) + ease,
    error: Math.sqrt(joint.skillVariance[index] as number),
  };
}

/** Expected against planted log-odds of the second source's models on the first source's topics. */
function acrossSources(planted: Planted, joint: JointEvidence): [number, number][] {
  const pairs: [number, number][] = [];
  for (let model = COUNTS.first; model < COUNTS.first + COUNTS.second; model++)
    for (let topic = 0; topic < OF_FIRST; topic++) {
      const { value } = expectedOf(joint, planted.table, model, topic);
      pairs.push([value, planted.truth[model]?.[topic] as number]);
    }
  return pairs;
}

const PLACED = Array.from({ length: MODELS }, (_, model) => model).filter(isPlaced);

describe("Joint evidence from graded answers and published scores", () => {
  it("makes models of two sources without common prompts comparable, which answers alone do not", () => {
    const { planted, joint } = FIRST;
    const found = acrossSources(planted, joint);
    const alone = acrossSources(planted, fitPlanted({ table: planted.table, scores: [] }));
    const miss = (pairs: readonly (readonly [number, number])[]) =>
      meanOf(pairs.map(([expected, actual]) => Math.abs(expected - actual)));
    expect(miss(found)).toBeLessThan(0.75 * miss(alone));
    expect(miss(found)).toBeLessThan(0.6);
  });

  it("places a model with only published scores on every topic, within its stated errors", () => {
    const misses = WORLDS.flatMap(({ planted, joint }) =>
      PLACED.flatMap((model) =>
        planted.table.topics.map((_, topic) => {
          const { value, error } = expectedOf(joint, planted.table, model, topic);
          return Math.abs(value - (planted.truth[model]?.[topic] as number)) / error;
        }),
      ),
    );
    expect(shareBelow(2, misses)).toBeGreaterThan(0.92);
    expect(shareBelow(1, misses)).toBeGreaterThan(0.6);
  });

  it("has smaller errors for a model where it was scored than where it is placed, and the smallest with both", () => {
    const { table, scores } = FIRST.planted;
    const errorOf = (joint: JointEvidence, model: number, topic: number) =>
      expectedOf(joint, table, model, topic).error;
    const answersOnly = fitPlanted({ table, scores: scores.filter(({ model }) => model !== nameOf(0)) });
    for (let topic = 0; topic <= OF_FIRST; topic++)
      expect(errorOf(FIRST.joint, 0, topic)).toBeLessThan(errorOf(answersOnly, 0, topic));
    for (let topic = 0; topic < OF_FIRST; topic++)
      expect(errorOf(FIRST.joint, 0, topic)).toBeLessThan(errorOf(FIRST.joint, MODELS - 1, topic));
  });

  it("does not attribute unreadable answers to an ability that other models lack", () => {
    const changes = [1, 2].map((seed) => {
      const { table, scores } = plant(seed);
      /** Few models of the first source have answers; of those of two models that share could be read, and is right. */
      const expectedWith = (readable: number) => {
        const models = table.models.map((outcomes, model) => {
          const readableOnly = outcomes.quality.map((_, answer) => (answer % 20 < 20 * readable ? 1 : 0));
          if (model < 2) return { ...outcomes, quality: readableOnly };
          return model < FEW || model >= COUNTS.first ? outcomes : { ...outcomes, ...NO_ANSWERS };
        });
        const joint = fitPlanted({ table: { ...table, models }, scores });
        return PLACED.map((model) => expectedOf(joint, table, model, 0).value);
      };
      const some = expectedWith(0.05);
      return meanOf(expectedWith(0).map((value, index) => Math.abs(value - (some[index] as number))));
    });
    // A quarter to a half where such models count as what they seem to be.
    expect(meanOf(changes)).toBeLessThan(0.2);
  });

  it("gives a model no information where it was not scored", () => {
    for (const model of [0, COUNTS.first, MODELS - 1]) {
      for (let topic = 0; topic < TOPICS; topic++) {
        const seen = !isPlaced(model) && topic < OF_FIRST === model < COUNTS.first;
        expect((FIRST.joint.information[model * TOPICS + topic] as number) > 0).toBe(seen);
      }
    }
  });

  it("gives a benchmark with few models little weight, and is deterministic", () => {
    const { table, scores } = FIRST.planted;
    const rare = scores
      .slice(0, 4)
      .map((score, index) => ({ ...score, model: nameOf(index), benchmark: "rare" }));
    const joint = fitPlanted({ table, scores: [...scores, ...rare] });
    expect(joint.tests.slice(0, TOPICS)).toEqual(table.topics);
    expect(joint.tests).not.toContain("rare");
    expect(joint).toEqual(FIRST.joint);
  });
});

describe("The log-odds of a published score", () => {
  it("are finite for every share, and increase with it", () => {
    const found = [0, 0.01, 0.25, 0.5, 0.75, 0.99, 1].map(logOddsOf);
    for (const value of found) expect(Number.isFinite(value)).toBe(true);
    expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(found[3]).toBe(0);
  });
});
