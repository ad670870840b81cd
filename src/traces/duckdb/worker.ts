/** The worker thread: opens the file, then answers the store's questions until it is told to close. */
import { dirname, sep } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import type { FaultKind, FromWorker, ToWorker, WorkerOptions } from "./messages.js";
import { reasonOf, UnusableFile } from "./open-failure.js";
import { Abandoned } from "./query-lane.js";
import type { TraceBlock } from "./trace-block.js";
import { TraceDesk } from "./trace-desk.js";
import { LostFile, TraceFile } from "./trace-file.js";

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
  listen(new TraceDesk(await TraceFile.open(options)));
  send({ kind: "ready" });
} catch (error) {
  send({ kind: "unusable", reason: reasonFor(error) });
  port.close();
}

function listen(desk: TraceDesk): void {
  let collected: { batch: number; blocks: TraceBlock[] } = { batch: -1, blocks: [] };
  port?.on("message", (message: ToWorker) => {
    if (message.kind === "block") {
      if (collected.batch !== message.batch) collected = { batch: message.batch, blocks: [] };
      collected.blocks.push(message.block);
    } else if (message.kind === "ask") {
      const { request, question } = message;
      const blocks = question.kind === "append" ? collected.blocks : [];
      if (question.kind === "append") collected = { batch: -1, blocks: [] };
      desk.answer(request, question, blocks).then(
        (value) => send({ kind: "answer", request, value }),
        (error: unknown) => sendFault(request, error),
      );
    } else if (message.kind === "abort") {
      desk.abandon(message.request);
    } else {
      void desk.close().finally(() => port.close());
    }
  });
}

function sendFault(request: number, error: unknown): void {
  if (error instanceof Abandoned) return;
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
