import type { AnchorIndex } from "./anchor-index.js";
import {
  type AnchorSet,
  type EvidenceParameters,
  LENGTH_COST,
  LENGTH_TOKENS,
  LENGTH_UNKNOWN,
  type Panel,
} from "./anchor-set.js";
import { type AnchorVectors, allocateAnchorVectors, decodeRow } from "./anchor-vectors.js";
import { openKernel } from "./index/similarity.js";
import type { Manifest } from "./manifest.js";
import { decodeLength, type LengthColumn, type ModelProfile, UNKNOWN_LENGTH } from "./model-profile.js";
import { openScoreKernel } from "./scoring/score-kernel.js";
import { allocateScoreMemory, type ScoreMemory } from "./scoring/score-memory.js";
import type { ProfileSummary } from "./summary.js";

/** Per-anchor facts of a set, as `anchor-facts.bin` holds them. */
export interface AnchorFacts {
  /** Index into the manifest's benchmarks, `[anchors]`. */
  readonly benchmark: Uint16Array;
  readonly prompt_tokens: Float32Array;
  /** Ease (log-odds) and length (log2), `[anchors]`. */
  readonly level_quality: Float32Array;
  readonly level_length: Float32Array;
  /** First 8 bytes of SHA-256 of the prompt's id, as two u32, `[2 × anchors]`. */
  readonly prompt_key: Uint32Array;
}

/** Per-cluster facts, as `clusters.bin` holds them. */
export interface ClusterFacts {
  readonly codes: Int8Array;
  readonly scales: Float32Array;
  readonly level_quality: Float32Array;
  readonly level_length: Float32Array;
}

export interface Parts {
  readonly manifest: Manifest;
  readonly version: string;
  readonly vectors: AnchorVectors;
  readonly index: AnchorIndex;
  readonly facts: AnchorFacts;
  readonly clusters: ClusterFacts;
  readonly profiles: readonly ModelProfile[];
  readonly hasPrice: (model: string) => boolean;
}

/** Lays the parts of a set out for the inner loops. Columns are grouped by panel, so their order is not the files'. */
export function assembleAnchorSet(parts: Parts): AnchorSet {
  const { manifest, vectors, facts } = parts;
  const groups = groupByObserved(parts.profiles);
  const ordered = groups.flat();
  const columns = ordered.map((profile) => chooseColumn(profile, parts.hasPrice(profile.facts.model)));
  const seen = groups.map((group) => anchorsOf((group[0] as ModelProfile).observed, manifest.anchors));
  const scores = allocateScoreMemory({
    anchors: manifest.anchors,
    models: ordered.length,
    clusters: manifest.clusters.resolution_starts.at(-1) as number,
    coarseClusters: manifest.clusters.resolution_starts[1] as number,
    panels: groups.map((group, panel) => ({
      width: group.length,
      rows: (seen[panel] as Uint32Array).length,
    })),
  });
  const panels = fillPanels(scores, { groups, seen, columns, facts });
  return {
    name: manifest.name,
    version: parts.version,
    embedderFingerprint: manifest.embedder.fingerprint,
    index: parts.index,
    vectorOf: (anchor) => decodeRow(vectors, anchor),
    models: ordered.map((profile) => profile.facts.model),
    summaries: ordered.map((profile) => summarise(profile, { manifest, version: parts.version })),
    parameters: parametersOf(manifest),
    anchorLevels: { quality: facts.level_quality, length: facts.level_length },
    benchmarks: { names: manifest.benchmarks, ofAnchor: facts.benchmark },
    promptTokens: facts.prompt_tokens,
    prior: fillPrior(scores, { parts, ordered, columns }),
    columns: {
      ability: Float32Array.from(ordered, (profile) => profile.facts.ability),
      abilityVariance: Float32Array.from(ordered, (profile) => profile.facts.ability_variance),
      interactionVariance: manifest.interaction_variance,
      lengthKind: Uint8Array.from(columns, (column) => column.kind),
      lengthUnit: Float32Array.from(columns, ({ unit, correction }) => unit * correction),
    },
    panels,
    panelsOf: { start: scores.start, panel: scores.panelOf, row: scores.rowOf },
    sums: openScoreKernel(scores),
  };
}

