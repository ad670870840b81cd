import type { Memberships } from "../../engine/estimation/memberships.js";
import { clusterMemberships } from "../../engine/index.js";
import { dotAt, type VectorSource } from "./clusters.js";
import { logisticLink } from "./logistic-link.js";

/** Soft memberships of every anchor, in flat arrays: entries `start[anchor] … start[anchor + 1] − 1`. */
export interface AnchorMemberships {
  readonly start: Uint32Array;
  readonly cluster: Uint16Array;
  /** Weights that sum to 1 per anchor and resolution. */
  readonly weight: Float32Array;
}

/** Weight of the prior, in observations, for every cell: no difference from the model's skill (design, ROUTING §1). */
export const TABLE_PSEUDO_OBSERVATIONS = 10;

export interface Clustering {
  readonly centroids: Float32Array;
  readonly resolutionStarts: readonly number[];
}

export function assignAnchors(source: VectorSource, clustering: Clustering): AnchorMemberships {
  const { centroids, resolutionStarts } = clustering;
  const similarities = new Float32Array(resolutionStarts.at(-1) as number);
  return assignBySimilarity(source, {
    resolutionStarts,
    similaritiesOf: (vector) => {
      for (let c = 0; c < similarities.length; c++)
        similarities[c] = dotAt(vector, centroids, c * source.dimensions);
      return similarities;
    },
  });
}

/** @param options.similaritiesOf a vector to every centroid, `[clusters]` */
export function assignBySimilarity(
  source: VectorSource,
  options: {
    readonly similaritiesOf: (vector: Float32Array) => Float32Array;
    readonly resolutionStarts: readonly number[];
  },
): AnchorMemberships {
  const { similaritiesOf, resolutionStarts } = options;
  const resolutions = resolutionStarts.length - 1;
  const vector = new Float32Array(source.dimensions);
  const start = new Uint32Array(source.count + 1);
  let cluster = new Uint16Array(0);
  let weight = new Float32Array(0);
  for (let anchor = 0; anchor < source.count; anchor++) {
    source.read(anchor, vector);
    const member: Memberships = clusterMemberships(similaritiesOf(vector), resolutionStarts);
    const offset = start[anchor] as number;
    if (anchor === 0) {
      // Every anchor has the same number of memberships: as many per resolution as there are clusters, at most 8.
      cluster = new Uint16Array(member.cluster.length * source.count);
      weight = new Float32Array(member.cluster.length * source.count);
    }
    cluster.set(member.cluster, offset);
    weight.set(
      member.weight.map((share) => share * resolutions),
      offset,
    );
    start[anchor + 1] = offset + member.cluster.length;
  }
  return { start, cluster, weight };
}

/** One model's column of the tables. */
export interface ModelTable {
  /** Expected quality per row, clusters first, then topics, `[clusters + topics]`. */
  readonly expected: Float32Array;
  /** Weight of the model's own observations per cluster, `[clusters]`. */
  readonly observed: Float64Array;
  /** Σ weight × residual per cluster, `[clusters]`: needed to remove an anchor in leave-one-out. */
  readonly residual: Float64Array;
}

export interface TableInput {
  /** Anchors the model was scored on. */
  readonly anchors: Uint32Array;
  /** Observed scores; NaN is skipped. */
  readonly values: Float32Array;
  /** Log-odds on each topic, `[topics]`. */
  readonly skill: Float64Array;
  /** Topic and ease of every anchor of the set, `[anchors]`. */
  readonly topicOf: Uint16Array;
  readonly ease: Float32Array;
}

/**
 * Expected quality of the model in each cluster and on each topic: from its skills on the anchors there and, in
 * clusters, the mean residual of the anchors it was scored on, shrunk toward zero. Topics have no residual, since the
 * skill contains it.
 */
export function modelTable(input: TableInput, members: AnchorMemberships, clusters: number): ModelTable {
  const { topicOf, ease, skill } = input;
  const topics = skill.length;
  const base = new Float64Array(clusters + topics);
  const size = new Float64Array(clusters + topics);
  const expectedOf = (anchor: number): number =>
    logisticLink.mean((skill[topicOf[anchor] as number] as number) + (ease[anchor] as number));
  for (let anchor = 0; anchor < ease.length; anchor++) {
    const value = expectedOf(anchor);
    addToClusters(base, members, { anchor, value });
    addToClusters(size, members, { anchor, value: 1 });
    const row = clusters + (topicOf[anchor] as number);
    base[row] = (base[row] as number) + value;
    size[row] = (size[row] as number) + 1;
  }
  const observed = new Float64Array(clusters);
  const residual = new Float64Array(clusters);
  for (let cell = 0; cell < input.anchors.length; cell++) {
    const value = input.values[cell] as number;
    if (Number.isNaN(value)) continue;
    const anchor = input.anchors[cell] as number;
    addToClusters(residual, members, { anchor, value: value - expectedOf(anchor) });
    addToClusters(observed, members, { anchor, value: 1 });
  }
  const expected = Float32Array.from(base, (sum, row) => {
    const mean = sum / Math.max(size[row] as number, 1e-9);
    if (row >= clusters) return mean;
    return mean + (residual[row] as number) / ((observed[row] as number) + TABLE_PSEUDO_OBSERVATIONS);
  });
  return { expected, observed, residual };
}

/** Σ weight × value per cluster over some anchors, `[clusters]`. */
function sumByCluster(
  anchors: Uint32Array,
  values: Float32Array,
  { members, clusters }: { readonly members: AnchorMemberships; readonly clusters: number },
): Float64Array {
  const sums = new Float64Array(clusters);
  for (let row = 0; row < anchors.length; row++) {
    addToClusters(sums, members, { anchor: anchors[row] as number, value: values[row] as number });
  }
  return sums;
}

function addToClusters(
  sums: Float64Array,
  members: AnchorMemberships,
  { anchor, value }: { readonly anchor: number; readonly value: number },
): void {
  const end = members.start[anchor + 1] as number;
  for (let entry = members.start[anchor] as number; entry < end; entry++) {
    const cluster = members.cluster[entry] as number;
    sums[cluster] = (sums[cluster] as number) + (members.weight[entry] as number) * value;
  }
}

interface BillTableInput {
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

interface BillTable {
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
