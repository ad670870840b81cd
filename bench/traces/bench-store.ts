import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { loadSettings } from "../../src/gateway/settings/load-settings.js";
import { openTraceStore } from "../../src/gateway/traces/open-traces.js";
import type { TraceStore } from "../../src/gateway/traces/store.js";

/** Opens a trace store with a gateway's default settings. */
export const openStore = (dataDir: string): TraceStore =>
  openTraceStore(loadSettings({ SEXTANT_DATA_DIR: dataDir }, { workingDirectory: dataDir }));

/** Bytes of all files in a folder and below. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map((file) => sizeOf(join(file.parentPath, file.name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** 0 for a file that is gone, such as a lock: a server may use the folder. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return 0;
    throw error;
  }
}
