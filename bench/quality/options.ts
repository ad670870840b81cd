import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { type EmbedderTraining, parseEmbedderTraining } from "./embedder-training.js";
import { DEFAULT_PARTS, PARTS, type Part } from "./measure/measure-seed.js";

/** Outcomes to measure with, in the canonical layout (datasets/README.md). */
export type SetSource =
  | { readonly name: string; readonly folder: string }
  | { readonly name: string; readonly train: string; readonly test: string };

export interface QualityOptions {
  readonly sets: readonly SetSource[];
  /** Splits, by number; a set that comes divided is measured once. */
  readonly seeds: readonly number[];
  /** Folder or hub id of the embedder; `{seed}` in it is replaced by the number of the split. */
  readonly embedder: string;
  /** What the embedder was trained on, where its own `config.json` does not say. */
  readonly embedderSaw: EmbedderTraining | null;
  readonly parts: readonly Part[];
  /** Where finished measurements are kept; null = nowhere. */
  readonly cacheFolder: string | null;
  /** As typed, without local paths. */
  readonly command: string;
  readonly now: Date;
}

export const SHIPPED_EMBEDDER = join("models", "sextant-static-v1");
export const DEFAULT_SEEDS: readonly number[] = [0, 1, 2, 3, 4];
export const CACHE_FOLDER = join("bench", "results", "quality-cache");

export const QUALITY_USAGE = `npm run bench:quality -- [--data DIR [--set NAME]… | --train DIR --test DIR] [options]

  --data DIR          a folder in the canonical layout, or a folder of such folders (default datasets/sample)
  --set NAME          only this folder of --data; may be repeated
  --train DIR         learn from this folder …
  --test DIR          … and measure on that one
  --seeds 0,1,2       splits to measure (default 0,1,2,3,4)
  --embedder DIR      folder or hub id; {seed} stands for the split's number (default ${SHIPPED_EMBEDDER})
  --embedder-saw X    none, all or train:SPLIT: what it was trained on, where its config.json does not say
  --part NAME         ${PARTS.join(", ")}; may be repeated (default all but
                      new_models, which takes hours; "none" = accuracy and cost alone)
  --no-cache          measure again what was measured before`;

/** @throws Error with the usage when the arguments make no sense */
export async function parseQualityOptions(argv: readonly string[], now: Date): Promise<QualityOptions> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      data: { type: "string" },
      set: { type: "string", multiple: true },
      train: { type: "string" },
      test: { type: "string" },
      seeds: { type: "string" },
      embedder: { type: "string", default: SHIPPED_EMBEDDER },
      "embedder-saw": { type: "string" },
      part: { type: "string", multiple: true },
      "no-cache": { type: "boolean", default: false },
    },
  });
  const saw = values["embedder-saw"];
  return {
    sets: await findSets(values),
    seeds: values.seeds === undefined ? DEFAULT_SEEDS : parseSeeds(values.seeds),
    embedder: values.embedder,
    embedderSaw: saw === undefined ? null : parseEmbedderTraining(saw),
    parts: parseParts(values.part),
    cacheFolder: values["no-cache"] ? null : CACHE_FOLDER,
    command: describeCommand(argv),
    now,
  };
}

interface SetArguments {
  readonly data?: string | undefined;
  readonly set?: readonly string[] | undefined;
  readonly train?: string | undefined;
  readonly test?: string | undefined;
}

async function findSets({ data, set, train, test }: SetArguments): Promise<SetSource[]> {
  if (train !== undefined || test !== undefined) {
    if (train === undefined || test === undefined || data !== undefined) {
      throw new Error(`--train and --test go together, without --data.\n\n${QUALITY_USAGE}`);
    }
    return [{ name: idOf(basename(test)), train, test }];
  }
  return findSetFolders(data ?? join("datasets", "sample"), set);
}

/** The folder itself when it holds prompts, else those of its sub-folders that do, by name. */
export async function findSetFolders(data: string, only?: readonly string[]): Promise<SetSource[]> {
  if (await holdsPrompts(data)) return [{ name: idOf(basename(data)), folder: data }];
  const found: SetSource[] = [];
  const entries = existsSync(data) ? (await readdir(data)).toSorted() : [];
  for (const name of only ?? entries) {
    const folder = join(data, name);
    if (await holdsPrompts(folder)) found.push({ name: idOf(name), folder });
    else if (only !== undefined)
      throw new Error(`${folder} holds no prompts*.jsonl; name a folder of ${data}.`);
  }
  if (found.length > 0) return found;
  throw new Error(`${data} holds no outcome set (prompts*.jsonl[.gz] and outcomes*).\n\n${QUALITY_USAGE}`);
}

async function holdsPrompts(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).some((name) => /^prompts.*\.jsonl(\.gz)?$/.test(name));
  } catch {
    return false;
  }
}

function idOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9_.+=-]/g, "_");
}

function parseSeeds(text: string): number[] {
  const seeds = text.split(",").map(Number);
  if (seeds.every((seed) => Number.isSafeInteger(seed) && seed >= 0)) return seeds;
  throw new Error(`--seeds is "${text}"; write whole numbers from 0 on with commas between them.`);
}

function parseParts(names: readonly string[] | undefined): readonly Part[] {
  if (names === undefined) return DEFAULT_PARTS;
  return names
    .filter((name) => name !== "none")
    .map((name) => {
      const part = PARTS.find((known) => known === name);
      if (part === undefined) throw new Error(`--part is "${name}"; known are ${PARTS.join(", ")} and none.`);
      return part;
    });
}

/** Folders are reduced to their last name, because results are read on other machines. */
function describeCommand(argv: readonly string[]): string {
  const words = argv.map((word) => (word.includes("/") ? `…/${basename(word)}` : word));
  return ["npm run bench:quality", ...(words.length > 0 ? ["--", ...words] : [])].join(" ");
}
