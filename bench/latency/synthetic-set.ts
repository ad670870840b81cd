import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Embedder } from "../../src/embedding/embedder.js";
import type { AnchorSet } from "../../src/profiles/anchor-set.js";
import { type AnchorVectors, allocateAnchorVectors, quantiseRow } from "../../src/profiles/anchor-vectors.js";
import { buildProfileSet } from "../../src/profiles/build/build-profile-set.js";
import type { ModelOutcomes, OutcomeTable } from "../../src/profiles/build/outcome-table.js";
import { loadProfileSet } from "../../src/profiles/load.js";
import { gatherEvidence } from "../../src/router/evidence.js";
import { makePrompt, seededRandom, TOPIC_COUNT } from "./prompts.js";

export interface SyntheticSetSize {
  readonly anchors: number;
  readonly models: number;
}

const EMBEDDED_AT_ONCE = 500;
/** Changes with this file: sets of an earlier version are built again. */
const VERSION = 1;

/**
 * A profile set of made-up prompts on which every model was scored, written by the real builder and read by the real
 * loader. Kept under bench/results/sets, because building takes a while.
 */
export async function openSyntheticSet(size: SyntheticSetSize, embedder: Embedder): Promise<AnchorSet> {
  const folder = syntheticSetFolder(size, embedder);
  const name = `synthetic-${size.anchors}x${size.models}`;
  const load = () => loadProfileSet(folder, { embedder, hasPrice: () => true, scratchDir: tmpdir() });
  if (existsSync(folder)) {
    const kept = await load().catch(() => undefined);
    if (kept) return kept.set;
  }
  await buildProfileSet(
    { table: outcomesOf(size), vectors: await embedAnchors(size.anchors, embedder), embedder },
    { folder, name, builtAt: "2026-01-01T00:00:00Z", seed: 1, gather: gatherEvidence, scratchDir: tmpdir() },
  );
  return (await load()).set;
}

/** Where `openSyntheticSet` keeps a set. */
export function syntheticSetFolder({ anchors, models }: SyntheticSetSize, embedder: Embedder): string {
  const version = `v${VERSION}-${embedder.fingerprint.slice(0, 8)}`;
  return join("bench", "results", "sets", `${version}-${anchors}x${models}`);
}

/** Anchor `a` is on topic `a mod TOPIC_COUNT` and 8–72 words long. */
export async function embedAnchors(count: number, embedder: Embedder): Promise<AnchorVectors> {
  const random = seededRandom(7);
  const vectors = allocateAnchorVectors(count, embedder.dimensions);
  for (let start = 0; start < count; start += EMBEDDED_AT_ONCE) {
    const length = Math.min(EMBEDDED_AT_ONCE, count - start);
    const prompts = Array.from({ length }, (_, at) =>
      makePrompt(start + at, 8 + Math.floor(64 * random()), random),
    );
    for (const [at, vector] of (await embedder.embed(prompts)).entries())
      quantiseRow(vectors, start + at, vector);
  }
  return vectors;
}

function outcomesOf({ anchors, models }: SyntheticSetSize): OutcomeTable {
  const source = { name: "synthetic", licence: null, commit: null, url: null };
  const counts = { anchors, promptsWithoutScore: 0, rows: anchors * models };
  return {
    promptIds: Array.from({ length: anchors }, (_, anchor) => `synthetic:${anchor}`),
    benchmarks: Array.from({ length: TOPIC_COUNT }, (_, topic) => `topic-${String(topic).padStart(2, "0")}`),
    benchmarkOf: Uint16Array.from({ length: anchors }, (_, anchor) => anchor % TOPIC_COUNT),
    sources: [{ ...source, ...counts, rowsOfUnknownPrompts: 0, rowsWithoutScore: 0 }],
    sourceOf: new Uint16Array(anchors),
    tokensIn: new Float32Array(anchors).fill(60),
    models: Array.from({ length: models }, (_, model) => outcomesOfModel(model, anchors)),
  };
}

/** Models differ in ability, and each is strong on some topics. */
function outcomesOfModel(model: number, anchors: number): ModelOutcomes {
  const random = seededRandom(1_000 + model);
  const ability = 0.35 + 0.4 * random();
  const strength = Array.from({ length: TOPIC_COUNT }, () => 0.3 * random());
  const name = syntheticModelName(model);
  return {
    model: name,
    originalNames: [name],
    anchors: Uint32Array.from({ length: anchors }, (_, anchor) => anchor),
    quality: Float32Array.from({ length: anchors }, (_, anchor) =>
      random() < ability + (strength[anchor % TOPIC_COUNT] ?? 0) ? 1 : 0,
    ),
    samples: new Uint16Array(anchors).fill(1),
    tokensOut: Float32Array.from({ length: anchors }, () => Math.round(2 ** (5 + 5 * random()))),
    costUsd: new Float32Array(anchors).fill(Number.NaN),
  };
}

export function syntheticModelName(model: number): string {
  return `synthetic-${String(model).padStart(3, "0")}`;
}
