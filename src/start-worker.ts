import { Worker } from "node:worker_threads";

/**
 * Starts a worker thread. Where the caller itself runs uncompiled (tests), the worker does too, through the development tool
 * that compiles on the way.
 *
 * @param entry path of its module below `src`, without extension: one of the entry points of `vite.package.config.ts`
 */
export function startWorkerThread(entry: string, workerData: unknown): Worker {
  if (!import.meta.url.endsWith(".ts"))
    return new Worker(new URL(`./${entry}.js`, import.meta.url), { workerData });
  const source = JSON.stringify(new URL(`./${entry}.ts`, import.meta.url).href);
  const code = `import("tsx/esm/api").then(({ register }) => { register(); return import(${source}); });`;
  return new Worker(code, { eval: true, workerData });
}
