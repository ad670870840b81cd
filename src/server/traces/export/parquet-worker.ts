/** The worker thread that makes Parquet of traces: a row group takes a tenth of a second, which no request should wait for. */
import { parentPort } from "node:worker_threads";
import type { FromParquetWorker, ToParquetWorker } from "./parquet-api.js";
import { TraceTable } from "./trace-table.js";

const port = parentPort;
if (port === null) throw new Error("this file is the entry of a worker thread");

const table = new TraceTable();
let complete: Uint8Array[] = [table.begin()];

port.on("message", (message: ToParquetWorker) => {
  if (message.kind === "rows") {
    complete.push(...table.add(message.traces));
    return;
  }
  if (message.kind === "end") complete.push(...table.end());
  const answer: FromParquetWorker = { bytes: complete };
  port.postMessage(
    answer,
    complete.map(({ buffer }) => buffer as ArrayBuffer),
  );
  complete = [];
});
