import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

const ENTRY = pathToFileURL(
  fileURLToPath(new URL("../../src/foundation/workers/thread-entry.ts", import.meta.url)),
).href;

/**
 * A worker thread that serves methods as the real ones do.
 *
 * @param service JavaScript of an expression: what `serveThread` is to serve. `Transferred` is at hand
 */
export function threadServing(service: string): Worker {
  const messages = ENTRY.replace("thread-entry", "thread-messages");
  const code = `
    import("tsx/esm/api").then(async ({ register }) => {
      register();
      const { Transferred } = await import(${JSON.stringify(messages)});
      const { serveThread } = await import(${JSON.stringify(ENTRY)});
      await serveThread((options) => (${service}));
    });`;
  return new Worker(code, { eval: true });
}
