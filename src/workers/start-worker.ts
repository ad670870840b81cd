import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { PACKAGE_ROOT } from "../foundation/package.js";

/**
 * Starts a worker thread. Where the caller itself runs uncompiled (tests), the worker does too, through the development tool
 * that compiles on the way.
 *
 * @param entry path of its module below `src`, without extension: one of the entry points of `vite.package.config.ts`
 */
export function startWorkerThread(entry: string, workerData: unknown): Worker {
  if (!import.meta.url.endsWith(".ts"))
    return new Worker(join(PACKAGE_ROOT, "dist", `${entry}.js`), { workerData });
  const source = JSON.stringify(pathToFileURL(join(PACKAGE_ROOT, "src", `${entry}.ts`)).href);
  const code = `import("tsx/esm/api").then(({ register }) => { register(); return import(${source}); });`;
  return new Worker(code, { eval: true, workerData });
}
