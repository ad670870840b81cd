import { ExplainedError } from "../../foundation/errors.js";
import { installCommand, type OptionalPackage } from "../../foundation/optional-package.js";

/**
 * An embedding model that cannot be opened: a file is missing, broken or asks for something we do not do. The message says
 * which file, what was found and what is expected.
 */
export class EmbedderLoadError extends ExplainedError {
  override readonly name = "EmbedderLoadError";
}

/** @param model the folder, file or hub id that was to be opened, as a message names it */
export function notInstalled(name: OptionalPackage, model: string): EmbedderLoadError {
  return new EmbedderLoadError(
    `${model} needs the package ${name}, which is not installed with Sextant: run \`${installCommand(name)}\` where Sextant is installed ` +
      "(with --ignore-scripts where only the npm registry can be reached). The shipped embedder does not need it.",
  );
}
