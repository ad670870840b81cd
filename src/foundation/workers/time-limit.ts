import { Script } from "node:vm";

/** The work was ended because it took too long. */
export class TimeLimitError extends Error {
  override readonly name = "TimeLimitError";
}

/** The only way to end code that runs is to run it as a script with a limit; the script calls this. */
const scope = globalThis as typeof globalThis & { limitedWork?: () => void };
const script = new Script("limitedWork()");

/**
 * Runs code that may need longer than the age of the universe, such as a regular expression that explodes, and ends it after a time. To be
 * called in a worker thread: the thread that calls it is held up for that long. A limit costs 0.1 ms.
 *
 * @param limitMs whole milliseconds, at least 1
 * @throws TimeLimitError; what the work throws
 */
export function runWithin(limitMs: number, work: () => void): void {
  scope.limitedWork = work;
  try {
    script.runInThisContext({ timeout: limitMs });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
      throw new TimeLimitError(`it took longer than ${limitMs / 1000} s`);
    throw error;
  }
}
