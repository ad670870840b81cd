import { ExplainedError } from "../../foundation/errors.js";

/** A model that cannot be added or dropped as requested; the message names the option, its value and the remedy. */
export class PlacementError extends ExplainedError {
  override readonly name = "PlacementError";
}
