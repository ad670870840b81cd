import { NANO_DOLLARS } from "../model-profile.js";
import type { OutcomeTable } from "./outcome-table.js";
import { fitJointEvidence, type JointEvidence, type JointOptions } from "./joint-evidence.js";
import { fitTwoWay, identityLink } from "./two-way-fit.js";

/** What the fits say of a table, before any vector is looked at. */
export interface EffectEstimates {
  readonly joint: JointEvidence;
  /** log2 length of the answers to each anchor, beyond the models' own, `[anchors]`. */
  readonly length: Float32Array;
  /** Effect of each model on the log2 length of answers and on the log2 cost; null when no model of the set has any. */
  readonly tokenAbility: Float64Array | null;
  readonly costAbility: Float64Array | null;
  /** Observed log2 lengths per model and cell, NaN = unknown. */
  readonly logTokens: readonly Float32Array[];
  readonly logCosts: readonly Float32Array[];
}

export function estimateEffects(table: OutcomeTable, options: JointOptions): EffectEstimates {
  const input = {
    anchorCount: table.promptIds.length,
    benchmarkOf: table.benchmarkOf,
    benchmarkCount: table.benchmarks.length,
  };
  const logTokens = table.models.map(({ tokensOut }) => tokensOut.map((tokens) => Math.log2(1 + tokens)));
  const logCosts = table.models.map(({ costUsd }) =>
    costUsd.map((cost) => Math.log2(1 + cost * NANO_DOLLARS)),
  );
  // Tokens and costs of one answer differ by a factor of the model's own, so they share the prompts' lengths.
  const columns = [...logTokens, ...logCosts].map((values, place) => ({
    anchors: (table.models[place % table.models.length] as OutcomeTable["models"][number]).anchors,
    values,
  }));
  const lengths = fitTwoWay({ ...input, columns: centred(columns) }, identityLink);
  const offsets = columns.map(({ values }) => meanOf(values));
  const abilityOf = (from: number, anyKnown: boolean): Float64Array | null =>
    anyKnown
      ? lengths.ability
          .slice(from, from + table.models.length)
          .map((each, m) => each + (offsets[from + m] ?? 0))
      : null;
  return {
    joint: fitJointEvidence(table, options),
    length: lengths.level,
    tokenAbility: fillUnknown(abilityOf(0, logTokens.some(hasKnown)), logTokens),
    costAbility: fillUnknown(abilityOf(table.models.length, logCosts.some(hasKnown)), logCosts),
    logTokens,
    logCosts,
  };
}

/** Costs and tokens lie octaves apart; without their means the shrinkage of abilities would pull them together. */
function centred(columns: readonly { anchors: Uint32Array; values: Float32Array }[]): typeof columns {
  return columns.map(({ anchors, values }) => {
    const mean = meanOf(values) ?? 0;
    return { anchors, values: values.map((value) => value - mean) };
  });
}

/** A model without any length is expected to write as much as the others do on average. */
function fillUnknown(ability: Float64Array | null, values: readonly Float32Array[]): Float64Array | null {
  if (ability === null) return null;
  const known = [...ability].filter((_, model) => hasKnown(values[model] as Float32Array));
  const mean = known.reduce((sum, each) => sum + each, 0) / known.length;
  return ability.map((each, model) => (hasKnown(values[model] as Float32Array) ? each : mean));
}

function hasKnown(values: Float32Array): boolean {
  return values.some((value) => !Number.isNaN(value));
}

function meanOf(values: Float32Array): number | undefined {
  let sum = 0;
  let count = 0;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    sum += value;
    count++;
  }
  return count === 0 ? undefined : sum / count;
}
