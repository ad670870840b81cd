import { CommandFault, printedBy } from "../../foundation/printed-by.js";
import { GradingError, type LocalGrader } from "./grader.js";

export interface CommandOptions {
  /** Run by the shell. */
  readonly command: string;
  /** Default: a minute. */
  readonly timeoutMs?: number;
  /** Default: that of this process. */
  readonly workingDirectory?: string;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * Grades by a command: it reads `{"id", "model", "prompt", "answer", "reference"}` as JSON from standard input and prints a number from 0
 * to 1. One that fails, prints anything else or takes too long leaves the answer without a grade. Run once for each answer.
 */
export function commandGrader({
  command,
  timeoutMs = DEFAULT_TIMEOUT_MS,
  workingDirectory,
}: CommandOptions): LocalGrader {
  return {
    kind: "local",
    name: "command",
    async grade(answer, { signal }) {
      if (signal.aborted) throw new GradingError("grading was stopped");
      const printed = await printedBy(command, answer, { timeoutMs, signal, workingDirectory }).catch(
        asGradingError,
      );
      return readScore(printed);
    },
  };
}

function readScore(printed: string): number {
  const score = printed.trim() === "" ? Number.NaN : Number(printed);
  if (score >= 0 && score <= 1) return score;
  const shown = JSON.stringify(printed.trim().slice(0, 80));
  throw new GradingError(`the command printed ${shown}, not a number from 0 to 1`);
}

function asGradingError(fault: unknown): never {
  throw fault instanceof CommandFault ? new GradingError(fault.message) : fault;
}
