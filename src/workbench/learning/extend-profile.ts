import { decodeBill, encodeBill, scoresOf, UNKNOWN_BILL } from "../../engine/index.js";
import type { ModelProfile } from "../../engine/profiles/model-profile.js";
import { type AnchorTable, countBenchmarks, observedBits, topicCoverage } from "../fitting/model-profiles.js";
import type { ModelOutcomes } from "../fitting/outcome-table.js";
import { joinServices } from "../fitting/service-times.js";
import { billTable, qualityTable } from "../fitting/topic-tables.js";
import type { Learned } from "./learn.js";

export interface ProfileExtension {
  readonly learned: Learned;
  /** Column of the model in the set. */
  readonly column: number;
  /** Its answers in the traffic; undefined without any. */
  readonly outcomes: ModelOutcomes | undefined;
  /** Anchors, their topics and sources, with those of the traffic; weight of each topic in the overall expectation. */
  readonly table: AnchorTable;
  readonly weights: Float64Array;
  readonly ease: Float32Array;
  readonly billLevel: Float32Array;
  /** Number of the first anchor of the traffic. */
  readonly firstAnchor: number;
  readonly anchorsSha256: string;
}

/** A model's profile with what was learned from traffic. */
export function extendProfile(profile: ModelProfile, extension: ProfileExtension): ModelProfile {
  const { learned, column, table, ease } = extension;
  const cells = joinedCells(profile, extension);
  const { topicCount } = learned;
  const own = learned.skill.subarray(column * topicCount, (column + 1) * topicCount);
  const skill = Float64Array.from([...profile.skill, ...own]);
  const quality = qualityTable(skill, table.topicOf, ease);
  const coverage = topicCoverage(cells, table);
  const { samples: _, bill: __, ...kept } = profile;
  const bill = billsOf(profile, { ...extension, cells });
  const service = joinServices(profile.facts.service, extension.outcomes?.service);
  return {
    ...kept,
    facts: {
      ...profile.facts,
      anchors_sha256: extension.anchorsSha256,
      scored: cells.anchors.length,
      mean_quality: cells.quality.reduce((sum, score) => sum + score, 0) / Math.max(1, cells.quality.length),
      benchmarks: countBenchmarks(cells, table),
      ...overallOf(profile, { ...extension, skill, expected: quality }),
      measured_variance: measuredVariance(profile, { ...extension, coverage }),
      ...(bill && { bill: bill.facts }),
      ...(service && { service }),
    },
    observed: cells.anchors.length === 0 ? new Uint8Array(0) : observedBits(cells.anchors, ease.length),
    quality: Uint8Array.from(cells.quality, (score) => Math.round(score * 255)),
    ...(cells.samples.some((samples) => samples > 1) ? { samples: cells.samples } : {}),
    skill: Float32Array.from(skill),
    table: { quality, coverage },
    ...(bill && { bill: bill.column }),
  };
}

/** The model's scores on the anchors of the set, then on those of the traffic. */
interface Cells {
  readonly anchors: Uint32Array;
  readonly quality: Float32Array;
  readonly samples: Uint8Array;
}

function joinedCells(profile: ModelProfile, { outcomes, firstAnchor }: ProfileExtension): Cells {
  const { anchors, values } = scoresOf(profile, firstAnchor);
  const added = outcomes?.anchors ?? new Uint32Array(0);
  const samples = new Uint8Array(anchors.length + added.length).fill(1);
  if (profile.samples !== undefined) samples.set(profile.samples);
  outcomes?.samples.forEach((count, cell) => {
    samples[anchors.length + cell] = Math.min(count, 255);
  });
  return {
    anchors: Uint32Array.from([...anchors, ...added.map((anchor) => anchor + firstAnchor)]),
    quality: Float32Array.from([...values, ...(outcomes?.quality ?? [])]),
    samples,
  };
}

/** The new topics count as the old ones do; what is uncertain of them is independent of what was uncertain before. */
function overallOf(
  { facts, skill: before }: ModelProfile,
  {
    weights,
    skill,
    expected,
    learned,
    column,
  }: ProfileExtension & { readonly skill: Float64Array; readonly expected: Float32Array },
) {
  let quality = 0;
  let general = 0;
  let newWeight = 0;
  let newError = 0;
  expected.forEach((value, topic) => {
    const weight = weights[topic] as number;
    quality += weight * value;
    general += weight * (skill[topic] as number);
    if (topic < before.length) return;
    const variance = learned.corrections.variance[
      column * learned.topicCount + topic - before.length
    ] as number;
    newWeight += weight;
    newError += weight * Math.max(value * (1 - value), 0.01) * Math.sqrt(variance);
  });
  return {
    overall_quality: Math.min(1, Math.max(0, quality)),
    overall_error: Math.hypot((1 - newWeight) * facts.overall_error, newError),
    general_skill: general,
  };
}

/** Mean variance of the skills on topics with answers, the new ones included. */
function measuredVariance(
  { facts, skill }: ModelProfile,
  { weights, coverage, learned, column }: ProfileExtension & { readonly coverage: Float32Array },
): number {
  let sum = 0;
  let total = 0;
  coverage.forEach((share, topic) => {
    if (share === 0) return;
    const weight = weights[topic] as number;
    const isNew = topic >= skill.length;
    const at = column * learned.topicCount + topic - skill.length;
    sum += weight * (isNew ? (learned.corrections.variance[at] as number) : facts.measured_variance);
    total += weight;
  });
  return total === 0 ? facts.measured_variance : sum / total;
}

/** The column of bills with those of the traffic, where the profile has one. */
function billsOf(
  profile: ModelProfile,
  { cells, outcomes, learned, ...extension }: ProfileExtension & { readonly cells: Cells },
) {
  const { bill: facts } = profile.facts;
  if (profile.bill === undefined || facts === undefined) return undefined;
  const steps = new Uint16Array(cells.anchors.length).fill(UNKNOWN_BILL);
  if (profile.bill.codes !== undefined) steps.set(profile.bill.codes);
  const added = learned.codes.get(profile.facts.model);
  if (added !== undefined) steps.set(Uint16Array.from(added, encodeBill), profile.quality.length);
  const { expected, smear } = billTable({
    anchors: cells.anchors,
    codes: Float32Array.from(steps, (step) => (step === UNKNOWN_BILL ? Number.NaN : decodeBill(step) - 1)),
    ability: facts.ability,
    level: extension.billLevel,
    topicOf: extension.table.topicOf,
    topicCount: extension.table.topics.length,
  });
  const isKnown = steps.some((step) => step !== UNKNOWN_BILL);
  const paid = facts.paid || (outcomes?.costUsd.some((dollars) => !Number.isNaN(dollars)) ?? false);
  return {
    column: { table: expected, ...(isKnown ? { codes: steps } : {}) },
    facts: { ...facts, paid, smear: isKnown ? smear : facts.smear },
  };
}
