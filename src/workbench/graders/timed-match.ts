/** Matching patterns and schemas in a thread, with a time limit. */
import { RestartingThread } from "../../foundation/workers/restarting-thread.js";
import { startWorkerThread, WorkerThread } from "../../foundation/workers/worker-thread.js";
import { WorkbenchError } from "../workbench-error.js";
import { GradingError } from "./grader.js";

/** An answer, and what it is to match. */
export type MatchTask = RegexTask | SchemaTask;

export interface RegexTask {
  readonly kind: "regex";
  /** Null: the references are patterns. */
  readonly pattern: string | null;
  readonly references: readonly string[];
  readonly answer: string;
}

export interface SchemaTask {
  readonly kind: "json-schema";
  /** As JSON; one of them is to be fitted. */
  readonly schemas: readonly string[];
  readonly answer: string;
}

/** What the thread does. */
export type MatchApi = {
  /** The score from 0 to 1, or why it has no score. */
  match(question: { readonly task: MatchTask; readonly limitMs: number }): number | string;
};

export interface MatchLimits {
  /** Longest time for one answer, in milliseconds; default: 5 seconds. An answer that takes longer gets no grade. */
  readonly timeoutMs?: number;
}

/** 24 days: Node's timers take no more. */
export const MOST_TIMEOUT_MS = 2 ** 31 - 1;

/** A thousand times what the worst of useful patterns takes for an answer of some pages (guess). */
const DEFAULT_TIMEOUT_MS = 5_000;

const STOPPED = new GradingError("grading was stopped");

/** One for all graders, which the first match starts. It does not keep the process alive, and nothing that it does holds up Ctrl-C. */
const thread = new RestartingThread<MatchApi>(
  () =>
    new WorkerThread(startWorkerThread("workbench/graders/worker", undefined), {
      name: "the thread that grades",
    }),
);

/**
 * The score of an answer.
 *
 * @throws GradingError when there is no score: the match takes longer than the limit or fails, or the signal is aborted while it goes on, which ends the thread
 */
export async function timedMatch(
  task: MatchTask,
  { timeoutMs: limitMs = DEFAULT_TIMEOUT_MS, signal }: MatchLimits & { readonly signal: AbortSignal },
): Promise<number> {
  const isHeard = !signal.aborted;
  const verdict = await thread
    .running()
    .call("match", { task, limitMs }, isHeard ? signal : undefined)
    .catch((cause: unknown) => {
      if (isHeard && signal.aborted) {
        void thread.terminate(STOPPED);
        throw STOPPED;
      }
      // Another collection was stopped.
      if (cause === STOPPED) return timedMatch(task, { timeoutMs: limitMs, signal });
      throw new GradingError(`no verdict: ${cause}`, { cause });
    });
  if (typeof verdict === "number") return verdict;
  throw new GradingError(verdict);
}

/** @throws WorkbenchError when the limit is not one that a timer takes */
export function checkTimeout({ timeoutMs }: MatchLimits): void {
  if (
    timeoutMs === undefined ||
    (timeoutMs >= 1 && timeoutMs <= MOST_TIMEOUT_MS && Number.isInteger(timeoutMs))
  )
    return;
  throw new WorkbenchError(
    `\`timeoutMs\` is ${timeoutMs}, not a whole number of milliseconds from 1 to ${MOST_TIMEOUT_MS}`,
  );
}
