import { type AnchorMemberships, sumByCluster, TABLE_PSEUDO_OBSERVATIONS } from "./cluster-tables.js";

export interface BillTableInput {
  /** Anchors the model was scored on. */
  readonly anchors: Uint32Array;
  /** Code of the bill for its answer to each, ≥ 0; NaN = not measured. */
  readonly codes: Float32Array;
  /** Effect of the model on the log2 of 1 + code. */
  readonly ability: number;
  /** Effect of each prompt on it, `[anchors of the set]`. */
  readonly level: Float32Array;
  /** Topic of each anchor of the set, and how many there are. */
  readonly topicOf: Uint16Array;
  readonly topicCount: number;
}

export interface BillTable {
  /** Expected mean of 1 + code in each cluster and on each topic, `[clusters + topics]`. */
  readonly expected: Float32Array;
  /** Ratio of the mean of 1 + code to 2^(ability + level): Duan's smearing factor (1983); 1 when nothing was measured. */
  readonly smear: number;
}

/**
 * Expected codes of bills: the expectation from the model's ability and the prompts' levels, multiplied by the ratio of measured to
 * expected in the cluster, which is shrunk to the ratio over all prompts.
 */
export function billTable(input: BillTableInput, members: AnchorMemberships, clusters: number): BillTable {
  const { anchors, level } = input;
  const smear = smearOf(input);
  const forecast = level.map((anchorLevel) => smear * 2 ** (input.ability + anchorLevel));
  const everyone = Uint32Array.from(level, (_, anchor) => anchor);
  const sumByRow = (rowAnchors: Uint32Array, values: Float32Array): Float64Array =>
    withTopics(sumByCluster(rowAnchors, values, { members, clusters }), rowAnchors, { ...input, values });
  const base = sumByRow(everyone, forecast);
  const size = sumByRow(
    everyone,
    forecast.map(() => 1),
  );
  const known = input.codes.map((code) => (Number.isNaN(code) ? 0 : 1));
  const seen = sumByRow(
    anchors,
    input.codes.map((code) => (Number.isNaN(code) ? 0 : 1 + code)),
  );
  const foreseen = sumByRow(
    anchors,
    known.map((isKnown, cell) => isKnown * (forecast[anchors[cell] as number] as number)),
  );
  const expected = Float32Array.from(base, (sum, cluster) => {
    const mean = sum / Math.max(size[cluster] as number, 1e-9);
    return mean * shrunkRatio(seen[cluster] as number, foreseen[cluster] as number, mean);
  });
  return { expected, smear };
}

/** The sums of the clusters, followed by those of the topics. */
function withTopics(
  clusters: Float64Array,
  anchors: Uint32Array,
  { values, topicOf, topicCount }: Pick<BillTableInput, "topicOf" | "topicCount"> & { values: Float32Array },
): Float64Array {
  const sums = new Float64Array(clusters.length + topicCount);
  sums.set(clusters);
  anchors.forEach((anchor, cell) => {
    const row = clusters.length + (topicOf[anchor] as number);
    sums[row] = (sums[row] as number) + (values[cell] as number);
  });
  return sums;
}

function shrunkRatio(seen: number, foreseen: number, mean: number): number {
  const pseudo = TABLE_PSEUDO_OBSERVATIONS * mean;
  return pseudo > 0 ? (seen + pseudo) / (foreseen + pseudo) : 1;
}

function smearOf({ anchors, codes, ability, level }: BillTableInput): number {
  let seen = 0;
  let foreseen = 0;
  for (let cell = 0; cell < anchors.length; cell++) {
    const code = codes[cell] as number;
    if (Number.isNaN(code)) continue;
    seen += 1 + code;
    foreseen += 2 ** (ability + (level[anchors[cell] as number] as number));
  }
  return foreseen > 0 ? seen / foreseen : 1;
}
