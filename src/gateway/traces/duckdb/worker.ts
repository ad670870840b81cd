/** The worker thread that keeps the file of traces open. */
import { systemTimers } from "../../../foundation/timers.js";
import { serveThread } from "../../../foundation/workers/thread-entry.js";
import { RequestHandler } from "./request-handler.js";
import { TraceFile } from "./trace-file.js";
import type { TraceFileApi, TraceFileOptions } from "./trace-file-api.js";

await serveThread<TraceFileApi, TraceFileOptions>(async (options) => {
  const handler = new RequestHandler(await TraceFile.open(options), systemTimers);
  return { methods: handler.methods, close: () => handler.close() };
});
