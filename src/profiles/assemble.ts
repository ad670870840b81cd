import type { AnchorIndex } from "./anchor-index.js";
import {
  type AnchorSet,
  LENGTH_COST,
  LENGTH_SCALE,
  LENGTH_TOKENS,
  LENGTH_UNKNOWN,
  type Panel,
  type PanelsOfAnchors,
} from "./anchor-set.js";
import { type AnchorVectors, allocateAnchorVectors, decodeRow } from "./anchor-vectors.js";
import { openKernel } from "./index/similarity.js";
import type { Manifest } from "./manifest.js";
import { type LengthColumn, type ModelProfile, UNKNOWN_LENGTH } from "./model-profile.js";
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
  const clusters = manifest.clusters.resolution_starts.at(-1) as number;
  const coarse = manifest.clusters.resolution_starts[1] as number;
  const models = ordered.length;
  const { panels, panelsOf } = layOutPanels(groups, { anchors: manifest.anchors, columns, facts });
  return {
    name: manifest.name,
    version: parts.version,
    embedderFingerprint: manifest.embedder.fingerprint,
    index: parts.index,
    vectorOf: (anchor) => decodeRow(vectors, anchor),
    models: ordered.map((profile) => profile.facts.model),
    summaries: ordered.map((profile) => summarise(profile, { manifest, version: parts.version })),
    parameters: {
      neighbours: manifest.parameters.neighbours,
      kernelWidth: manifest.parameters.kernel_width,
      priorWeight: manifest.parameters.prior_weight,
      foreignSimilarity: manifest.parameters.foreign_similarity,
      homeSimilarity: manifest.parameters.home_similarity,
      pairedCorrelation: manifest.parameters.paired_correlation,
    },
    anchorLevels: { quality: facts.level_quality, length: facts.level_length },
    promptTokens: facts.prompt_tokens,
    prior: {
      similarities: scanOf(parts.clusters, { clusters, dimensions: vectors.dimensions }),
      resolutionStarts: manifest.clusters.resolution_starts,
      levels: { quality: parts.clusters.level_quality, length: parts.clusters.level_length },
      quality: transpose(
        clusters,
        ordered.map((profile) => profile.table.quality),
      ),
      length: transpose(
        clusters,
        columns.map((column) => column.table ?? new Float32Array(clusters)),
      ),
      coverage: transpose(
        coarse,
        ordered.map((profile) => profile.table.coverage),
      ),
      overall: {
        quality: Float32Array.from(ordered, (profile) => profile.facts.overall_quality),
        length: Float32Array.from(columns, (column) => column.overall),
      },
      overallLevel: manifest.overall_level,
    },
    columns: {
      ability: Float32Array.from(ordered, (profile) => profile.facts.ability),
      abilityVariance: Float32Array.from(ordered, (profile) => profile.facts.ability_variance),
      interactionVariance: manifest.interaction_variance,
      lengthKind: Uint8Array.from({ length: models }, (_, model) => columns[model]?.kind ?? LENGTH_UNKNOWN),
      lengthSmear: Float32Array.from(columns, (column) => column.smear),
    },
    panels,
    panelsOf,
  };
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
    overall: of?.overall ?? 0,
  };
}

interface PanelInput {
  readonly anchors: number;
  readonly columns: readonly ChosenColumn[];
  readonly facts: AnchorFacts;
}

function layOutPanels(
  groups: readonly (readonly ModelProfile[])[],
  input: PanelInput,
): { panels: Panel[]; panelsOf: PanelsOfAnchors } {
  const seen = groups.map((group) => anchorsOf((group[0] as ModelProfile).observed, input.anchors));
  const start = new Uint32Array(input.anchors + 1);
  for (const anchors of seen)
    for (const anchor of anchors) start[anchor + 1] = (start[anchor + 1] as number) + 1;
  for (let anchor = 0; anchor < input.anchors; anchor++)
    start[anchor + 1] = (start[anchor + 1] as number) + (start[anchor] as number);
  const next = start.slice();
  const panel = new Uint16Array(start[input.anchors] as number);
  const row = new Uint32Array(panel.length);
  let firstModel = 0;
  const panels = groups.map((group, number) => {
    const anchors = seen[number] as Uint32Array;
    anchors.forEach((anchor, place) => {
      const entry = next[anchor] as number;
      panel[entry] = number;
      row[entry] = place;
      next[anchor] = entry + 1;
    });
    const block = fillPanel(group, { anchors, firstModel, input });
    firstModel += group.length;
    return block;
  });
  return { panels, panelsOf: { start, panel, row } };
}

function fillPanel(
  group: readonly ModelProfile[],
  at: { readonly anchors: Uint32Array; readonly firstModel: number; readonly input: PanelInput },
): Panel {
  const width = group.length;
  const quality = new Uint8Array(at.anchors.length * width);
  const length = new Uint16Array(at.anchors.length * width);
  group.forEach((profile, member) => {
    const column = at.input.columns[at.firstModel + member] as ChosenColumn;
    for (let place = 0; place < at.anchors.length; place++) {
      quality[place * width + member] = profile.quality[place] as number;
      const level = at.input.facts.level_length[at.anchors[place] as number] as number;
      length[place * width + member] = storedLength(column, { place, level });
    }
  });
  return { firstModel: at.firstModel, width, quality, length };
}

/** A length that was not measured is what the model's mean and the prompt's say. */
function storedLength(column: ChosenColumn, { place, level }: { place: number; level: number }): number {
  const stored = column.lengths?.[place] ?? UNKNOWN_LENGTH;
  if (stored !== UNKNOWN_LENGTH) return stored;
  return Math.max(0, Math.min(UNKNOWN_LENGTH - 1, Math.round((column.ability + level) * LENGTH_SCALE)));
}

/** Numbers of the set bits, ascending. */
function anchorsOf(observed: Uint8Array, anchors: number): Uint32Array {
  const found: number[] = [];
  for (let anchor = 0; anchor < anchors; anchor++) {
    if (((observed[anchor >> 3] as number) >> (anchor & 7)) & 1) found.push(anchor);
  }
  return Uint32Array.from(found);
}

/** Columns → row-major matrix `[rows × columns]`. */
function transpose(rows: number, columns: readonly Float32Array[]): Float32Array {
  const matrix = new Float32Array(rows * columns.length);
  columns.forEach((column, c) => {
    for (let r = 0; r < rows; r++) matrix[r * columns.length + c] = column[r] as number;
  });
  return matrix;
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
