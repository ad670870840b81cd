import type { Abilities, NamedTest } from "../fitting/abilities-file.js";
import { placeModel } from "../fitting/ability-factors/update-model.js";
import type { FactorModelFacts, FactorPosterior, FactorTest } from "../fitting/ability-factors.js";
import { skillOn } from "../fitting/joint-evidence.js";
import { logisticLink } from "../fitting/logistic-link.js";
import { clamp } from "../fitting/two-way-fit.js";

/** A published score as an observation of a test. */
export interface ScoreObservation {
  readonly test: FactorTest;
  /** Log-odds. */
  readonly value: number;
}

/** Graded answers, one entry each; arrays of equal length. */
export interface GradedAnswers {
  readonly topic: Uint16Array;
  /** Log-odds of the average model to solve the prompt, and its variance (0 for anchors). */
  readonly ease: Float32Array;
  readonly easeVariance: Float32Array;
  /** In [0, 1]. */
  readonly score: Float32Array;
  /** Weight of the answer, above 0. */
  readonly weight: Float32Array;
}

/** Posterior of a model from all its evidence. */
export interface Placement {
  readonly posterior: FactorPosterior;
  /** Log-odds about the average model, its variance, and the Fisher information of the model's own answers; `[topics]`. */
  readonly skill: Float64Array;
  readonly skillVariance: Float64Array;
  readonly information: Float64Array;
}

export interface PlacementInput {
  readonly scores: readonly ScoreObservation[];
  readonly answers: GradedAnswers;
  readonly facts: FactorModelFacts;
}

const MOST_ITERATIONS = 50;
const CONVERGED = 1e-6;
/** Maximum Newton step in log-odds, because five right answers of five have no finite maximum. */
const LONGEST_STEP = 1;

/**
 * The joint mode of a model's factors and skills, and their variances (Laplace's approximation), by Newton's method:
 * answers are linearised at the current skills to one normal observation for each topic, and then factors and skills
 * are updated as in a build. O(iterations × (answers + topics × rank²)).
 */
export function placeByEvidence(abilities: Abilities, input: PlacementInput): Placement {
  const { topics, averageSkill } = abilities;
  const published = input.scores.map((score) => ({ ...score, variance: 0 }));
  const skill = new Float64Array(topics.length);
  const skillVariance = new Float64Array(topics.length);
  let own = Array.from(topics, () => UNKNOWN);
  for (let iteration = 0; ; iteration++) {
    const answered = own.flatMap((seen, topic) =>
      seen === UNKNOWN ? [] : [{ test: topics[topic] as NamedTest, ...seen }],
    );
    const posterior = placeModel([...published, ...answered], {
      prior: abilities.prior,
      facts: input.facts,
    });
    let farthest = 0;
    topics.forEach((test, topic) => {
      const found = skillOn({ test, posterior }, own[topic] ?? UNKNOWN);
      const next = found.value - (averageSkill[topic] as number);
      // The first round has no answers yet: it only says where to begin.
      const move = iteration === 0 ? next : clamp(next - (skill[topic] as number), LONGEST_STEP);
      farthest = Math.max(farthest, Math.abs(move));
      skill[topic] = (skill[topic] as number) + move;
      skillVariance[topic] = found.variance;
    });
    if (iteration > 0 && (farthest < CONVERGED || iteration === MOST_ITERATIONS)) {
      const information = Float64Array.from(own, ({ variance }) => 1 / variance);
      return { posterior, skill, skillVariance, information };
    }
    own = observationsAt(skill, { abilities, answers: input.answers });
  }
}

const UNKNOWN = { value: 0, variance: Number.POSITIVE_INFINITY };

/** The answers to each topic as a normal observation of the skill at its current value. */
function observationsAt(
  skill: Float64Array,
  { abilities, answers }: { readonly abilities: Abilities; readonly answers: GradedAnswers },
): { readonly value: number; readonly variance: number }[] {
  const gradient = new Float64Array(skill.length);
  const information = new Float64Array(skill.length);
  answers.topic.forEach((topic, row) => {
    // An uncertain ease flattens the curve: the logistic's mean over a normal (MacKay 1992, "The evidence framework").
    const slope = 1 / Math.sqrt(1 + (Math.PI / 8) * (answers.easeVariance[row] as number));
    const expected = logisticLink.mean(slope * ((skill[topic] as number) + (answers.ease[row] as number)));
    const weight = (answers.weight[row] as number) * slope;
    gradient[topic] = (gradient[topic] as number) + weight * ((answers.score[row] as number) - expected);
    information[topic] = (information[topic] as number) + weight * slope * logisticLink.weight(expected);
  });
  return Array.from(skill, (value, topic) => {
    const seen = information[topic] as number;
    if (seen === 0) return UNKNOWN;
    const average = abilities.averageSkill[topic] as number;
    return { value: value + average + (gradient[topic] as number) / seen, variance: 1 / seen };
  });
}

/** Concatenates answers of several kinds. */
export function joinAnswers(parts: readonly GradedAnswers[]): GradedAnswers {
  const joined = (of: (part: GradedAnswers) => Float32Array) =>
    Float32Array.from(parts.flatMap((part) => Array.from(of(part))));
  return {
    topic: Uint16Array.from(parts.flatMap((part) => Array.from(part.topic))),
    ease: joined((part) => part.ease),
    easeVariance: joined((part) => part.easeVariance),
    score: joined((part) => part.score),
    weight: joined((part) => part.weight),
  };
}
