/** Traces as Parquet, as DuckDB and hyparquet read it. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Worker } from "node:worker_threads";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startWorkerThread } from "../../../../../src/foundation/workers/worker-thread.js";
import { type TraceBody, traceBody } from "../../../../../src/gateway/api/traces/trace.js";
import { parquetExport } from "../../../../../src/gateway/server/traces/export/formats.js";
import { TraceTable } from "../../../../../src/gateway/server/traces/export/trace-table.js";
import type { Trace } from "../../../../../src/gateway/traces/trace.js";
import { inputText } from "../../../../../src/gateway/traces/traced-message.js";
import { anyTraces } from "../../../traces/arbitrary-traces.js";
import {
  failedTrace,
  HOSTILE,
  NOON,
  routedTrace,
  said,
  traceWith,
  USAGE,
} from "../../../traces/trace-for-test.js";
import { type ReadRow, readByDuckDb, readByHyparquet } from "./read-parquet.js";

const bodyOf = (trace: Trace) => traceBody(trace, (id) => (id === "key_1" ? "Ada's app" : undefined));

async function* batchesOf(traces: readonly Trace[], size = 1000): AsyncGenerator<readonly TraceBody[]> {
  for (let from = 0; from < traces.length; from += size) yield traces.slice(from, from + size).map(bodyOf);
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

const fileOf = (traces: readonly Trace[], size?: number) => bytesOf(parquetExport(batchesOf(traces, size)));

/** The trace of a row, with half surrogate pairs as U+FFFD. */
const asRow = (trace: Trace): ReadRow => {
  const {
    error,
    content,
    usage,
    feedback,
    api_key: key,
    savings,
    ...body
  } = { ...bodyOf(trace), content: trace.content };
  return {
    ...body,
    created_at: trace.createdAtMs,
    tool_loop: body.tool_loop?.state ?? null,
    tool_loop_figures: body.tool_loop,
    tokens_in: body.tokens_in,
    baseline_model: savings?.baseline_model ?? null,
    baseline_cost_usd: savings?.baseline_cost_usd ?? null,
    saved_usd: savings?.saved_usd ?? null,
    api_key_id: key?.id ?? null,
    api_key_name: key?.name ?? null,
    error_code: error?.code ?? null,
    error_message: error?.message ?? null,
    feedback_score: feedback?.score ?? null,
    feedback_comment: feedback?.comment ?? null,
    usage,
    input_text: content && inputText(content.input),
    messages: content === null || typeof content.input === "string" ? null : content.input,
    output_text: content?.output ?? null,
    reasoning_text: content?.reasoning ?? null,
  };
};

/** A row as it was read, with JSON parsed and whole numbers as numbers. */
function parsed(row: ReadRow): ReadRow {
  const { metadata, usage, attempts, routing, created_at } = row;
  const { input_text = null, messages = null, output_text = null, reasoning_text = null } = row;
  const json = (text: unknown) => (text === null ? null : JSON.parse(String(text)));
  return {
    ...row,
    created_at: created_at instanceof Date ? created_at.getTime() : Number(created_at) / 1000,
    tokens_in: row.tokens_in === null ? null : Number(row.tokens_in),
    tokens_out: row.tokens_out === null ? null : Number(row.tokens_out),
    metadata: json(metadata),
    usage: json(usage),
    attempts: json(attempts),
    tool_loop_figures: json(row.tool_loop_figures),
    routing: json(routing),
    messages: json(messages),
    input_text,
    output_text,
    reasoning_text,
  };
}

async function expectToRead(traces: readonly Trace[], bytes: Uint8Array): Promise<void> {
  const expected = traces.map(asRow);
  expect((await readByHyparquet(bytes)).rows.map(parsed)).toEqual(expected);
  expect((await readByDuckDb(bytes)).rows.map(parsed)).toEqual(expected);
}

