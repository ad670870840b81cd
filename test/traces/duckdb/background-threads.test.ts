import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { platform } from "node:process";
import { describe, expect, it } from "vitest";
import { BackgroundThreads } from "../../../src/traces/duckdb/background-threads.js";
import { Database } from "../../../src/traces/duckdb/database.js";
import { interruptUntil } from "../../../src/traces/duckdb/interrupting.js";
import { until } from "../until.js";

/** A process whose library can be told how many threads to run; other threads may appear at the same moment. */
class FakeProcess {
  readonly count = 2;
  readonly usual = 2;
  readonly asked: number[] = [];
  readonly lowered: number[] = [];
  readonly #others: number[];
  #ids = [1];
  #own: number[] = [];
  #next = 2;

  /** @param others threads of somebody else that appear when the library starts threads, each time */
  constructor(others: readonly number[] = []) {
    this.#others = [...others];
  }

  readonly threadIds = (): readonly number[] => [...this.#ids];
  readonly lower = (id: number): void => void this.lowered.push(id);
  readonly setThreads = async (threads: number): Promise<void> => {
    this.asked.push(threads);
    if (threads === 1) {
      this.#ids = this.#ids.filter((id) => !this.#own.includes(id));
      this.#own = [];
      return;
    }
    while (this.#own.length < threads - 1) this.#own.push(this.#next++);
    const others = Array.from({ length: this.#others.shift() ?? 0 }, () => this.#next++);
    this.#ids = [...new Set([...this.#ids, ...this.#own, ...others])];
  };
}

describe("threads in the background", () => {
  it("are those that appear for a task, and get a low priority", async () => {
    const process = new FakeProcess();
    const threads = new BackgroundThreads(process);
    expect(await threads.during(async () => process.threadIds())).toEqual([1, 2, 3]);
    expect(process.lowered).toEqual([2, 3]);
  });

  it("are gone after it, before those of the usual priority come", async () => {
    const process = new FakeProcess();
    await new BackgroundThreads(process).during(async () => {});
    expect(process.asked).toEqual([1, 3, 1, 2]);
    expect(process.threadIds()).toEqual([1, 4]);
  });

  it("stay until the last of several tasks is over, failed or not", async () => {
    const process = new FakeProcess();
    const threads = new BackgroundThreads(process);
    let endFirst = () => {};
    const first = threads.during(() => new Promise<void>((resolve) => (endFirst = resolve)));
    const second = threads.during(() => Promise.reject(new Error("no such column")));
    await expect(second).rejects.toThrow("no such column");
    expect(process.asked).toEqual([1, 3]);
    endFirst();
    await first;
    expect(process.asked).toEqual([1, 3, 1, 2]);
  });

  it("are started anew when others appeared with them", async () => {
    const process = new FakeProcess([1]);
    const there = await new BackgroundThreads(process).during(async () => process.threadIds());
    expect(there).toEqual([1, 4, 5, 6]);
    expect(process.lowered).toEqual([5, 6]);
  });

  it("have the priority of all when others appear with them every time", async () => {
    const process = new FakeProcess([1, 1, 1, 1]);
    await new BackgroundThreads(process).during(async () => {});
    expect(process.lowered).toEqual([]);
  });

  it("have the priority of all where the system does not tell about threads", async () => {
    const process = new FakeProcess();
    await new BackgroundThreads({ ...process, threadIds: () => [] }).during(async () => {});
    expect(process.lowered).toEqual([]);
    expect(process.asked).toEqual([1, 3, 1, 2]);
  });

  it.runIf(platform === "linux")("do what a database has to do in the background", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sextant-threads-"));
    const options = { threads: 3, memoryBytes: 2 ** 28, scratchDir: join(folder, "tmp") };
    const database = await Database.open(join(folder, "a.duckdb"), options);
    const connection = await database.connect("in the background");
    let isOver = false;
    const rows = connection
      .rows("SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE a.range + b.range < 0")
      .finally(() => {
        isOver = true;
      });
    await until(() => threadsOfLowPriority() === 3);
    interruptUntil(
      () => isOver,
      () => connection.interrupt(),
    );
    await expect(rows).rejects.toThrow(/interrupt/i);
    expect(threadsOfLowPriority()).toBe(0);
    expect(await connection.rows("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    connection.close();
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });
});

function threadsOfLowPriority(): number {
  return readdirSync("/proc/self/task")
    .map(priorityOf)
    .filter((priority) => priority === LOW).length;
}

const LOW = constants.priority.PRIORITY_BELOW_NORMAL;

/** Undefined when the thread has just ended. */
function priorityOf(threadId: string): number | undefined {
  try {
    const [, fields = ""] = readFileSync(`/proc/self/task/${threadId}/stat`, "utf8").split(") ");
    // The nineteenth field of proc(5); those after the name begin with the third.
    return Number(fields.split(" ")[16]);
  } catch {
    return undefined;
  }
}
