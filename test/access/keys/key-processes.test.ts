/** Processes that create keys in one data folder at once. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { KeyFile } from "../../../src/access/keys/key-file.js";

const SCRIPT = fileURLToPath(new URL("creating-process.ts", import.meta.url));

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sextant-key-processes-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** @returns the ids of the keys that it created before it was killed, after so many */
async function createUntilKilled(count: number): Promise<string[]> {
  const child = spawn(process.execPath, ["--import", "tsx", SCRIPT, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const ids: string[] = [];
  for await (const id of createInterface({ input: child.stdout })) {
    ids.push(id);
    if (ids.length === count) child.kill("SIGKILL");
  }
  await exited;
  return ids;
}

it("keys that several processes created are all there, whenever the processes were killed", async () => {
  // One ends early, most likely with the lock: the others go on when its lock is too old to be a living one's.
  const created = (await Promise.all([3, 12, 20].map(createUntilKilled))).flat();
  expect(created.length).toBeGreaterThanOrEqual(3 + 12 + 20);
  const { keys } = await new KeyFile(folder).read();
  const ids = keys.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(created));
  // A process may have been killed between writing a key and saying so.
  expect(ids.length).toBeLessThanOrEqual(created.length + 3);
  expect(readdirSync(folder)).toContain("keys.json");
});
