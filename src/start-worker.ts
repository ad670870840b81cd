import { Worker } from "node:worker_threads";

/**
 * Starts a worker thread on a compiled file, `new URL("./worker.js", import.meta.url)`. Where the caller itself runs
 * uncompiled (tests), the worker does too, through the development tool that compiles on the way.
 */
export function startWorkerThread(entry: URL, workerData: unknown): Worker {
  if (!import.meta.url.endsWith(".ts")) return new Worker(entry, { workerData });
  const source = JSON.stringify(entry.href.replace(/\.js$/, ".ts"));
  const code = `import("tsx/esm/api").then(({ register }) => { register(); return import(${source}); });`;
  return new Worker(code, { eval: true, workerData });
}
