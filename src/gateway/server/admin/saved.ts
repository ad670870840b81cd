import { RedisUnavailableError, SextantError } from "../../../foundation/errors.js";
import { AccessFileError } from "../../../foundation/shared-file.js";

/** @throws SextantError `storage_unavailable`, which names the file or Redis: only administrators see it */
export function saved<Result>(change: Promise<Result>): Promise<Result> {
  return change.catch((fault) => {
    if (!(fault instanceof AccessFileError || fault instanceof RedisUnavailableError)) throw fault;
    throw new SextantError("storage_unavailable", fault.message, { cause: fault });
  });
}
