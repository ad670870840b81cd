import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { describeCommand } from "../options.js";

/** Outcomes to measure with, in the canonical layout (datasets/README.md). */
export interface SetSource {
  readonly name: string;
  readonly folder: string;
}

export interface QualityOptions {
  readonly sets: readonly SetSource[];
  /** Splits, by number. */
  readonly seeds: readonly number[];
  /** Folder or hub id of the embedder; `{seed}` in it is replaced by the number of the split. */
  readonly embedder: string;
  /** Whether benchmarks are left out in turn. */
  readonly leavesOut: boolean;
  /** As typed, without local paths. */
  readonly command: string;
  readonly now: Date;
}

export const SHIPPED_EMBEDDER = join("models", "sextant-static-v1");
export const DEFAULT_SEEDS: readonly number[] = [0, 1, 2, 3, 4];

export const QUALITY_USAGE = `npm run bench -- quality [options]

  --data DIR          a folder in the canonical layout, or a folder of such folders (default datasets/sample)
  --set NAME          only this folder of --data; may be repeated
  --seeds 0,1,2       splits to measure (default 0,1,2,3,4)
  --embedder DIR      folder or hub id; {seed} stands for the split's number (default ${SHIPPED_EMBEDDER})
  --without-leave-out no benchmark is left out in turn, which takes most of the time`;

/** @throws Error with the usage when the arguments make no sense */
export async function parseQualityOptions(argv: readonly string[], now: Date): Promise<QualityOptions> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      data: { type: "string" },
      set: { type: "string", multiple: true },
      seeds: { type: "string" },
      embedder: { type: "string", default: SHIPPED_EMBEDDER },
      "without-leave-out": { type: "boolean", default: false },
    },
  });
  return {
    sets: await findSetFolders(values.data ?? join("datasets", "sample"), values.set),
    seeds: values.seeds === undefined ? DEFAULT_SEEDS : parseSeeds(values.seeds),
    embedder: values.embedder,
    leavesOut: !values["without-leave-out"],
    command: describeCommand("quality", argv),
    now,
  };
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
