import { readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";

const TRIES = 3;

export interface BackgroundThreads {
  /** How many `start` starts. */
  readonly count: number;
  readonly start: () => Promise<void>;
  /** Ends them again. */
  readonly stop: () => Promise<void>;
  /** Ids of the threads of this process; none where the system does not tell. */
  readonly threadIds?: () => readonly number[];
  /** Gives a thread less of the processor, for ever: whoever may lower a priority may not raise it again. */
  readonly lower?: (threadId: number) => void;
}

/**
 * Starts threads of which the library tells nothing, and has the system give them what others leave of its processors.
 *
 * They are known by having appeared meanwhile. When others appeared too they are started anew, so that nobody else's thread
 * is slowed down. Where the system is not Linux, or is never quiet for long enough, they run like all others.
 */
export async function startInBackground({
  count,
  start,
  stop,
  threadIds = ownThreadIds,
  lower = lowerPriority,
}: BackgroundThreads): Promise<void> {
  for (let tried = 1; ; tried++) {
    const before = new Set(threadIds());
    await start();
    const started = threadIds().filter((id) => !before.has(id));
    if (started.length === count) return started.forEach(lower);
    if (started.length === 0 || tried === TRIES) return;
    await stop();
  }
}

function ownThreadIds(): number[] {
  try {
    return readdirSync("/proc/self/task").map(Number);
  } catch {
    return [];
  }
}

/** Not the lowest there is: on processors that are busy all the time, a search gets a tenth of one instead of a hundredth. */
function lowerPriority(threadId: number): void {
  try {
    // Linux knows threads by the same numbers as processes.
    setPriority(threadId, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Requests are held up more by a search then, and nothing else is amiss.
  }
}