describe("The Parquet export of traces", () => {
  it("has typed columns, which DuckDB and hyparquet read", async () => {
    const content = { input: said("What is 2 + 2?"), output: "4", reasoning: "Two and two." };
    const traces = [traceWith(), failedTrace(), routedTrace({ content })];
    const bytes = await fileOf(traces);
    await expectToRead(traces, bytes);
    expect((await readByDuckDb(bytes)).types).toEqual({
      request_id: "VARCHAR",
      created_at: "TIMESTAMP WITH TIME ZONE",
      kind: "VARCHAR",
      status: "VARCHAR",
      source: "VARCHAR",
      api_key_id: "VARCHAR",
      api_key_name: "VARCHAR",
      model: "VARCHAR",
      provider: "VARCHAR",
      effort: "VARCHAR",
      tokens_in: "BIGINT",
      tokens_out: "BIGINT",
      cost_usd: "DOUBLE",
      latency_ms: "DOUBLE",
      ttft_ms: "DOUBLE",
      finish_reason: "VARCHAR",
      error_code: "VARCHAR",
      error_message: "VARCHAR",
      metadata: "VARCHAR",
      usage: "VARCHAR",
      attempts: "VARCHAR",
      tool_loop: "VARCHAR",
      tool_loop_figures: "VARCHAR",
      baseline_model: "VARCHAR",
      baseline_cost_usd: "DOUBLE",
      saved_usd: "DOUBLE",
      routing: "VARCHAR",
      feedback_score: "DOUBLE",
      feedback_comment: "VARCHAR",
      input_text: "VARCHAR",
      messages: "VARCHAR",
      output_text: "VARCHAR",
      reasoning_text: "VARCHAR",
    });
    const [request, created] = (await readByHyparquet(bytes)).metadata.schema.slice(1);
    expect(request).toMatchObject({ repetition_type: "REQUIRED", logical_type: { type: "STRING" } });
    expect(created?.logical_type).toEqual({ type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" });
  });

  it("restores any traces, however they are divided into batches", async () => {
    await fc.assert(
      fc.asyncProperty(anyTraces, fc.integer({ min: 1, max: 7 }), async (traces, size) => {
        const table = new TraceTable();
        const pieces = [table.begin()];
        for await (const batch of batchesOf(traces, size)) pieces.push(...table.add(batch));
        await expectToRead(traces, Buffer.concat([...pieces, ...table.end()]));
      }),
      { numRuns: 20 },
    );
  });

  it("keeps hostile texts of any length in every field", async () => {
    const texts = [...HOSTILE, "🦜".repeat(300_000), "\\ud800 is no escape"];
    const traces = texts.map((text) =>
      traceWith({
        model: text,
        source: text,
        finishReason: text,
        error: { code: "upstream_error", message: text },
        metadata: { [text]: text },
        content: { input: [{ role: "system", content: text }, ...said(text)], output: text },
      }),
    );
    await expectToRead(traces, await fileOf(traces));
  });

  it("replaces half a surrogate pair by U+FFFD, in texts and in JSON", async () => {
    const half = "a\ud800b\\\udfff";
    const whole = "a\ufffdb\\\ufffd";
    const of = (text: string) =>
      traceWith({
        requestId: "req_x",
        metadata: { [text]: text },
        content: { input: said(text), output: text },
      });
    const bytes = await fileOf([of(half)]);
    await expectToRead([of(whole)], bytes);
    expect(Buffer.from(bytes).includes("\\ud")).toBe(false);
  });

  it("has no text columns when no text was stored, and null where only some were", async () => {
    const without = [traceWith({ content: null }), failedTrace({ content: null })];
    const { types, rows } = await readByDuckDb(await fileOf(without));
    expect(Object.keys(types)).not.toContain("input_text");
    expect(Object.keys(types)).not.toContain("output_text");
    expect(Object.keys(types)).not.toContain("messages");
    expect(rows).toHaveLength(2);
    await expectToRead(without, await fileOf(without));
    const mixed = [...without, traceWith({ content: { input: "", output: "" } })];
    await expectToRead(mixed, await fileOf(mixed));
  });

  it("is a table without rows when no trace matches", async () => {
    const bytes = await fileOf([]);
    expect((await readByHyparquet(bytes)).rows).toEqual([]);
    const { types, rows } = await readByDuckDb(bytes);
    expect(rows).toEqual([]);
    expect(Object.keys(types)).toContain("request_id");
  });

  it("rounds fractional token counts, and writes invalid ones as null", async () => {
    const counted = (prompt_tokens: number) => traceWith({ usage: { ...USAGE, prompt_tokens } });
    const bytes = await fileOf([counted(2.6), counted(1e300), counted(Number.MAX_SAFE_INTEGER)]);
    const { rows } = await readByDuckDb(bytes);
    expect(rows.map(({ tokens_in }) => tokens_in)).toEqual([3n, null, BigInt(Number.MAX_SAFE_INTEGER)]);
  });

  it("keeps the texts of prompts and answers out of the footer", async () => {
    const bytes = await fileOf([
      traceWith({ content: { input: said("a secret prompt"), output: "an answer" } }),
    ]);
    const { metadata } = await readByHyparquet(bytes);
    const statistics = metadata.row_groups.flatMap(({ columns }) =>
      columns.map(({ meta_data }) => JSON.stringify(meta_data?.statistics ?? {}, bigintsAsText)),
    );
    expect(statistics.join()).toContain("gpt-4o-mini");
    expect(statistics.join()).not.toMatch(/secret|answer|acme/);
  });
});

describe("A long Parquet export", () => {
  it("is written row group by row group, limited by rows and by the length of the texts", async () => {
    const many = Array.from({ length: 20_050 }, (_, at) => failedTrace({ createdAtMs: NOON + at }));
    const byRows = await readByHyparquet(await fileOf(many));
    expect(byRows.metadata.row_groups.map(({ num_rows }) => num_rows)).toEqual([20_000n, 50n]);
    const long = Array.from({ length: 20 }, () =>
      traceWith({ content: { input: "x".repeat(1024 * 1024), output: "" } }),
    );
    const byText = await readByHyparquet(await fileOf(long, 3));
    expect(byText.metadata.row_groups.map(({ num_rows }) => num_rows)).toEqual([8n, 8n, 4n]);
    await expectToRead(long, await fileOf(long, 3));
  });

  it("stops reading while the consumer does not", async () => {
    let asked = 0;
    async function* endless(): AsyncGenerator<readonly TraceBody[]> {
      for (;;) {
        asked += 1;
        yield Array.from({ length: 4 }, () =>
          bodyOf(traceWith({ content: { input: "x".repeat(4 * 1024 * 1024), output: "" } })),
        );
      }
    }
    const pieces = parquetExport(endless());
    expect(Buffer.from((await pieces.next()).value ?? []).toString()).toBe("PAR1");
    expect(asked).toBe(0);
    await pieces.next();
    const before = asked;
    expect(before).toBeLessThanOrEqual(2);
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toBe(before);
    await pieces.next();
    await pieces.next();
    expect(asked).toBeGreaterThan(before);
    await pieces.return(undefined);
  });

  it("keeps nothing in memory that was consumed", async () => {
    async function* endless(): AsyncGenerator<readonly TraceBody[]> {
      const content = { input: "x".repeat(4 * 1024 * 1024), output: "" };
      for (;;) yield [bodyOf(traceWith({ content }))];
    }
    const pieces = parquetExport(endless());
    const taken: WeakRef<Uint8Array>[] = [];
    while (taken.length < 5) {
      const { value } = await pieces.next();
      if (value !== undefined) taken.push(new WeakRef(value));
    }
    // What is waited for may still hold the last ones; the memory of a piece is let go of a turn after it was looked at.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(taken.slice(0, 3).map((piece) => piece.deref())).toEqual([undefined, undefined, undefined]);
    await pieces.return(undefined);
  });

  it("releases the traces and its thread when it is cancelled", async () => {
    let letGo = false;
    let exited: Promise<unknown> = Promise.resolve();
    async function* endless(): AsyncGenerator<readonly TraceBody[]> {
      try {
        const content = { input: "x".repeat(4 * 1024 * 1024), output: "" };
        for (;;) yield [bodyOf(traceWith({ content }))];
      } finally {
        letGo = true;
      }
    }
    const pieces = parquetExport(endless(), () => {
      const worker = start();
      exited = new Promise((resolve) => worker.once("exit", resolve));
      return worker;
    });
    await pieces.next();
    await pieces.next();
    await pieces.return(undefined);
    await exited;
    expect(letGo).toBe(true);
  });

  it("fails when its thread ends, and when the traces cannot be read", async () => {
    const workers: Worker[] = [];
    async function* killing(): AsyncGenerator<readonly TraceBody[]> {
      yield [bodyOf(traceWith())];
      await workers[0]?.terminate();
      yield [bodyOf(traceWith())];
    }
    const killed = parquetExport(killing(), () => {
      const worker = start();
      workers.push(worker);
      return worker;
    });
    await expect(bytesOf(killed)).rejects.toThrow("The thread that writes Parquet ended with exit code 1");
    async function* failing(): AsyncGenerator<readonly TraceBody[]> {
      yield [bodyOf(traceWith())];
      throw new Error("The disk is gone.");
    }
    await expect(bytesOf(parquetExport(failing()))).rejects.toThrow("The disk is gone.");
    async function* broken(): AsyncGenerator<readonly TraceBody[]> {
      yield [{ ...bodyOf(traceWith()), created_at: "never" }];
    }
    await expect(bytesOf(parquetExport(broken()))).rejects.toThrow(/NaN|Invalid/);
  });
});

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

const start = (): Worker => startWorkerThread("gateway/server/traces/export/parquet-worker", undefined);

const bigintsAsText = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
