import { catalogId } from "../../engine/index.js";
import type { PromptFileOptions } from "../outcomes/read-prompts.js";
import {
  type GradedFiles,
  type GradedPrompts,
  type IncompleteAnswers,
  readGradedPrompts,
} from "./graded-prompts.js";

/** What of the files and of the set is not evaluated. */
export interface LeftOutOfEvaluation extends IncompleteAnswers {
  /** Names in the outcomes that are no models of the set. */
  readonly unknownModels: readonly string[];
  /** Models of the set without any graded answer. */
  readonly ungradedModels: readonly string[];
}

export interface GradedBySet {
  readonly graded: GradedPrompts;
  readonly leftOut: LeftOutOfEvaluation;
}

/**
 * Reads graded answers of the models of a set, under the set's names of them.
 *
 * @param options.models of the set
 * @param options.minCoverage a model scored on at most this share of the prompts is left out. In [0, 1)
 * @throws OutcomeDataError at the first fault of a file
 */
export async function readGradedBySet(
  files: GradedFiles,
  {
    models,
    ...options
  }: PromptFileOptions & { readonly models: readonly string[]; readonly minCoverage: number },
): Promise<GradedBySet> {
  const profiled = new Set(models);
  const [found, unknown] = [new Set<string>(), new Set<string>()];
  const known = (name: string): string => {
    found.add(name);
    return name;
  };
  const { incomplete, ...graded } = await readGradedPrompts(files, {
    ...options,
    rename: (name, { effort, modelSource }) => {
      if (profiled.has(name)) return known(name);
      const id = catalogId(name, effort, { sourceName: modelSource });
      if (profiled.has(id)) return known(id);
      unknown.add(name);
      return null;
    },
  });
  return {
    graded,
    leftOut: {
      ...incomplete,
      unknownModels: [...unknown].sort(),
      ungradedModels: models.filter((model) => !found.has(model)).sort(),
    },
  };
}
