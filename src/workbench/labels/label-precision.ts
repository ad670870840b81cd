import { scoresOf } from "../../engine/index.js";
import type { ModelProfile } from "../../engine/profiles/model-profile.js";

/** How well labels establish a model's mean quality on prompts like the pool's. Shares of 1; 95 %. */
export interface LabelPrecision {
  /** Half width of the mean's interval, with the labels there are and those that were chosen. */
  readonly expected: number;
  /** The half width that was asked for, and how many graded answers it takes in all. */
  readonly wanted: number;
  readonly labels: number;
  /** Whose scores' spread it is calculated from: the model's own, the middle model's of the set, or a guess where the set has no scores. */
  readonly spreadOf: "model" | "set" | "guess";
}

/** Fewer scores of its own say little of a model's spread. */
const ENOUGH_SCORES = 30;
const CONFIDENCE = 1.96;
/** The largest standard deviation of scores from 0 to 1: half of them 0, half 1. */
const LARGEST_SPREAD = 0.5;

/** @param own scores of the model so far @param of.labels how many it will have with those that were chosen */
export function labelPrecision(
  own: readonly number[],
  {
    profiles,
    anchors,
    wanted,
    labels,
  }: {
    readonly profiles: readonly Pick<ModelProfile, "observed" | "quality">[];
    readonly anchors: number;
    readonly wanted: number;
    readonly labels: number;
  },
): LabelPrecision {
  const [spread, spreadOf] =
    own.length >= ENOUGH_SCORES ? ([deviation(own), "model"] as const) : spreadOfSet(profiles, anchors);
  return {
    expected: Math.min((CONFIDENCE * spread) / Math.sqrt(labels), 1),
    wanted,
    labels: Math.ceil(((CONFIDENCE * spread) / wanted) ** 2),
    spreadOf,
  };
}

function spreadOfSet(
  profiles: readonly Pick<ModelProfile, "observed" | "quality">[],
  anchors: number,
): readonly [number, "set" | "guess"] {
  const spreads = profiles
    .map((profile) => scoresOf(profile, anchors).values)
    .filter(({ length }) => length >= ENOUGH_SCORES)
    .map((scores) => deviation([...scores]))
    .sort((a, b) => a - b);
  const middle = spreads[Math.floor(spreads.length / 2)];
  return middle === undefined ? [LARGEST_SPREAD, "guess"] : [middle, "set"];
}

function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}
