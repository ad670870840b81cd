import { createHash } from "node:crypto";
import type { ModelDescription } from "../../src/engine/catalog/model-description.js";
import {
  expectedScore,
  fitJointEvidence,
  type JointEvidence,
} from "../../src/workbench/fitting/joint-evidence.js";
import { logisticLink } from "../../src/workbench/fitting/logistic-link.js";
import type { OutcomeTable } from "../../src/workbench/fitting/outcome-table.js";
import type { PublishedScore } from "../../src/workbench/outcomes/published-scores.js";
import { isSameBenchmark } from "../evidence/evidence-data.js";
import { fittedSkill, keepCells, meanScore } from "./joint-evidence.js";
import { meanVariance, type StatedMeans } from "./model-means.js";

export interface JointInput {
  readonly table: OutcomeTable;
  readonly scores: readonly PublishedScore[];
  readonly describe: (model: string) => ModelDescription;
  readonly seed: number;
}

/** Held-out data: single (model, topic) means, or all scores of a model. */
export type LeftOut = "cells" | "models";

const FOLDS: Readonly<Record<LeftOut, number>> = { cells: 5, models: 10 };
/** Means over fewer prompts are mostly noise. */
const FEWEST_PROMPTS = 10;
/** Number of scores that the builder requires to place a model. */
const FEWEST_SCORES = 3;

/** Held-out (model, topic) means beside the expectations of the joint fit to the rest. */
export function measureLeftOut(
  input: JointInput,
  left: LeftOut,
  { onFold }: { readonly onFold: (fold: number, folds: number) => void },
): StatedMeans[] {
  const { table, scores, describe, seed } = input;
  const published = countScores(scores);
  const canLeaveOut = (model: string): boolean =>
    left === "cells" || (published.get(model) ?? 0) >= FEWEST_SCORES;
  const folds = FOLDS[left];
  const found: StatedMeans[] = [];
  for (let fold = 0; fold < folds; fold++) {
    onFold(fold, folds);
    const isHidden = (column: number, topic: number): boolean => {
      const model = table.models[column]?.model ?? "";
      const key = left === "cells" ? `${model}\n${table.topics[topic]}` : describe(model).base;
      return canLeaveOut(model) && foldOf(key, { folds, seed }) === fold;
    };
    const topicOf = (anchor: number): number => table.topicOf[anchor] as number;
    const rest = keepCells(table, (column, anchor) => !isHidden(column, topicOf(anchor)));
    const joint = fitJointEvidence(rest, { scores, describe, seed });
    for (const [column, topic] of hiddenCells(table, isHidden)) {
      if (isToldByScore(input, { column, topic })) continue;
      const means = topicMeans(table, joint, { column, topic });
      if (means.prompts >= FEWEST_PROMPTS) found.push(means);
    }
  }
  return found;
}

/** Whether the model's mean on the same benchmark is published: then it is not held out. */
function isToldByScore(
  { table, scores }: JointInput,
  { column, topic }: { readonly column: number; readonly topic: number },
): boolean {
  const source = table.sources[table.sourceOf[table.topicOf.indexOf(topic)] ?? -1]?.name ?? "";
  const { model } = table.models[column] as OutcomeTable["models"][number];
  return scores.some((score) => score.model === model && isSameBenchmark(score.benchmark, source));
}

function countScores(scores: readonly PublishedScore[]): Map<string, number> {
  const benchmarks = new Map<string, Set<string>>();
  for (const { model, benchmark } of scores)
    benchmarks.set(model, (benchmarks.get(model) ?? new Set()).add(benchmark));
  return new Map([...benchmarks].map(([model, names]) => [model, names.size]));
}

export function foldOf(
  key: string,
  { folds, seed }: { readonly folds: number; readonly seed: number },
): number {
  const digest = createHash("sha256").update(`sextant-fold-${seed}\n${key}`, "utf8").digest();
  return digest.readUInt32BE(0) % folds;
}

function hiddenCells(
  table: OutcomeTable,
  isHidden: (column: number, topic: number) => boolean,
): (readonly [number, number])[] {
  return table.models.flatMap(({ anchors }, column) => {
    const topics = new Set([...anchors].map((anchor) => table.topicOf[anchor] as number));
    return [...topics].filter((topic) => isHidden(column, topic)).map((topic) => [column, topic] as const);
  });
}

/** The model's measured and expected mean on the topic's prompts. */
function topicMeans(
  table: OutcomeTable,
  joint: JointEvidence,
  { column, topic }: { readonly column: number; readonly topic: number },
): StatedMeans {
  const { model, anchors, quality } = table.models[column] as OutcomeTable["models"][number];
  const cells = [...anchors.keys()].filter((cell) => table.topicOf[anchors[cell] as number] === topic);
  const ease = cells.map((cell) => joint.ease[anchors[cell] as number] as number);
  const scores = cells.map((cell) => quality[cell] as number);
  const skill = fittedSkill(joint, { column, topic, topics: table.topics.length });
  const slope =
    ease.reduce((sum, promptEase) => sum + logisticLink.weight(expectedScore(skill.value, promptEase)), 0) /
    ease.length;
  const measured = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const squares = scores.reduce((sum, score) => sum + score * score, 0);
  return {
    ...{ model, prompts: cells.length, measured },
    measuredVariance: meanVariance({ count: cells.length, mean: measured, squares }),
    expected: meanScore(skill.value, ease),
    stderr: slope * Math.sqrt(skill.variance),
  };
}
