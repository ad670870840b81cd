import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { allInOrder } from "../../foundation/all-in-order.js";
import { forEachCooperatively } from "../../foundation/cooperative-batches.js";
import { ExplainedError } from "../../foundation/errors.js";
import { PARSE_ONCE } from "../../foundation/parse-once.js";
import { decodeSections, type SectionFile, SectionFileError } from "../../foundation/section-file.js";
import { yieldThread } from "../../foundation/timers.js";
import type { AnchorSet } from "../estimation/anchor-set.js";
import type { IndexKind } from "../search/anchor-index.js";
import { type AnchorVectors, type VectorCodes, vectorsInMemory } from "../search/anchor-vectors.js";
import type { OpenHnswLibrary } from "../search/hnsw-library.js";
import { type OpenedAnchorIndex, openAnchorIndex, type StoredIndex } from "../search/open-index.js";
import { type AnchorFacts, assembleAnchorSet } from "./assemble.js";
import { checkProfile, type ProfileShape } from "./check-profile.js";
import {
  ANCHORS_FILE,
  FACTS_FILE,
  FORMAT_VERSION,
  HNSW_FILE,
  IVF_FILE,
  type Manifest,
  MODEL_SUFFIX,
  MODELS_FOLDER,
  manifestSchema,
} from "./manifest.js";
import { decodeModelProfile, type ModelProfile, modelOfFileName } from "./model-profile.js";
import { isLeftOver, placeOf } from "./set-folder.js";

/** A profile set that cannot be used; the message names both sides of a mismatch and the remedy. */
export class ProfileSetError extends ExplainedError {
  override readonly name = "ProfileSetError";
}

export interface LoadOptions {
  /** The embedder of the queries. Undefined only for inspection. */
  readonly embedder?: {
    readonly id: string;
    readonly fingerprint: string;
    readonly difficulty?: { readonly fingerprint: string } | undefined;
  };
  /** `exact`: exact search, whatever index the set was built with. Default: that index. */
  readonly index?: "exact";
  /** Default: the installed package. */
  readonly openHnswLibrary?: OpenHnswLibrary;
  /** Whether to read a model's profile. Default: all. */
  readonly includes?: (model: string, set: Pick<Manifest, "candidates">) => boolean;
}

export interface LoadedSet {
  readonly folder: string;
  readonly set: AnchorSet;
  readonly manifest: Manifest;
  readonly profiles: readonly ModelProfile[];
  /** Changes with the files of the set and with any profile added to it, but not with the choice of models. */
  readonly filesVersion: string;
  /** Sentences for the log: why another index is used than the one that was built. */
  readonly notes: readonly string[];
}

/**
 * Loads every set of a folder: the folder itself when it has a `manifest.json`, else its sub-folders that do, by name.
 *
 * @throws ProfileSetError when there is none, or for the first by name that cannot be used
 */
export async function loadProfileSets(folder: string, options: LoadOptions): Promise<LoadedSet[]> {
  const folders = await findSets(folder);
  if (folders.length === 0) {
    throw new ProfileSetError(
      `${folder} holds no profile set (no manifest.json in it or one level below). Build one with \`sextant profile build\`.`,
    );
  }
  return allInOrder(folders.map((each) => loadProfileSet(each, options)));
}

/** The folder itself when it is a set, else the sets one level below, by name. @throws what the system says, such as EACCES */
export async function findSets(folder: string): Promise<string[]> {
  const place = placeOf(folder);
  if (existsSync(join(place, "manifest.json"))) return [place];
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, "manifest.json")))
    .map((entry) => join(folder, entry.name))
    .filter((each) => !isLeftOver(each))
    .sort();
}

/** @throws ProfileSetError when the format, a checksum or the embedder does not fit, or a file does not fit the manifest */
export async function loadProfileSet(folder: string, options: LoadOptions): Promise<LoadedSet> {
  try {
    return await loadFiles(folder, options);
  } catch (fault) {
    if (!(fault instanceof SectionFileError)) throw fault;
    throw new ProfileSetError(`${folder} cannot be used: ${fault.message}`, { cause: fault });
  }
}

async function loadFiles(folder: string, options: LoadOptions): Promise<LoadedSet> {
  const manifest = await readManifest(folder);
  checkEmbedder(folder, manifest, options.embedder);
  const factsBytes = await readChecked(folder, { file: FACTS_FILE, manifest });
  const { index, note } = await openIndex(folder, manifest, options);
  // Large work in between is for a thread that serves requests beside a reload.
  await yieldThread();
  const { read, leftOut, added } = await readProfiles(folder, { manifest, includes: options.includes });
  const profiles = read.map(({ profile }) => profile);
  const filesVersion = versionOf(manifest, added);
  // What a set lists is whole, or the set is refused: also what no decision reads.
  const others = manifest.files.filter(({ path }) => !path.includes("/") && !LOADED_FILES.includes(path));
  for (const { path: file } of others) await readChecked(folder, { file, manifest });
  const usesDifficulty =
    manifest.difficulty !== undefined &&
    manifest.difficulty.fingerprint === options.embedder?.difficulty?.fingerprint;
  const set = await assembleAnchorSet({
    manifest,
    version: versionOf(
      manifest,
      read.map(({ sha256 }) => sha256),
    ),
    leftOut,
    index,
    facts: sectionsOf(factsBytes, FACTS_FILE).sections as unknown as AnchorFacts,
    profiles,
    usesDifficulty,
  });
  const notes = note === undefined ? [] : [`${manifest.name}: ${note}`];
  await yieldThread();
  return { folder, set, manifest, profiles, filesVersion, notes };
}

