/** Traces as Parquet, as hyparquet reads it. */
import type { Worker } from "node:worker_threads";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startWorkerThread } from "../../../../../src/foundation/workers/worker-thread.js";
import { type TraceBody, traceBody } from "../../../../../src/gateway/api/traces/trace.js";
import { parquetExport } from "../../../../../src/gateway/server/traces/export/formats.js";
import { TRACE_COLUMNS } from "../../../../../src/gateway/server/traces/export/trace-columns.js";
import { TraceTable } from "../../../../../src/gateway/server/traces/export/trace-table.js";
import type { Trace } from "../../../../../src/gateway/traces/trace.js";
import { anyTraces } from "../../../traces/arbitrary-traces.js";
import { failedTrace, HOSTILE, routedTrace, said, traceWith } from "../../../traces/trace-for-test.js";
import { type ReadRow, readByHyparquet } from "./read-parquet.js";

const bodyOf = (trace: Trace) => traceBody(trace, (id) => (id === "key_1" ? "Ada's app" : undefined));

/** The file of these traces, which are added so many at a time. */
function fileOf(traces: readonly Trace[], size = 1000): Uint8Array {
  const table = new TraceTable();
  const pieces = [table.begin()];
  for (let from = 0; from < traces.length; from += size)
    pieces.push(...table.add(traces.slice(from, from + size).map(bodyOf)));
  return Buffer.concat([...pieces, ...table.end()]);
}

const rowsOf = async (traces: readonly Trace[], size?: number) =>
  (await readByHyparquet(fileOf(traces, size))).rows;

/** What the columns of the table have for a trace, as it is read; half surrogate pairs are U+FFFD. */
const expectedRow = (trace: Trace): ReadRow =>
  Object.fromEntries(
    TRACE_COLUMNS.map(({ name, type, valueIn }) => {
      const value = valueIn(bodyOf(trace));
      if (type === "timestamp") return [name, new Date(Number(value))];
      if (type === "int64") return [name, value === null ? null : BigInt(value)];
      return [name, typeof value === "string" ? Buffer.from(value).toString() : value];
    }),
  );

const withoutNulls = (row: ReadRow): ReadRow =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));

async function expectToRead(traces: readonly Trace[], size?: number): Promise<void> {
  const rows = await rowsOf(traces, size);
  expect(rows.map(withoutNulls)).toEqual(traces.map(expectedRow).map(withoutNulls));
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

  it("restores any traces and texts, however they are divided into batches", async () => {
    const hostile = HOSTILE.map((text) =>
      traceWith({ model: text, metadata: { [text]: text }, content: { input: said(text), output: text } }),
    );
    await expectToRead(hostile);
    await fc.assert(fc.asyncProperty(anyTraces, fc.integer({ min: 1, max: 7 }), expectToRead), {
      numRuns: 10,
    });
  });

  it("replaces half a surrogate pair by U+FFFD, in texts and in JSON", async () => {
    const half = "a\ud800b\\\udfff";
    const bytes = fileOf([traceWith({ metadata: { half }, content: { input: said(half), output: half } })]);
    const { rows } = await readByHyparquet(bytes);
    expect(rows[0]).toMatchObject({
      output_text: "a\ufffdb\\\ufffd",
      metadata: '{"half":"a\ufffdb\\\\\ufffd"}',
    });
  });

  it("has text columns only where some text was stored, and is a table without rows when no trace matches", async () => {
    const without = [traceWith({ content: null }), failedTrace({ content: null })];
    for (const row of await rowsOf(without)) {
      expect(Object.keys(row)).not.toContain("input_text");
      expect(Object.keys(row)).not.toContain("messages");
    }
    const [first] = await rowsOf([...without, traceWith({ content: { input: "", output: "" } })]);
    expect(first).toMatchObject({ input_text: null, output_text: null });
    const { rows, metadata } = await readByHyparquet(fileOf([]));
    expect([rows, metadata.schema[1]?.name]).toEqual([[], "request_id"]);
  });

  it("keeps the texts of prompts and answers out of the footer", async () => {
    const content = { input: said("a secret prompt"), output: "an answer" };
    const { metadata } = await readByHyparquet(fileOf([traceWith({ content })]));
    const statistics = metadata.row_groups.flatMap(({ columns }) =>
      columns.map(({ meta_data }) => JSON.stringify(meta_data?.statistics ?? {}, bigintsAsText)),
    );
    expect(statistics.join()).toContain("gpt-4o-mini");
    expect(statistics.join()).not.toMatch(/secret|answer|acme/);
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

  it("fails when its thread ends, and when the traces cannot be read", async () => {
    const worker = start();
    async function* ending() {
      yield [bodyOf(traceWith())];
      await worker.terminate();
      yield [bodyOf(traceWith())];
    }
    const ended = "The thread that writes Parquet ended with exit code 1";
    await expect(consumed(parquetExport(ending(), () => worker))).rejects.toThrow(ended);
    async function* failing() {
      yield [bodyOf(traceWith())];
      throw new Error("The disk is gone.");
    }
    await expect(consumed(parquetExport(failing()))).rejects.toThrow("The disk is gone.");
  });
});

async function consumed(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _piece of pieces);
}

const start = (): Worker => startWorkerThread("gateway/server/traces/export/parquet-worker", undefined);

const bigintsAsText = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
