/** A file of layout 3, the oldest that is upgraded, as its version wrote traces: prompts as one text, attempts without messages. */

import type { Connection, Parameter } from "../../../../src/gateway/traces/duckdb/database.js";
import type { Trace } from "../../../../src/gateway/traces/trace.js";
import { promptText } from "../../../../src/gateway/traces/trace-messages.js";

const TABLES = `
  CREATE TABLE sextant_schema (version BIGINT NOT NULL);
  INSERT INTO sextant_schema VALUES (3);
  CREATE TABLE traces (
    request_id VARCHAR NOT NULL, created_at TIMESTAMP NOT NULL, kind VARCHAR NOT NULL, status VARCHAR NOT NULL,
    model VARCHAR, provider VARCHAR, source VARCHAR NOT NULL, principal VARCHAR NOT NULL, streamed BOOLEAN NOT NULL,
    finish_reason VARCHAR, tokens_in BIGINT, tokens_out BIGINT, cost_usd DOUBLE, latency_ms DOUBLE NOT NULL, ttft_ms DOUBLE,
    error_code VARCHAR, error_message VARCHAR, metadata JSON NOT NULL, usage JSON, attempts JSON NOT NULL,
    routing JSON USING COMPRESSION zstd, input_bytes BIGINT, output_bytes BIGINT,
    input_text VARCHAR USING COMPRESSION zstd, output_text VARCHAR USING COMPRESSION zstd
  );
  CREATE TABLE long_texts (
    request_id VARCHAR NOT NULL, created_at TIMESTAMP NOT NULL, field VARCHAR NOT NULL, part BIGINT NOT NULL,
    text VARCHAR NOT NULL USING COMPRESSION zstd, following VARCHAR NOT NULL USING COMPRESSION zstd
  )`;

/** @param columns in their order */
async function insert(
  connection: Connection,
  columns: readonly (string | number | boolean | Date | null | undefined)[],
): Promise<void> {
  const parameters: Parameter[] = [];
  const values = columns.map((value) =>
    typeof value === "string" || value instanceof Date ? `$${parameters.push(value)}` : String(value ?? null),
  );
  await connection.rows(`INSERT INTO traces VALUES (${values.join(", ")})`, parameters);
}

/** Half a surrogate pair was replaced already. */
const json = (value: unknown): string | null =>
  value === null ? null : JSON.stringify(value).replace(/\\ud[0-9a-f]{3}/g, "\ufffd");

/** Makes the tables in an empty file and adds the traces, of which no text may be long. */
export async function writeThirdLayout(connection: Connection, traces: readonly Trace[]): Promise<void> {
  await connection.run(TABLES);
  for (const trace of traces) {
    const { requestId, usage, error, content } = trace;
    const createdAt = new Date(trace.createdAtMs);
    const texts = [content && promptText(content.input), content?.output ?? null];
    await insert(connection, [
      ...[requestId, createdAt, trace.kind, trace.status, trace.model, trace.provider, trace.source],
      ...[trace.principal, trace.streamed, trace.finishReason, usage?.prompt_tokens],
      ...[usage?.completion_tokens, usage?.total_cost_usd, trace.latencyMs, trace.ttftMs],
      ...[error?.code, error?.message, json(trace.metadata), json(usage)],
      ...[json(trace.attempts.map(({ message: _, ...attempt }) => attempt)), json(trace.routing)],
      ...texts.map((text) => (text === null ? null : Buffer.byteLength(text))),
      ...texts,
    ]);
  }
}
