/** `difficulty.json` of an embedder's folder: the model of difficulty that was trained on its vectors. */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { createDifficultyModel, type DifficultyModel } from "../estimation/difficulty-model.js";
import { linearModel, openLinearModel } from "./linear-model-file.js";

const difficultyFile = linearModel.extend({ vector_mean: z.number() });

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
