import type { Worker } from "node:worker_threads";
import { startWorkerThread } from "../../workers/start-worker.js";
import type { ModelSource } from "./embedding-api.js";

/** Starts the worker thread on a model. */
export function startWorker(source: ModelSource): Worker {
  return startWorkerThread("embedding/transformers/worker", source);
}
