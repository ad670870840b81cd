import { ExplainedError } from "../foundation/errors.js";

/** What was asked of the workbench cannot be done. The message says what is wrong, with which value, and what to do. */
export class WorkbenchError extends ExplainedError {
  override readonly name = "WorkbenchError";
}

/** An option has a value that cannot be used: the message names its field, as `field`. */
export class OptionError extends WorkbenchError {}

/** A model that cannot be added or dropped as requested; the message names the option, its value and the remedy. */
export class PlacementError extends ExplainedError {
  override readonly name = "PlacementError";
}
