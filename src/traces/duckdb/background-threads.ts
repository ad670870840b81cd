import { readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { Turns } from "../turns.js";

const TRIES = 3;

export interface BackgroundOptions {
  /** Threads while there is work in the background. */
  readonly count: number;
  /** Threads while there is none, the one that asks included. */
  readonly usual: number;
  /** Has the library run so many threads, the one that asks included. Ends those that are too many, whichever these are. */
  readonly setThreads: (threads: number) => Promise<void>;
  /** Ids of the threads of this process; none where the system does not tell. */
  readonly threadIds?: () => readonly number[];
  /** Gives a thread less of the processor, for ever: whoever may lower a priority may not raise it again. */
  readonly lower?: (threadId: number) => void;
}

/**
 * Threads of the library that get what others leave of the processors, where the system can do that (Linux).
 *
 * They live only while they have work: the library gives them parts of everything that goes on, and an append or a page would
 * have to wait until a slow thread is done with its part.
 */
export class BackgroundThreads {
  readonly #options: Required<BackgroundOptions>;
  readonly #turns = new Turns();
  #users = 0;
  #running = false;

  constructor(options: BackgroundOptions) {
    this.#options = { threadIds: ownThreadIds, lower: lowerPriority, ...options };
  }

  /** Runs the task while they are there. */
  async during<Result>(task: () => Promise<Result>): Promise<Result> {
    this.#users += 1;
    try {
      await this.#turns.take(() => this.#start());
      return await task();
    } finally {
      this.#users -= 1;
      await this.#turns.take(() => this.#stopIfUnused());
    }
  }

  /** They are known by having appeared: when others appear too, it is tried again, so that nobody else is slowed down. */
  async #start(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    const { count, setThreads, threadIds, lower } = this.#options;
    for (let tried = 1; tried <= TRIES; tried++) {
      await setThreads(1);
      const before = new Set(threadIds());
      await setThreads(1 + count);
      const started = threadIds().filter((id) => !before.has(id));
      if (started.length === count) return started.forEach(lower);
      if (started.length === 0) return;
    }
  }

  async #stopIfUnused(): Promise<void> {
    if (this.#users > 0 || !this.#running) return;
    this.#running = false;
    // Those of low priority must be gone before others of the usual priority come.
    await this.#options.setThreads(1);
    await this.#options.setThreads(this.#options.usual);
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
