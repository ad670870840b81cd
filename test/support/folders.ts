import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

const create = (): string => mkdtempSync(join(tmpdir(), "sextant-test-"));
const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });

/** A new empty folder, removed after the test and its `afterEach`. To be called in a test or a `beforeEach`. */
export function folderForTest(): string {
  const folder = create();
  onTestFinished(() => remove(folder));
  return folder;
}

/** A new empty folder, removed after all tests of the file or `describe` in which this is called, outside of tests and hooks. */
export function folderForTests(): string {
  const folder = create();
  afterAll(() => remove(folder));
  return folder;
}
