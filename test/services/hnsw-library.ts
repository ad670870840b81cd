import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import type { HnswLibrary } from "../../src/engine/search/hnsw-library.js";

const FOLDER = resolve("test", "services", "hnswlib");

/**
 * hnswlib-node from a lockfile of its own, installed, and so compiled, at the first call: `npm ci` of the repository works without
 * a C++ compiler. Takes Node's headers from beside the running Node where they lie there.
 */
export function installHnswLibrary(): HnswLibrary {
  const open = () => createRequire(join(FOLDER, "package.json"))("hnswlib-node") as HnswLibrary;
  if (existsSync(join(FOLDER, "node_modules", "hnswlib-node", "build", "Release", "addon.node")))
    return open();
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", ...nodeHeaders()], { cwd: FOLDER, stdio: "inherit" });
  return open();
}

/** node-gyp downloads the headers unless it is told where they are. */
function nodeHeaders(): string[] {
  const prefix = dirname(dirname(process.execPath));
  return existsSync(join(prefix, "include", "node", "node.h")) ? [`--nodedir=${prefix}`] : [];
}