function parametersOf({ parameters }: Manifest): EvidenceParameters {
  return {
    neighbours: parameters.neighbours,
    kernelWidth: parameters.kernel_width,
    priorWeight: parameters.prior_weight,
    foreignSimilarity: parameters.foreign_similarity,
    homeSimilarity: parameters.home_similarity,
    pairedCorrelation: parameters.paired_correlation,
  };
}

interface PriorInput {
  readonly parts: Parts;
  readonly ordered: readonly ModelProfile[];
  readonly columns: readonly ChosenColumn[];
}

function fillPrior(
  { shape, tables }: ScoreMemory,
  { parts, ordered, columns }: PriorInput,
): AnchorSet["prior"] {
  const { clusters, models } = shape;
  ordered.forEach(({ table, facts }, model) => {
    const column = columns[model] as ChosenColumn;
    writeColumn(tables.quality, model, { models, values: table.quality });
    writeColumn(tables.coverage, model, { models, values: table.coverage });
    const lengths = column.table?.map((each) => each * column.correction);
    if (lengths) writeColumn(tables.length, model, { models, values: lengths });
    tables.quality[clusters * models + model] = facts.overall_quality;
    tables.length[clusters * models + model] = column.overall * column.correction;
  });
  const { manifest } = parts;
  return {
    similarities: scanOf(parts.clusters, { clusters, dimensions: parts.vectors.dimensions }),
    resolutionStarts: manifest.clusters.resolution_starts,
    levels: { quality: parts.clusters.level_quality, length: parts.clusters.level_length },
    quality: tables.quality.subarray(0, clusters * models),
    length: tables.length.subarray(0, clusters * models),
    coverage: tables.coverage,
    overall: {
      quality: tables.quality.subarray(clusters * models),
      length: tables.length.subarray(clusters * models),
    },
    overallLevel: manifest.overall_level,
  };
}

/** Writes one column of a row-major matrix with `models` columns. */
function writeColumn(
  matrix: Float32Array,
  model: number,
  { models, values }: { readonly models: number; readonly values: Float32Array },
): void {
  for (let row = 0; row < values.length; row++) matrix[row * models + model] = values[row] as number;
}

/** Similarities to all centroids; the returned view is overwritten by the next call. */
function scanOf(
  clusters: ClusterFacts,
  shape: { readonly clusters: number; readonly dimensions: number },
): (vector: Float32Array) => Float32Array {
  const centroids = allocateAnchorVectors(shape.clusters, shape.dimensions);
  centroids.codes.set(clusters.codes);
  centroids.scales.set(clusters.scales);
  const kernel = openKernel(centroids);
  return (vector) => {
    kernel.load(vector);
    return kernel.all().similarities;
  };
}

