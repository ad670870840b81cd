/** Processes that create keys in one data folder at once. */
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, type onTestFinished } from "vitest";
import { openKeyRing } from "../../../../src/compose/keys.js";
import { KeyFile } from "../../../../src/gateway/access/keys/key-file.js";
import { linesUntilKilled } from "../../../support/killed-process.js";

/** Writes the id of each key that it created. */
const SCRIPT = new URL("creating-process.ts", import.meta.url);

function createFolder(finished: typeof onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "sextant-key-processes-"));
  finished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// Side by side: the second waits for a lock to be too old to be that of a living process in another container.
it.concurrent("keys that several processes created are all there, whenever the processes were killed", async ({
  onTestFinished,
}) => {
  const folder = createFolder(onTestFinished);
  // One ends early, most likely with the lock: the others go on at once.
  const created = (
    await Promise.all([3, 12, 20].map((count) => linesUntilKilled(SCRIPT, { argv: [folder], after: count })))
  ).flat();
  expect(created.length).toBeGreaterThanOrEqual(3 + 12 + 20);
  const { keys } = await new KeyFile(folder).read();
  const ids = keys.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(created));
  // A process may have been killed between writing a key and saying so.
  expect(ids.length).toBeLessThanOrEqual(created.length + 3);
  expect(readdirSync(folder)).toContain("keys.json");
});

it.concurrent("a key is created although two processes died with the lock, one after the other", async ({
  onTestFinished,
}) => {
  const folder = createFolder(onTestFinished);
  // The second, in another container, took the lock when the first one's was too old, eight seconds from now.
  const lock = join(folder, "keys.json.lock-left");
  const taken = new Date(Date.now() + 8_000);
  writeFileSync(lock, "");
  utimesSync(lock, taken, taken);
  const ring = await openKeyRing({ dataDir: folder });
  const { metadata } = await ring.create({ name: "app", scopes: ["inference"] });
  expect((await new KeyFile(folder).read()).keys.map(({ id }) => id)).toEqual([metadata.id]);
});
