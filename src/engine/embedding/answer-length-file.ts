/** `answer-length.json` of an embedder's folder: the model of answer lengths that was trained on its vectors. */

import { join } from "node:path";
import { type AnswerLengthModel, createAnswerLengthModel } from "../estimation/answer-length-model.js";
import { linearModel, openLinearModel } from "./linear-model-file.js";

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
