/** Traces as Parquet, as hyparquet reads it. */
import type { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { startWorkerThread } from "../../../../../src/foundation/workers/worker-thread.js";
import { type TraceBody, traceBody } from "../../../../../src/gateway/api/traces/trace.js";
import { parquetExport } from "../../../../../src/gateway/server/traces/export/formats.js";
import { TraceTable } from "../../../../../src/gateway/server/traces/export/trace-table.js";
import type { Trace } from "../../../../../src/gateway/traces/trace.js";
import { routedTrace, said, traceWith } from "../../../traces/trace-for-test.js";
import { readByHyparquet } from "./read-parquet.js";

const bodyOf = (trace: Trace) => traceBody(trace, (id) => (id === "key_1" ? "Ada's app" : undefined));

function fileOf(traces: readonly Trace[]): Uint8Array {
  const table = new TraceTable();
  return Buffer.concat([table.begin(), ...table.add(traces.map(bodyOf)), ...table.end()]);
}

describe("The Parquet export of traces", () => {
  it("has typed columns with what GET /v1/traces/{request_id} answers", async () => {
    const content = { input: said("What is 2 + 2?"), output: "4", reasoning: "Two and two." };
    const trace = routedTrace({ content, error: { code: "upstream_error", message: "No." } });
    const { rows, metadata } = await readByHyparquet(fileOf([trace]));
    const json = (value: unknown) => JSON.stringify(value);
    const body = bodyOf(trace);
    expect(rows[0]).toMatchObject({
      request_id: body.request_id,
      created_at: new Date(trace.createdAtMs),
      api_key_id: "key_1",
      api_key_name: "Ada's app",
      tokens_in: 12n,
      cost_usd: body.cost_usd,
      error_code: "upstream_error",
      error_message: "No.",
      metadata: json(body.metadata),
      usage: json(body.usage),
      routing: json(body.routing),
      input_text: "What is 2 + 2?",
      messages: json(content.input),
      output_text: "4",
      reasoning_text: "Two and two.",
    });
    const [request, created] = metadata.schema.slice(1);
    expect(request).toMatchObject({ repetition_type: "REQUIRED", logical_type: { type: "STRING" } });
    expect(created?.logical_type).toEqual({ type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" });
  });
});

describe("A long Parquet export", () => {
  const long = traceWith({ content: { input: "x".repeat(4 * 1024 * 1024), output: "" } });

  it("asks for traces only as they are taken, and lets go of them and of its thread when it is cancelled", async () => {
    let asked = 0;
    let letGo = false;
    let exited: Promise<unknown> = Promise.resolve();
    async function* endless(): AsyncGenerator<readonly TraceBody[]> {
      try {
        for (; ; asked++) yield [bodyOf(long), bodyOf(long)];
      } finally {
        letGo = true;
      }
    }
    const pieces = parquetExport(endless(), () => {
      const worker = start();
      exited = new Promise((resolve) => worker.once("exit", resolve));
      return worker;
    });
    expect(Buffer.from((await pieces.next()).value ?? []).toString()).toBe("PAR1");
    await pieces.next();
    expect(asked).toBe(1);
    await pieces.return(undefined);
    await exited;
    expect(letGo).toBe(true);
  });
});

const start = (): Worker => startWorkerThread("gateway/server/traces/export/parquet-worker", undefined);
