import { describe, expect, it } from "vitest";
import { traceBody } from "../../../../../src/gateway/api/traces/trace.js";
import { TraceTable } from "../../../../../src/gateway/server/traces/export/trace-table.js";
import type { Trace } from "../../../../../src/gateway/traces/trace.js";
import { routedTrace, said } from "../../../traces/trace-for-test.js";
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
