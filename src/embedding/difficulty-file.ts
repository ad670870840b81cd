/** `difficulty.json` of an embedder's folder: the model of difficulty that was trained on its vectors. */

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { createDifficultyModel, type DifficultyModel } from "../estimation/difficulty-model.js";
import { EmbedderLoadError } from "./load-error.js";

const difficultyFile = z.object({
  version: z.literal(1),
  dimensions: z.int().min(1),
  bias: z.number(),
  clip: z.number().positive(),
  features: z.array(
    z.object({ name: z.string(), mean: z.number(), deviation: z.number().positive(), weight: z.number() }),
  ),
  vector_mean: z.number(),
  vector_weights: z.array(z.number()),
  stems: z.record(z.string(), z.array(z.string().min(1))),
});

export interface OpenedDifficultyModel extends DifficultyModel {
  /** SHA-256 (hex) of the file. It is not part of the embedder's fingerprint: vectors do not depend on it. */
  readonly fingerprint: string;
}

/**
 * Opens the model of difficulty in an embedder's folder. Undefined where there is none: no such file, or no such folder (a
 * hub id).
 *
 * @throws EmbedderLoadError when the file cannot be read, or is not one for vectors of `dimensions`
 */
export async function openDifficultyModel(
  folder: string,
  dimensions: number,
): Promise<OpenedDifficultyModel | undefined> {
  const path = join(folder, "difficulty.json");
  const bytes = await readIfThere(path);
  if (bytes === undefined) return undefined;
  const file = parse(bytes.toString("utf8"), path);
  if (file.dimensions !== dimensions)
    throw new EmbedderLoadError(
      `${path} is for vectors of ${file.dimensions} numbers, but the embedder makes ${dimensions}; remove the file or ` +
        "train it for this embedder",
    );
  const { vector_mean: vectorMean, vector_weights: vectorWeights, ...others } = file;
  try {
    const model = createDifficultyModel({ ...others, vectorMean, vectorWeights });
    return { ...model, fingerprint: createHash("sha256").update(bytes).digest("hex") };
  } catch (cause) {
    throw new EmbedderLoadError(`${path} cannot be used: ${messageOf(cause)}`, { cause });
  }
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (cause) {
    if (isAbsent(cause)) return undefined;
    throw new EmbedderLoadError(`cannot read ${path}: ${messageOf(cause)}`, { cause });
  }
}

function isAbsent(cause: unknown): boolean {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR";
}

function parse(json: string, path: string): z.infer<typeof difficultyFile> {
  let content: unknown;
  try {
    content = JSON.parse(json);
  } catch (cause) {
    throw new EmbedderLoadError(`${path} is not JSON: ${messageOf(cause)}`, { cause });
  }
  const parsed = difficultyFile.safeParse(content);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${z.core.toDotPath(issue.path)}: ${issue.message}`);
  throw new EmbedderLoadError(
    `${path} is no difficulty model of version 1 (${faults.join("; ")}); training/difficulty.py writes one`,
  );
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
