import type { Basis } from "../../engine/estimation/basis.js";
import type { RecommendedWeight } from "../../engine/estimation/recommended-weight.js";
import type { CalibrationBin } from "../metrics/calibration.js";

/** What a report shows of a profile set apart from held-out prompts. */
export interface SetReport {
  readonly name: string;
  readonly version: string;
  readonly builtAt: string;
  readonly embedder: string;
  readonly anchors: number;
  readonly sources: readonly {
    readonly name: string;
    readonly licence: string | null;
    readonly anchors: number;
  }[];
  /** Best expected quality first. */
  readonly models: readonly ReportedModel[];
  /** The cost weight that `sextant profile tune` saved in the set. */
  readonly recommended: RecommendedWeight | null;
  readonly topics: readonly string[];
  /** Indexes into `topics` of clusters of similar anchors, in place of topics that nobody named; see `reportTopics`. */
  readonly clusters: readonly number[];
  readonly map: AnchorMap;
  /** Topics with the most anchors, the most first. */
  readonly strengths: readonly TopicStrengths[];
  /** Where labels could improve decisions most, the most first. */
  readonly thinSpots: readonly ThinSpot[];
  /** Efforts that are never chosen, and for each another effort of its model that is no worse and costs no more. */
  readonly dominatedEfforts: ReadonlyMap<string, string>;
  /** What decisions expect along the cost weight; null when fewer than two models have a known cost. */
  readonly frontier: ExpectedFrontier | null;
  /** Expected against recorded quality; null when no drawn anchor has a graded answer. */
  readonly calibration: ExpectedCalibration | null;
}

export interface ReportedModel {
  readonly model: string;
  readonly basis: Basis;
  readonly quality: number;
  /** Standard error. */
  readonly error: number;
  /** Anchors it is scored on. */
  readonly scored: number;
  /** Share of the drawn anchors on which it is chosen at cost weight 0. */
  readonly chosen: number;
}

interface AnchorMap {
  /** Anchors that are drawn: all, or a random sample. */
  readonly points: readonly MapPoint[];
}

export interface MapPoint {
  /** In [0, 1]. */
  readonly x: number;
  readonly y: number;
  /** Index into `topics`. */
  readonly topic: number;
  /** Index into `models` of the model that would be chosen at cost weight 0. */
  readonly chosen: number;
  /** The models of highest expected quality, and that quality; the best first. */
  readonly best: readonly { readonly model: number; readonly quality: number; readonly error: number }[];
  /** Topics of the nearest anchors, and their shares; the largest first. */
  readonly topicsNear: readonly { readonly topic: number; readonly share: number }[];
}

interface TopicStrengths {
  readonly topic: string;
  readonly anchors: number;
  /** In the order of `models`. */
  readonly cells: readonly { readonly quality: number; readonly error: number; readonly measured: number }[];
}

export interface ThinSpot {
  readonly topic: string;
  readonly anchors: number;
  /** Expected loss of quality on a prompt of the topic because the best models are not told apart. */
  readonly atStake: number;
  /** The models between which the decision is open most often. */
  readonly between: readonly [string, string];
  /** Of these, the one with fewer labels on the topic, and how many it has. */
  readonly label: { readonly model: string; readonly labels: number };
}

/** Expected quality and cost of decisions, means over anchors that are each left out of their own neighbours. */
export interface ExpectedFrontier {
  /** Anchors that were decided. */
  readonly prompts: number;
  /** By increasing cost weight. */
  readonly sweep: readonly {
    readonly costWeight: number;
    readonly quality: number;
    readonly costUsd: number;
  }[];
  /** Models that no other beats on both quality and cost, the best first. */
  readonly singles: readonly ExpectedSingle[];
  /** The cheapest cost weights that lose at most so much quality against the best one. */
  readonly weights: readonly (WeighedStep & { readonly maxLoss: number })[];
  /** Beyond it, quality falls faster than cost; null where the curve has no pronounced one. */
  readonly knee: WeighedStep | null;
}

/** A step of the sweep, compared. */
interface WeighedStep {
  readonly costWeight: number;
  /** Quality below the best cost weight. */
  readonly loss: number;
  /** Share of the cost of always the best single model. */
  readonly saved: number;
}

export interface ExpectedSingle {
  readonly model: string;
  readonly quality: number;
  /** Dollars a prompt. */
  readonly costUsd: number;
}

/** Expected quality against the scores that the set holds, each anchor left out of its own neighbours. */
export interface ExpectedCalibration {
  readonly answers: number;
  readonly error: number;
  /** What perfect expectations would show on as many answers. */
  readonly ifPerfect: number;
  readonly bins: readonly CalibrationBin[];
}