/** Profiles scored on the same anchors, largest group first, then by model id. */
function groupByObserved(profiles: readonly ModelProfile[]): ModelProfile[][] {
  const groups = new Map<string, ModelProfile[]>();
  const sorted = [...profiles].sort((a, b) => (a.facts.model < b.facts.model ? -1 : 1));
  for (const profile of sorted) {
    const key = Buffer.from(profile.observed).toString("latin1");
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [profile]);
    else group.push(profile);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

interface ChosenColumn {
  readonly kind: number;
  readonly lengths: Uint16Array | undefined;
  readonly table: Float32Array | undefined;
  readonly ability: number;
  readonly smear: number;
  readonly correction: number;
  /** 1 + length of one step in memory, before the correction: the longest takes them all. */
  readonly unit: number;
  readonly overall: number;
}

/** Tokens where a price turns them into dollars, measured costs where there is none. */
function chooseColumn({ facts, tokens, cost }: ModelProfile, hasPrice: boolean): ChosenColumn {
  const useCost = cost !== undefined && facts.cost !== undefined && !hasPrice;
  const column: LengthColumn | undefined = useCost ? cost : tokens;
  const of = useCost ? facts.cost : facts.tokens;
  const known = column !== undefined && of !== undefined;
  return {
    kind: !known ? LENGTH_UNKNOWN : useCost ? LENGTH_COST : LENGTH_TOKENS,
    lengths: column?.lengths,
    table: column?.table,
    ability: of?.ability ?? 0,
    smear: of?.smear ?? 1,
    correction: of?.correction ?? 1,
    unit: longest(column?.lengths) / MOST_STEPS,
    overall: of?.overall ?? 1,
  };
}

interface PanelInput {
  readonly groups: readonly (readonly ModelProfile[])[];
  /** The anchors each group was scored on, ascending. */
  readonly seen: readonly Uint32Array[];
  readonly columns: readonly ChosenColumn[];
  readonly facts: AnchorFacts;
}

function fillPanels(scores: ScoreMemory, { groups, seen, columns, facts }: PanelInput): Panel[] {
  fillPanelsOf(scores, seen);
  facts.level_quality.forEach((level, anchor) => {
    scores.levels[2 * anchor] = level;
    scores.levels[2 * anchor + 1] = facts.level_length[anchor] as number;
  });
  let firstModel = 0;
  return scores.panels.map(({ quality, length }, number) => {
    const group = groups[number] as readonly ModelProfile[];
    const panel = { firstModel, width: group.length, quality, length };
    const anchors = seen[number] as Uint32Array;
    group.forEach((profile, member) => {
      const column = columns[panel.firstModel + member] as ChosenColumn;
      fillColumn(panel, member, { profile, column, anchors, levels: facts.level_length });
    });
    firstModel += group.length;
    return panel;
  });
}

function fillPanelsOf({ shape, start, panelOf, rowOf }: ScoreMemory, seen: readonly Uint32Array[]): void {
  for (const anchors of seen)
    for (const anchor of anchors) start[anchor + 1] = (start[anchor + 1] as number) + 1;
  for (let anchor = 0; anchor < shape.anchors; anchor++)
    start[anchor + 1] = (start[anchor + 1] as number) + (start[anchor] as number);
  const next = start.slice();
  seen.forEach((anchors, panel) => {
    anchors.forEach((anchor, row) => {
      const entry = next[anchor] as number;
      panelOf[entry] = panel;
      rowOf[entry] = row;
      next[anchor] = entry + 1;
    });
  });
}

interface ColumnInput {
  readonly profile: ModelProfile;
  readonly column: ChosenColumn;
  readonly anchors: Uint32Array;
  /** Length level, `[anchors of the set]`. */
  readonly levels: Float32Array;
}

function fillColumn(
  { width, quality, length }: Panel,
  member: number,
  { profile, column, anchors, levels }: ColumnInput,
): void {
  for (let row = 0; row < anchors.length; row++) {
    quality[row * width + member] = profile.quality[row] as number;
    const level = levels[anchors[row] as number] as number;
    length[row * width + member] = storedLength(column, { place: row, level });
  }
}

/** A length that was not measured is what the model's mean and the prompt's say. */
function storedLength(column: ChosenColumn, { place, level }: { place: number; level: number }): number {
  const stored = column.lengths?.[place] ?? UNKNOWN_LENGTH;
  const length =
    stored === UNKNOWN_LENGTH ? column.smear * 2 ** (column.ability + level) : decodeLength(stored);
  return Math.min(MOST_STEPS, Math.round(length / column.unit));
}

/** Of a length in memory, which is a u16. */
const MOST_STEPS = 0xffff;
/** Assumed where no length was measured; lengths beyond count as this one. */
const LONGEST_UNMEASURED = 2 ** 20;

/** The longest 1 + length that was measured. */
function longest(lengths: Uint16Array | undefined): number {
  let most = -1;
  for (const code of lengths ?? []) if (code !== UNKNOWN_LENGTH && code > most) most = code;
  return most < 0 ? LONGEST_UNMEASURED : decodeLength(most);
}

/** Numbers of the set bits, ascending. */
function anchorsOf(observed: Uint8Array, anchors: number): Uint32Array {
  const found: number[] = [];
  for (let anchor = 0; anchor < anchors; anchor++) {
    if (((observed[anchor >> 3] as number) >> (anchor & 7)) & 1) found.push(anchor);
  }
  return Uint32Array.from(found);
}

function summarise(
  { facts }: ModelProfile,
  { manifest, version }: { readonly manifest: Manifest; readonly version: string },
): ProfileSummary {
  return {
    model: facts.model,
    samples: facts.scored,
    mean_quality: facts.mean_quality,
    mean_cost_usd: null,
    benchmarks: facts.benchmarks,
    embedder: manifest.embedder.id,
    built_at: manifest.built_at,
    version,
  };
}
