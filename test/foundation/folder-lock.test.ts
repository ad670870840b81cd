import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { FolderInUseError, lockFolder } from "../../src/foundation/folder-lock.js";
import { FakeClock } from "../fakes/clock.js";
import { folderForTest } from "../support/folders.js";

let folder = "";
beforeEach(() => {
  folder = join(folderForTest(), "data");
});

/** Leaves the socket of a process that was killed while it had the folder. */
async function leaveSocket(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const listening = `require("node:net").createServer().listen(${JSON.stringify(join(folder, "server.sock"))},
    () => process.kill(process.pid, "SIGKILL"))`;
  const [, signal] = await once(spawn(process.execPath, ["-e", listening]), "exit");
  expect([signal, readdirSync(folder)]).toEqual(["SIGKILL", ["server.sock"]]);
}

describe("A locked folder", () => {
  it("is refused to others with its name, the process that has it, and the remedy", async () => {
    const lock = await lockFolder(folder);
    expect(lock.problem).toBeUndefined();
    await expect(lockFolder(folder)).rejects.toThrow(
      `${folder} is used by another server (process ${process.pid}), and only one can. Stop that one, or give this one another ` +
        "folder with SEXTANT_DATA_DIR.",
    );
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
    await (await lockFolder(folder)).release();
  });

  it("stays locked when its socket is removed, which is made again", async () => {
    const clock = new FakeClock();
    const lock = await lockFolder(folder, { timers: clock });
    for (let removal = 0; removal < 2; removal++) {
      rmSync(join(folder, "server.sock"));
      clock.advance(200);
      await expect.poll(() => existsSync(join(folder, "server.sock"))).toBe(true);
      await expect(lockFolder(folder)).rejects.toBeInstanceOf(FolderInUseError);
    }
    await lock.release();
    expect([readdirSync(folder), clock.waiting]).toEqual([[], 0]);
  });

  it("says when another server has it all the same, and leaves it to that one", async () => {
    const clock = new FakeClock();
    const problems: string[] = [];
    const lock = await lockFolder(folder, { timers: clock, onLost: (problem) => problems.push(problem) });
    rmSync(join(folder, "server.sock"));
    const other = await lockFolder(folder);
    clock.advance(200);
    await expect
      .poll(() => problems)
      .toEqual([expect.stringContaining(`${folder} is used by another server`)]);
    await lock.release();
    await expect(lockFolder(folder)).rejects.toBeInstanceOf(FolderInUseError);
    await other.release();
  });

  it("is free at once when the process that had it was killed", async () => {
    await leaveSocket();
    const lock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toBeInstanceOf(FolderInUseError);
    await lock.release();
  });

  it("goes to one of many that find the socket of a killed process", async () => {
    await leaveSocket();
    const locks = await Promise.allSettled(Array.from({ length: 6 }, () => lockFolder(folder)));
    const held = locks.flatMap((lock) => (lock.status === "fulfilled" ? [lock.value] : []));
    expect(held.map(({ problem }) => problem)).toEqual([undefined]);
    await held[0]?.release();
  });

  it("may have a name longer than the address of a socket", async () => {
    folder = join(folder, "long".repeat(50));
    const lock = await lockFolder(folder);
    expect(statSync(join(folder, "server.sock")).isSocket()).toBe(true);
    await expect(lockFolder(folder)).rejects.toBeInstanceOf(FolderInUseError);
    await lock.release();
    await (await lockFolder(folder)).release();
  });
});

it("A folder that cannot be locked is none, which is said", async () => {
  const file = join(folderForTest(), "file");
  writeFileSync(file, "");
  const lock = await lockFolder(join(file, "data"));
  expect(lock.problem).toContain(`${join(file, "data")} cannot be locked (ENOTDIR): make sure that no other`);
  await lock.release();
});
