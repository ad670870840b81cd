/** The worker thread that makes Parquet of traces: a row group takes a tenth of a second, which no request should wait for. */
import { Transferred } from "../../../../foundation/workers/rpc-channel.js";
import { serveThread } from "../../../../foundation/workers/thread-entry.js";
import type { ParquetApi } from "./trace-table.js";
import { TraceTable } from "./trace-table.js";

await serveThread<ParquetApi>(() => {
  const table = new TraceTable();
  return {
    methods: {
      begin: () => moved([table.begin()]),
      add: (traces) => moved(table.add(traces)),
      end: () => moved(table.end()),
    },
  };
});

const moved = (bytes: readonly Uint8Array<ArrayBuffer>[]) =>
  new Transferred(
    bytes,
    bytes.map(({ buffer }) => buffer),
  );
