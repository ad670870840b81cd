import { encodeLength, type LengthColumn, type ModelProfile, NANO_DOLLARS } from "../model-profile.js";
import {
  type AnchorMemberships,
  type ModelTable,
  modelTable,
  TABLE_PSEUDO_OBSERVATIONS,
} from "./cluster-tables.js";
import type { ClusterResolutions } from "./clusters.js";
import type { EffectEstimates } from "./estimate-columns.js";
import { lengthTable } from "./length-table.js";
import type { ModelOutcomes, OutcomeTable } from "./outcome-table.js";
import { logisticLink } from "./two-way-fit.js";

export interface ProfileContext {
  readonly input: { readonly table: OutcomeTable };
  readonly effects: EffectEstimates;
  readonly clusters: ClusterResolutions;
  readonly members: AnchorMemberships;
  readonly column: number;
  readonly anchorsSha256: string;
}

/** A model's profile, and its quality table with what leave-one-out needs to take an anchor out again. */
export function profileOf(
  outcomes: ModelOutcomes,
  context: ProfileContext,
): { profile: ModelProfile; table: ModelTable } {
  const { effects, clusters, members, column } = context;
  const ability = effects.ability[column] as number;
  const count = clusters.resolutionStarts.at(-1) as number;
  const coarse = clusters.resolutionStarts[1] as number;
  const table = modelTable(
    { anchors: outcomes.anchors, values: outcomes.quality, ability, level: effects.ease, link: logisticLink },
    members,
    count,
  );
  const tokens = lengthOf(outcomes, { ...context, kind: "tokens" });
  const cost = lengthOf(outcomes, { ...context, kind: "cost" });
  const facts = {
    model: outcomes.model,
    original_names: [...outcomes.originalNames],
    anchors_sha256: context.anchorsSha256,
    scored: outcomes.anchors.length,
    mean_quality: meanOf(outcomes.quality),
    benchmarks: countBenchmarks(outcomes, context.input.table),
    ability,
    ability_variance: effects.abilityVariance[column] as number,
    overall_quality: Math.min(1, Math.max(0, table.overall)),
    ...(tokens === undefined ? {} : { tokens: tokens.facts }),
    ...(cost === undefined ? {} : { cost: cost.facts }),
  };
  const profile: ModelProfile = {
    facts,
    observed: observedBits(outcomes.anchors, context.input.table.promptIds.length),
    quality: Uint8Array.from(outcomes.quality, (score) => Math.round(score * 255)),
    ...(outcomes.samples.some((samples) => samples > 1)
      ? { samples: Uint8Array.from(outcomes.samples, (samples) => Math.min(samples, 255)) }
      : {}),
    table: {
      quality: table.expected.map((value) => Math.min(1, Math.max(0, value))),
      coverage: Float32Array.from(
        table.observed.subarray(0, coarse),
        (weight) => weight / (weight + TABLE_PSEUDO_OBSERVATIONS),
      ),
    },
    ...(tokens === undefined ? {} : { tokens: tokens.column }),
    ...(cost === undefined ? {} : { cost: cost.column }),
  };
  return { profile, table };
}

interface LengthEstimate {
  readonly column: LengthColumn;
  readonly facts: {
    readonly ability: number;
    readonly smear: number;
    readonly overall: number;
    readonly correction: number;
  };
}

/** The column of one kind of length; undefined when no model of the set has any, or this one has no costs. */
function lengthOf(
  outcomes: ModelOutcomes,
  { effects, clusters, members, column, kind }: ProfileContext & { readonly kind: "tokens" | "cost" },
): LengthEstimate | undefined {
  const abilities = kind === "tokens" ? effects.tokenAbility : effects.costAbility;
  const values = (kind === "tokens" ? effects.logTokens : effects.logCosts)[column] as Float32Array;
  const known = values.some((value) => !Number.isNaN(value));
  // Tokens may be borrowed from the other models of the set; a cost without a price is never guessed.
  if (abilities === null || (kind === "cost" && !known)) return undefined;
  const ability = abilities[column] as number;
  const count = clusters.resolutionStarts.at(-1) as number;
  const lengths =
    kind === "tokens" ? outcomes.tokensOut : outcomes.costUsd.map((cost) => cost * NANO_DOLLARS);
  const input = { anchors: outcomes.anchors, lengths, ability, level: effects.length };
  const { expected, overall, smear } = lengthTable(input, members, count);
  return {
    column: { table: expected, ...(known ? { lengths: Uint16Array.from(lengths, encodeLength) } : {}) },
    facts: { ability, smear, overall, correction: 1 },
  };
}

function countBenchmarks(outcomes: ModelOutcomes, table: OutcomeTable): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const anchor of outcomes.anchors) {
    const name = table.benchmarks[table.benchmarkOf[anchor] as number] as string;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function observedBits(anchors: Uint32Array, count: number): Uint8Array {
  const bits = new Uint8Array(Math.ceil(count / 8));
  for (const anchor of anchors) bits[anchor >> 3] = (bits[anchor >> 3] as number) | (1 << (anchor & 7));
  return bits;
}

function meanOf(values: Float32Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return values.length === 0 ? 0 : sum / values.length;
}
