import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { PARSE_ONCE } from "../../foundation/parse-once.js";
import { type AnswerLengthModel, createAnswerLengthModel } from "../estimation/answer-length-model.js";
import { createDifficultyModel, type DifficultyModel } from "../estimation/difficulty-model.js";
import { EmbedderLoadError } from "./load-error.js";

/** A linear model of a prompt's features and its vector, in the folder of the embedder that it was trained with. */
export const linearModel = z.object({
  version: z.literal(1),
  dimensions: z.int().min(1),
  bias: z.number(),
  clip: z.number().positive(),
  features: z.array(
    z.object({ name: z.string(), mean: z.number(), deviation: z.number().positive(), weight: z.number() }),
  ),
  vector_weights: z.array(z.number()),
  stems: z.record(z.string(), z.array(z.string().min(1))),
});

interface LinearModelOptions<File extends z.infer<typeof linearModel>, Model> {
  readonly schema: z.ZodType<File>;
  /** Of the embedder's vectors. */
  readonly dimensions: number;
  /** For messages: what the file is, and the program that writes it. */
  readonly what: string;
  readonly writtenBy: string;
  readonly create: (file: File, bytes: Uint8Array) => Model;
}

/**
 * Opens a model file. Undefined where there is none: no such file, or no such folder (a hub id).
 *
 * @throws EmbedderLoadError when the file cannot be read, or is not one for vectors of these dimensions
 */
async function openLinearModel<File extends z.infer<typeof linearModel>, Model>(
  path: string,
  { schema, dimensions, what, writtenBy, create }: LinearModelOptions<File, Model>,
): Promise<Model | undefined> {
  const bytes = await readIfThere(path);
  if (bytes === undefined) return undefined;
  const parsed = schema.safeParse(parse(bytes.toString("utf8"), path), PARSE_ONCE);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${z.core.toDotPath(issue.path)}: ${issue.message}`);
    throw new EmbedderLoadError(`${path} is no ${what} (${faults.join("; ")}); ${writtenBy} writes one`);
  }
  const file = parsed.data;
  if (file.dimensions !== dimensions)
    throw new EmbedderLoadError(
      `${path} is for vectors of ${file.dimensions} numbers, but the embedder makes ${dimensions}; remove the file or ` +
        "train it for this embedder",
    );
  try {
    return create(file, bytes);
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

function parse(json: string, path: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new EmbedderLoadError(`${path} is not JSON: ${messageOf(cause)}`, { cause });
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

const difficultyFile = linearModel.extend({ vector_mean: z.number() });

interface OpenedDifficultyModel extends DifficultyModel {
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
  return openLinearModel(join(folder, "difficulty.json"), {
    schema: difficultyFile,
    dimensions,
    what: "difficulty model of version 1",
    writtenBy: "training/difficulty.py",
    create({ vector_mean: vectorMean, vector_weights: vectorWeights, ...others }, bytes) {
      const model = createDifficultyModel({ ...others, vectorMean, vectorWeights });
      return { ...model, fingerprint: createHash("sha256").update(bytes).digest("hex") };
    },
  });
}

/**
 * Opens the model of answer lengths in an embedder's folder. Undefined where there is none.
 *
 * @throws EmbedderLoadError as `openLinearModel`
 */
export const openAnswerLengthModel = (
  folder: string,
  dimensions: number,
): Promise<AnswerLengthModel | undefined> =>
  openLinearModel(join(folder, "answer-length.json"), {
    schema: linearModel,
    dimensions,
    what: "model of answer lengths of version 1",
    writtenBy: "datasets/answer-lengths.ts",
    create: ({ vector_weights: vectorWeights, ...others }) =>
      createAnswerLengthModel({ ...others, vectorWeights }),
  });