const LOADED_FILES = [ANCHORS_FILE, FACTS_FILE, IVF_FILE, HNSW_FILE];

/** A function of its own, so that the file of vectors, which the index copies, is not kept while profiles are read. */
async function openIndex(
  folder: string,
  manifest: Manifest,
  { index, openHnswLibrary }: Pick<LoadOptions, "index" | "openHnswLibrary">,
): Promise<OpenedAnchorIndex> {
  const bytes = await readChecked(folder, { file: ANCHORS_FILE, manifest });
  const vectors = codesIn(sectionsOf(bytes, ANCHORS_FILE), manifest);
  const stored = await readIndex(folder, { manifest, kind: index ?? manifest.index });
  return openAnchorIndex(vectors, stored, { openLibrary: openHnswLibrary });
}

/** Of a file that `readChecked` read. */
const sectionsOf = (bytes: Uint8Array | undefined, name: string): SectionFile =>
  decodeSections(bytes as Uint8Array, name, { isVerified: true });

async function readIndex(
  folder: string,
  { manifest, kind }: { readonly manifest: Manifest; readonly kind: IndexKind },
): Promise<StoredIndex> {
  if (kind === "exact") return { kind };
  const lists = { bytes: await readChecked(folder, { file: IVF_FILE, manifest }), name: IVF_FILE };
  if (kind === "ivf") return { kind, lists };
  await readChecked(folder, { file: HNSW_FILE, manifest });
  return { kind, lists, graphPath: join(folder, HNSW_FILE) };
}

