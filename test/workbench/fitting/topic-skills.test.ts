import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/foundation/random.js";
import { fitTopicSkills, refitEase, type TopicInput } from "../../../src/workbench/fitting/topic-skills.js";
import { chance, meanOf } from "../statistics.js";

const TOPICS = 3;
const ANCHORS = 600;
/** Models that met every prompt, from weak to strong: they tell how easy each is. */
const EVERYWHERE = Array.from({ length: 30 }, (_, model) => -1.45 + model / 10);
/** Then three that met only part of the prompts. */
const SKILLS = [...EVERYWHERE, 0.1, 0.1, -0.6];
const EASY_HALF = 30;
const HARD_HALF = 31;
const FIRST_TOPIC_ONLY = 32;

interface Planted {
  readonly input: TopicInput;
  readonly ease: Float64Array;
}

/** Even anchors are easy and odd ones hard, by as much on every topic. */
function plant(seed: number): Planted {
  const random = seededRandom(seed);
  const ease = Float64Array.from({ length: ANCHORS }, (_, anchor) =>
    anchor % 2 === 0 ? 0.5 + random() : -0.5 - random(),
  );
  const topicOf = Uint16Array.from({ length: ANCHORS }, (_, anchor) => Math.floor(anchor / 2) % TOPICS);
  const columns = SKILLS.map((skill, model) => {
    const anchors = Uint32Array.from(ease.keys()).filter((anchor) => {
      if (model === EASY_HALF) return anchor % 2 === 0;
      if (model === HARD_HALF) return anchor % 2 === 1;
      return model !== FIRST_TOPIC_ONLY || topicOf[anchor] === 0;
    });
    const values = Float32Array.from(anchors, (anchor) =>
      random() < chance(skill + (ease[anchor] as number)) ? 1 : 0,
    );
    return { anchors, values };
  });
  return { input: { anchorCount: ANCHORS, topicOf, topicCount: TOPICS, columns }, ease };
}

describe.each([1, 2])("Topic skills fitted to planted answers, seed %i,", (seed) => {
  const { input, ease } = plant(seed);
  const found = fitTopicSkills(input);
  const skill = (model: number, topic: number) => found.skill[model * TOPICS + topic] as number;
  const error = (model: number, topic: number) => Math.sqrt(found.variance[model * TOPICS + topic] as number);

  it("do not depend on how easy the prompts of a model were", () => {
    const mean = (model: number) => meanOf(input.columns[model]?.values ?? []);
    // The raw means say the opposite of the truth; otherwise this proves nothing.
    expect(mean(EASY_HALF)).toBeGreaterThan(mean(22));
    expect(mean(HARD_HALF)).toBeLessThan(mean(8));
    for (let topic = 0; topic < TOPICS; topic++) {
      const gap = skill(EASY_HALF, topic) - skill(HARD_HALF, topic);
      expect(Math.abs(gap)).toBeLessThan(3 * Math.hypot(error(EASY_HALF, topic), error(HARD_HALF, topic)));
    }
    const average = (model: number) => meanOf([0, 1, 2].map((topic) => skill(model, topic)));
    expect(average(EASY_HALF)).toBeLessThan(average(22));
    expect(average(HARD_HALF)).toBeGreaterThan(average(8));
  });

  it("are recovered, on all topics alike, to within three standard errors", () => {
    for (let topic = 0; topic < TOPICS; topic++) {
      const shift = meanOf(EVERYWHERE.map((planted, model) => skill(model, topic) - planted));
      for (const [model, planted] of EVERYWHERE.entries()) {
        const miss = skill(model, topic) - shift - planted;
        expect(Math.abs(miss)).toBeLessThan(3.5 * error(model, topic));
      }
    }
  });

  it("leave the ease of prompts at mean 0 on every topic, hard ones below easy ones", () => {
    const meanWhere = (values: Iterable<number>, holds: (anchor: number) => boolean) =>
      meanOf([...values].filter((_, anchor) => holds(anchor)));
    for (let topic = 0; topic < TOPICS; topic++)
      expect(meanWhere(found.ease, (anchor) => input.topicOf[anchor] === topic)).toBeCloseTo(0, 5);
    const gap = (values: Iterable<number>) =>
      meanWhere(values, (anchor) => anchor % 2 === 0) - meanWhere(values, (anchor) => anchor % 2 === 1);
    expect(gap(found.ease) / gap(ease)).toBeGreaterThan(0.8);
    expect(gap(found.ease) / gap(ease)).toBeLessThan(1.2);
  });

  it("are unknown, with infinite variance, where a model was not scored", () => {
    expect([1, 2].map((topic) => error(FIRST_TOPIC_ONLY, topic))).toEqual([Infinity, Infinity]);
    expect(error(FIRST_TOPIC_ONLY, 0)).toBeLessThan(0.5);
  });
});

