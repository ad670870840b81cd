import { ExplainedError } from "../foundation/errors.js";

/**
 * An embedding model that cannot be opened: a file is missing, broken or asks for something we do not do. The message says
 * which file, what was found and what is expected.
 */
export class EmbedderLoadError extends ExplainedError {
  override readonly name = "EmbedderLoadError";
}