/** @throws ProfileSetError when there is no manifest or it is not of this format */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, "manifest.json");
  let json: unknown;
  try {
    json = JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw new ProfileSetError(`${path} cannot be read as JSON. Is ${folder} a profile set?`, { cause });
  }
  const format = (json as { format?: unknown } | null)?.format;
  if (format !== FORMAT_VERSION) {
    throw new ProfileSetError(
      `${path} has format ${JSON.stringify(format)}; this version reads format ${FORMAT_VERSION}. Build the set again.`,
    );
  }
  const parsed = manifestSchema.safeParse(json, PARSE_ONCE);
  if (!parsed.success) throw new ProfileSetError(`${path} is not valid: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** @throws ProfileSetError when the set was built with another embedder */
export function checkEmbedder(folder: string, manifest: Manifest, embedder: LoadOptions["embedder"]): void {
  if (embedder === undefined || embedder.fingerprint === manifest.embedder.fingerprint) return;
  throw new ProfileSetError(
    `${folder} was built with embedder ${manifest.embedder.id} (fingerprint ${manifest.embedder.fingerprint.slice(0, 12)}), ` +
      `but the loaded embedder is ${embedder.id} (fingerprint ${embedder.fingerprint.slice(0, 12)}). ` +
      "Load that embedder (SEXTANT_EMBEDDER or --embedder), or build the set again with this one.",
  );
}

/** Reads a file of the set and verifies its checksum. @throws ProfileSetError when it is missing or does not match */
export async function readChecked(
  folder: string,
  { file, manifest }: { readonly file: string; readonly manifest: Manifest },
): Promise<Uint8Array> {
  const expected = manifest.files.find(({ path }) => path === file);
  if (expected === undefined) throw new ProfileSetError(`The manifest of ${folder} does not list ${file}.`);
  const path = join(folder, file);
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  checkDigest(path, { digest: sha256Of(bytes), expected: expected.sha256 });
  return bytes;
}

const unreadable = (path: string, cause: unknown): ProfileSetError =>
  new ProfileSetError(`${path} is missing or cannot be read. Build or copy the set again.`, { cause });

function checkDigest(
  path: string,
  { digest, expected }: { readonly digest: string; readonly expected: string },
): void {
  if (digest === expected) return;
  throw new ProfileSetError(
    `${path} has SHA-256 ${digest}, the manifest lists ${expected}. Build or copy the set again.`,
  );
}

interface ReadFile {
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

/**
 * Reads a profile, and verifies its checksum where the manifest has one. On this thread: promises of hundreds of small files take
 * three times as long as the files.
 */
function readProfileFile(path: string, expected: string | undefined): ReadFile {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw expected === undefined ? cause : unreadable(path, cause);
  }
  const digest = sha256Of(bytes);
  if (expected !== undefined) checkDigest(path, { digest, expected });
  return { bytes, sha256: digest };
}

export const readVectors = (file: SectionFile, manifest: Manifest): AnchorVectors =>
  vectorsInMemory(codesIn(file, manifest));

/** Views of the file. */
function codesIn(file: SectionFile, manifest: Manifest): VectorCodes {
  const [count, { dimensions }] = [manifest.anchors, manifest.embedder];
  const { codes, scales } = file.sections;
  if (codes?.length !== count * dimensions || scales?.length !== count) {
    throw new ProfileSetError(
      `${ANCHORS_FILE} holds ${scales?.length} vectors with ${codes?.length} codes; the manifest lists ` +
        `${count} of ${dimensions} dimensions. Build the set again.`,
    );
  }
  return { count, dimensions, codes: codes as Int8Array, scales: scales as Float32Array };
}

export interface ReadProfile {
  readonly profile: ModelProfile;
  /** Of its file. */
  readonly sha256: string;
}

interface ReadProfiles {
  readonly read: readonly ReadProfile[];
  /** Models whose profiles were not asked for. */
  readonly leftOut: readonly string[];
  /** SHA-256 of every profile that is not in the manifest, asked for or not, by name. */
  readonly added: readonly string[];
}

/**
 * Every profile in `models/`: those in the manifest must match its checksums; others were added later and refer to the
 * anchors in their own headers.
 */
export async function readProfiles(
  folder: string,
  {
    manifest,
    includes = everyModel,
  }: { readonly manifest: Manifest; readonly includes?: LoadOptions["includes"] | undefined },
): Promise<ReadProfiles> {
  const names = (await readdir(join(folder, MODELS_FOLDER)))
    .filter((name) => name.endsWith(MODEL_SUFFIX))
    .sort();
  const digests = new Map(manifest.files.map(({ path, sha256 }) => [path, sha256]));
  const anchors = digests.get(ANCHORS_FILE);
  const found = new Set(names.map(pathOf));
  for (const { path } of manifest.files) {
    if (path.startsWith(`${MODELS_FOLDER}/`) && !found.has(path)) {
      throw new ProfileSetError(`${join(folder, path)} is missing. Build or copy the set again.`);
    }
  }
  // Whoever adds a model to a set says that it can be called, which no catalog needs to know.
  const candidatesOf = (name: string) =>
    digests.has(pathOf(name)) ? manifest : ({ candidates: "all" } as const);
  const shape = shapeOf(manifest);
  const isWanted = new Map<string, boolean>();
  await forEachCooperatively(names, (name) => {
    isWanted.set(name, includes(modelOfProfileFile(name), candidatesOf(name)));
  });
  const read: ReadProfile[] = [];
  const added: string[] = [];
  await forEachCooperatively(names, (name) => {
    const path = join(folder, pathOf(name));
    const expected = digests.get(pathOf(name));
    const { bytes, sha256 } = readProfileFile(path, expected);
    if (expected === undefined) added.push(sha256);
    if (isWanted.get(name) === false) return;
    const profile = decodeModelProfile(bytes, pathOf(name), { isVerified: expected !== undefined });
    if (profile.facts.anchors_sha256 !== anchors) {
      throw new ProfileSetError(
        `${path} belongs to anchors ${profile.facts.anchors_sha256.slice(0, 12)}, the set has ` +
          `${anchors?.slice(0, 12)}. Build the profile on this set.`,
      );
    }
    checkProfile(profile, shape, path);
    read.push({ profile, sha256 });
  });
  const leftOut = names.filter((name) => isWanted.get(name) === false).map(modelOfProfileFile);
  return { read, leftOut, added };
}

/** In the folder of the set. */
const pathOf = (name: string): string => `${MODELS_FOLDER}/${name}`;

/** What the profiles of a set have in common. */
export const shapeOf = ({ anchors, topics }: Pick<Manifest, "anchors" | "topics">): ProfileShape => ({
  anchors,
  topics: topics.length,
});

const everyModel = (): boolean => true;
const modelOfProfileFile = (file: string): string => modelOfFileName(file.slice(0, -MODEL_SUFFIX.length));

/** As `LoadedSet` has it, of a set that is not loaded. @throws ProfileSetError */
export async function filesVersionOf(folder: string, manifest: Manifest): Promise<string> {
  const { added } = await readProfiles(folder, { manifest, includes: () => false });
  return versionOf(manifest, added);
}

/**
 * Changes with the tuned parameters, with any file of the manifest, and with the given profiles: with those that were read
 * it changes with anything that affects decisions.
 */
function versionOf(manifest: Manifest, profileDigests: readonly string[]): string {
  return sha256Of(JSON.stringify([manifest.parameters, manifest.files, profileDigests])).slice(0, 16);
}

function sha256Of(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}
