import { ExplainedError } from "../foundation/errors.js";

/** What was asked of the workbench cannot be done. The message says what is wrong, with which value, and what to do. */
export class WorkbenchError extends ExplainedError {
  override readonly name = "WorkbenchError";
}

/** An option has a value that cannot be used: the message names its field, as `field`. */
export class OptionError extends WorkbenchError {}
