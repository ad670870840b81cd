/**
 * The builder's joint fit with some of its evidence hidden, for the held-out experiments of the suite. The only file
 * that calls the fit's functions.
 */

import { covariatesOf, type ModelDescription } from "../../src/engine/catalog/model-description.js";
import { placeModel } from "../../src/workbench/fitting/ability-factors/update-model.js";
import {
  expectedOn,
  type FactorPosterior,
  type FactorTest,
} from "../../src/workbench/fitting/ability-factors.js";
import {
  expectedScore,
  type JointEvidence,
  logOddsOf,
  skillOn,
} from "../../src/workbench/fitting/joint-evidence.js";
import { logisticLink } from "../../src/workbench/fitting/logistic-link.js";
import type { ModelOutcomes, OutcomeTable } from "../../src/workbench/fitting/outcome-table.js";

/** The table without the cells that `keep` rejects; models, prompts and topics keep their numbers. */
export function keepCells(
  table: OutcomeTable,
  keep: (column: number, anchor: number) => boolean,
): OutcomeTable {
  const models = table.models.map((model, column): ModelOutcomes => {
    const cells = [...model.anchors.keys()].filter((cell) => keep(column, model.anchors[cell] as number));
    if (cells.length === model.anchors.length) return model;
    return {
      ...model,
      anchors: Uint32Array.from(cells, (cell) => model.anchors[cell] as number),
      quality: Float32Array.from(cells, (cell) => model.quality[cell] as number),
      samples: Uint16Array.from(cells, (cell) => model.samples[cell] as number),
      tokensOut: Float32Array.from(cells, (cell) => model.tokensOut[cell] as number),
      costUsd: Float32Array.from(cells, (cell) => model.costUsd[cell] as number),
    };
  });
  return { ...table, models };
}

/** Skill of a model on a topic, on the log-odds scale of the fit's ease. */
export interface Skill {
  readonly value: number;
  readonly variance: number;
}

/** The skill in the fit itself. */
export function fittedSkill(
  { skill, skillVariance }: JointEvidence,
  { column, topic, topics }: { readonly column: number; readonly topic: number; readonly topics: number },
): Skill {
  const at = column * topics + topic;
  return { value: skill[at] as number, variance: skillVariance[at] as number };
}

/** A published mean of a model: over a topic's prompts, or on another benchmark. */
export type PublishedMean =
  | { readonly topic: number; readonly score: number; readonly prompts: number }
  | { readonly benchmark: string; readonly score: number };

/** Skills on every topic of a model outside the fit, from published means alone. */
export function placedSkills(
  joint: JointEvidence,
  means: readonly PublishedMean[],
  { model, description, easeOf }: PlaceOptions,
): (topic: number) => Skill {
  const own = new Map<number, Skill>();
  const scores: { test: FactorTest; value: number; variance: number }[] = [];
  for (const mean of means) {
    if ("benchmark" in mean) {
      const test = joint.factors.tests[joint.tests.indexOf(mean.benchmark)];
      if (test !== undefined) scores.push({ test, value: logOddsOf(mean.score), variance: 0 });
      continue;
    }
    const average = joint.averageSkill[mean.topic] as number;
    const solved = skillOfMean(mean.score, easeOf(mean.topic));
    const observed = { value: solved.value + average, variance: solved.variance };
    own.set(mean.topic, observed);
    scores.push({ test: joint.factors.tests[mean.topic] as FactorTest, ...observed });
  }
  const posterior: FactorPosterior = placeModel(scores, {
    prior: joint.factors.prior,
    facts: {
      family: description.family,
      base: description.base,
      covariates: covariatesOf(model, description),
    },
  });
  return (topic) => {
    const test = joint.factors.tests[topic] as FactorTest;
    const observed = own.get(topic);
    const found =
      observed === undefined ? expectedOn(test, posterior) : skillOn({ test, posterior }, observed);
    return { value: found.value - (joint.averageSkill[topic] as number), variance: found.variance };
  };
}

interface PlaceOptions {
  readonly model: string;
  readonly description: ModelDescription;
  /** Ease of the topic's prompts of which a mean was published. */
  readonly easeOf: (topic: number) => readonly number[];
}

const ITERATIONS = 30;
/** Means are clamped to this distance from 0 and 1, which have no finite skill. */
const MOST_EXTREME_MEAN = 0.005;

/** The skill whose mean over prompts of these eases is the given score, and the sampling variance of it. */
export function skillOfMean(score: number, ease: readonly number[]): Skill {
  const aim = Math.min(1 - MOST_EXTREME_MEAN, Math.max(MOST_EXTREME_MEAN, score));
  let [low, high] = [-20, 20];
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const middle = (low + high) / 2;
    if (meanScore(middle, ease) < aim) low = middle;
    else high = middle;
  }
  const value = (low + high) / 2;
  const information = ease.reduce(
    (sum, promptEase) => sum + logisticLink.weight(expectedScore(value, promptEase)),
    0,
  );
  return { value, variance: 1 / Math.max(information, 1e-6) };
}

export const meanScore = (skill: number, ease: readonly number[]): number =>
  ease.reduce((sum, promptEase) => sum + expectedScore(skill, promptEase), 0) / ease.length;
