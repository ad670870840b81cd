/** The worker thread: opens the file, then answers the store's requests until `close`. */
import { dirname, sep } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { reasonOf, UnusableFile } from "./open-failure.js";
import { Cancelled } from "./query-queue.js";
import { RequestHandler } from "./request-handler.js";
import type { AppendedRows } from "./rows.js";
import { LostFile, TraceFile } from "./trace-file.js";
import type { FaultKind, FromWorker, ToWorker, WorkerOptions } from "./trace-file-api.js";

const port = parentPort;
if (port === null) throw new Error("this file is the entry of a worker thread");
const options = workerData as WorkerOptions;
const FOLDER = dirname(options.path) + sep;
const send = (message: FromWorker): void => port.postMessage(message);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What went wrong, without the folder: it may be shown to clients. */
const reasonFor = (error: unknown): string =>
  (error instanceof UnusableFile ? error.message : reasonOf(messageOf(error))).replaceAll(FOLDER, "");

try {
  const file = await TraceFile.open(options);
  listen(new RequestHandler(file));
  send({ kind: "ready", loss: file.loss });
} catch (error) {
  send({ kind: "unusable", reason: reasonFor(error) });
  port.close();
}

function listen(handler: RequestHandler): void {
  let collected: { batch: number; rows: AppendedRows[] } = { batch: -1, rows: [] };
  port?.on("message", (message: ToWorker) => {
    if (message.kind === "rows") {
      // A batch of which no append came was given up.
      if (collected.batch !== message.batch) collected = { batch: message.batch, rows: [] };
      collected.rows.push(message.rows);
    } else if (message.kind === "ask") {
      const { request, question } = message;
      const { rows } = collected;
      if (question.kind === "append") collected = { batch: -1, rows: [] };
      handler.answer(request, question, rows).then(
        (value) => send({ kind: "answer", request, value }),
        (error: unknown) => sendFault(request, error),
      );
    } else if (message.kind === "cancel") {
      handler.cancel(message.request);
    } else {
      void handler.close().finally(() => port.close());
    }
  });
}

function sendFault(request: number, error: unknown): void {
  if (error instanceof Cancelled) return;
  const fault = faultOf(error);
  send({ kind: "fault", request, fault, reason: reasonFor(error) });
  // The library will do nothing more with this file; the store starts anew.
  if (fault === "broken") port?.close();
}

function faultOf(error: unknown): FaultKind {
  if (error instanceof LostFile) return "broken";
  const message = messageOf(error);
  if (/out of memory/i.test(message)) return "busy";
  return /fatal error|has been invalidated/i.test(message) ? "broken" : "failed";
}
