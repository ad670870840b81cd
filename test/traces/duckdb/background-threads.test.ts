import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startInBackground } from "../../../src/traces/duckdb/background-threads.js";
import { Database } from "../../../src/traces/duckdb/database.js";

/** A process that starts two threads when it is told to; others may start at the same moment. */
class FakeProcess {
  readonly lowered: number[] = [];
  #ids = [1, 2, 3];
  #own: number[] = [];
  #next = 4;
  starts = 0;

  constructor(readonly others: readonly number[]) {}

  readonly count = 2;
  readonly threadIds = () => [...this.#ids];
  readonly lower = (id: number) => void this.lowered.push(id);
  readonly start = async () => {
    const others = this.others[this.starts++] ?? 0;
    const ids = Array.from({ length: this.count + others }, () => this.#next++);
    this.#own = ids.slice(0, this.count);
    this.#ids.push(...ids);
  };
  readonly stop = async () => {
    this.#ids = this.#ids.filter((id) => !this.#own.includes(id));
  };
}

describe("threads in the background", () => {
  it("are those that appeared, and get a low priority", async () => {
    const process = new FakeProcess([]);
    await startInBackground(process);
    expect(process.lowered).toEqual([4, 5]);
  });

  it("are started anew when others appeared with them", async () => {
    const process = new FakeProcess([1]);
    await startInBackground(process);
    expect(process.lowered).toEqual([7, 8]);
    expect(process.threadIds()).toEqual([1, 2, 3, 6, 7, 8]);
  });

  it("have the priority of all when others appear with them every time", async () => {
    const process = new FakeProcess([1, 1, 1, 1]);
    await startInBackground(process);
    expect(process.lowered).toEqual([]);
    expect(process.starts).toBe(3);
  });

  it("have the priority of all where the system does not tell about threads", async () => {
    const process = new FakeProcess([]);
    await startInBackground({ ...process, threadIds: () => [] });
    expect(process.lowered).toEqual([]);
    expect(process.starts).toBe(1);
  });

  it.runIf(process.platform === "linux")("are all that a database starts for its queries", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sextant-threads-"));
    const options = { threads: 3, memoryBytes: 2 ** 28, scratchDir: join(folder, "tmp") };
    const database = await Database.open(join(folder, "a.duckdb"), options);
    expect(threadsOfLowPriority()).toBe(3);
    database.close();
    expect(threadsOfLowPriority()).toBe(0);
    rmSync(folder, { recursive: true, force: true });
  });
});

function threadsOfLowPriority(): number {
  const priorities = readdirSync("/proc/self/task").map((id) => {
    const [, fields = ""] = readFileSync(`/proc/self/task/${id}/stat`, "utf8").split(") ");
    // From the third field of proc(5) on; the nineteenth is the priority.
    return Number(fields.split(" ")[16]);
  });
  return priorities.filter((priority) => priority === constants.priority.PRIORITY_BELOW_NORMAL).length;
}
