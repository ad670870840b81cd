import { Worker } from "node:worker_threads";
import type { ModelSource } from "./messages.js";

/**
 * Starts the worker thread on a model: the compiled file beside this one. Where this file itself runs uncompiled (tests),
 * the worker does too, through the development tool that compiles on the way.
 */
export function startWorker(source: ModelSource): Worker {
  if (!import.meta.url.endsWith(".ts"))
    return new Worker(new URL("./worker.js", import.meta.url), { workerData: source });
  const entry = JSON.stringify(new URL("./worker.ts", import.meta.url).href);
  const code = `import("tsx/esm/api").then(({ register }) => { register(); return import(${entry}); });`;
  return new Worker(code, { eval: true, workerData: source });
}
