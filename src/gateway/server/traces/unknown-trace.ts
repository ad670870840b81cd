import { SextantError } from "../../../foundation/errors.js";

/** That there is no such trace, or none that the caller may use. */
export function unknownTrace(requestId: string): SextantError {
  return new SextantError(
    "trace_not_found",
    `There is no trace ${JSON.stringify(requestId.slice(0, 40))} that this key may see. Traces of refused requests are not ` +
      "kept; one of a request that has just ended can take a moment.",
  );
}