describe("Topic skills", () => {
  const anchors = Uint32Array.from({ length: 40 }, (_, anchor) => anchor);
  const one = (values: Float32Array) => ({ anchors: anchors.slice(0, values.length), values });
  const input = (columns: TopicInput["columns"]): TopicInput => ({
    anchorCount: 40,
    topicOf: new Uint16Array(40),
    topicCount: 1,
    columns,
  });

  it("stay finite where a model, or every model, answered all right or all wrong", () => {
    const all = (score: number) => one(new Float32Array(40).fill(score));
    for (const columns of [[all(1), all(0)], [all(1), all(1)], [all(0)]]) {
      const { skill, variance, ease } = fitTopicSkills(input(columns));
      for (const value of [...skill, ...variance, ...ease]) expect(Number.isFinite(value)).toBe(true);
    }
    const { skill, variance } = fitTopicSkills(input([all(1), all(0), one(Float32Array.of(1, 0, 1, 0))]));
    expect(skill[0]).toBeGreaterThan(2);
    expect(skill[1]).toBeLessThan(-2);
    for (const value of variance) expect(value).toBeGreaterThan(0);
  });

  it("have larger errors with fewer answers, and ignore unknown scores", () => {
    const values = Float32Array.from(anchors, (anchor) => (anchor % 3 === 0 ? 0 : 1));
    const gaps = values.map((value, anchor) => (anchor < 32 ? Number.NaN : value));
    const { variance } = fitTopicSkills(input([one(values), one(values.slice(0, 8)), one(gaps)]));
    expect(variance[1]).toBeGreaterThan(2 * (variance[0] as number));
    expect(variance[2]).toBeGreaterThan(2 * (variance[0] as number));
  });

  it("have smaller errors from scores that vary little than from right-or-wrong answers", () => {
    const random = seededRandom(11);
    const graded = (grade: (mean: number) => number) =>
      fitTopicSkills({
        anchorCount: 12,
        topicOf: new Uint16Array(12),
        topicCount: 1,
        columns: EVERYWHERE.map((planted) =>
          one(Float32Array.from({ length: 12 }, () => grade(chance(planted)))),
        ),
      });
    const answers = graded((mean) => (random() < mean ? 1 : 0));
    const marks = graded((mean) => mean + 0.1 * (random() - 0.5));
    expect(answers.dispersion[0]).toBeGreaterThan(0.8);
    expect(marks.dispersion[0]).toBeLessThan(0.1);
    expect(marks.variance[0]).toBeLessThan(0.2 * (answers.variance[0] as number));
  });

  it("give the ease of prompts: what all solve is easy, what none solves is hard", () => {
    const { input: planted } = plant(6);
    const skill = Float64Array.from(SKILLS.flatMap((own) => Array<number>(TOPICS).fill(own)));
    const ease = refitEase(planted, skill, {
      ease: new Float32Array(ANCHORS),
      dispersion: new Float64Array(TOPICS).fill(1),
    });
    const everywhere = planted.columns.slice(0, EVERYWHERE.length);
    const easeWhere = (holds: (share: number) => boolean) =>
      [...ease].filter((_, anchor) =>
        holds(meanOf(everywhere.map(({ values }) => values[anchor] as number))),
      );
    const [easy, hard] = [easeWhere((share) => share > 0.8), easeWhere((share) => share < 0.2)];
    expect(Math.min(easy.length, hard.length)).toBeGreaterThan(20);
    expect(Math.min(...easy)).toBeGreaterThan(Math.max(...hard) + 1);
  });
});
