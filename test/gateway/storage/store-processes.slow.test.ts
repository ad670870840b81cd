/** Processes that write to the store of one folder and are killed, and a disk that is full. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { SqliteStore } from "../../../src/gateway/storage/sqlite-store.js";
import { folderForTest } from "../../support/folders.js";
import { linesUntilKilled } from "../../support/killed-process.js";

const SCRIPT = new URL("writing-process.ts", import.meta.url);

it("What processes wrote at once is there after each was killed, none of it twice", async () => {
  const folder = folderForTest();
  const counts = [3, 40, 90];
  const lines = await Promise.all(counts.map((after) => linesUntilKilled(SCRIPT, { argv: [folder], after })));
  const written = lines.reduce((sum, own) => sum + own.length, 0);
  const store = new SqliteStore(folder);
  const entries = await store.entries("numbers");
  const [sum] = store.sums();
  // A process may have been killed between writing and saying so.
  for (const found of [entries.length, sum?.amount ?? 0]) {
    expect(found).toBeGreaterThanOrEqual(written);
    expect(found).toBeLessThanOrEqual(written + counts.length);
  }
  await store.close();
});

it.skipIf(process.platform !== "linux")(
  "A full disk refuses what comes then with the remedy, and loses nothing that was written",
  async () => {
    const folder = folderForTest();
    // A limit on the size of files is as good as a full disk, and needs no disk.
    const limited = `trap '' XFSZ; ulimit -S -f 1024; exec "$0" --import tsx "$@"`;
    const argv = ["-c", limited, process.execPath, fileURLToPath(SCRIPT), folder, "20000"];
    const lines = execFileSync("bash", argv, { encoding: "utf8" }).trim().split("\n");
    expect(lines.pop()).toMatch(
      /state\.db cannot be written: the disk is full, .+\. Make room, or set SEXTANT_DATA_DIR/,
    );
    expect(lines.length).toBeGreaterThan(5);
    const store = new SqliteStore(folder);
    const entries = await store.entries("numbers");
    expect(entries.map(({ value }) => Number.parseInt(value, 10)).slice(0, lines.length)).toEqual(
      lines.map(Number),
    );
    await store.append("numbers", "there is room");
    expect((await store.entries("numbers")).at(-1)?.value).toBe("there is room");
    await store.close();
  },
);
