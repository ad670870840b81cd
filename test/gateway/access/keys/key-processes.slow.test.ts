/** Processes that create keys in one data folder at once. */
import { expect, it } from "vitest";
import { withKeys } from "../../../../src/compose/keys.js";
import { folderForTest } from "../../../support/folders.js";
import { linesUntilKilled } from "../../../support/killed-process.js";

/** Writes the id of each key that it created. */
const SCRIPT = new URL("creating-process.ts", import.meta.url);

it("Keys that several processes created are all there, whenever the processes were killed", async () => {
  const dataDir = folderForTest();
  const created = (
    await Promise.all([3, 12, 20].map((count) => linesUntilKilled(SCRIPT, { argv: [dataDir], after: count })))
  ).flat();
  expect(created.length).toBeGreaterThanOrEqual(3 + 12 + 20);
  const ids = await withKeys({ dataDir }, (keys) => keys.list().map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(created));
  // A process may have been killed between writing a key and saying so.
  expect(ids.length).toBeLessThanOrEqual(created.length + 3);
});
