/**
 * Files of the layouts from 3 on that Sextant has written: their statements, and traces as each version wrote them.
 * Attempts had no message before layout 4, prompts were one text before layout 6.
 */

import type { Connection, Parameter } from "../../../../src/gateway/traces/duckdb/database.js";
import type { Attempt, Trace } from "../../../../src/gateway/traces/trace.js";
import { promptText } from "../../../../src/gateway/traces/trace-messages.js";

export interface EarlierLayout {
  readonly name: string;
  /** Makes the tables in an empty file and adds the traces. */
  readonly write: (connection: Connection, traces: readonly Trace[]) => Promise<void>;
}

type Column = string | number | boolean | Date | null | readonly number[];

async function insert(connection: Connection, table: string, columns: readonly Column[]): Promise<void> {
  const parameters: Parameter[] = [];
  const values = columns.map((value) => {
    if (typeof value === "string" || value instanceof Date) return `$${parameters.push(value)}`;
    return Array.isArray(value) ? `[${value.join(", ")}]::BIGINT[]` : String(value);
  });
  await connection.rows(`INSERT INTO ${table} VALUES (${values.join(", ")})`, parameters);
}

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
const input = ({ content }: Trace): string | null => content && promptText(content.input);
const output = ({ content }: Trace): string | null => content?.output ?? null;
const withoutMessage = ({ message: _, ...attempt }: Attempt) => attempt;

const LONG = 16_384;

const THIRD = (reasoning: string) => `
  CREATE TABLE sextant_schema (version BIGINT NOT NULL);
  CREATE TABLE traces (
    request_id VARCHAR NOT NULL, created_at TIMESTAMP NOT NULL, kind VARCHAR NOT NULL, status VARCHAR NOT NULL,
    model VARCHAR, provider VARCHAR, source VARCHAR NOT NULL, principal VARCHAR NOT NULL, streamed BOOLEAN NOT NULL,
    finish_reason VARCHAR, tokens_in BIGINT, tokens_out BIGINT, cost_usd DOUBLE, latency_ms DOUBLE NOT NULL, ttft_ms DOUBLE,
    error_code VARCHAR, error_message VARCHAR, metadata JSON NOT NULL, usage JSON, attempts JSON NOT NULL,
    routing JSON USING COMPRESSION zstd, input_bytes BIGINT, output_bytes BIGINT,
    input_text VARCHAR USING COMPRESSION zstd, output_text VARCHAR USING COMPRESSION zstd${reasoning}
  );
  CREATE TABLE long_texts (
    request_id VARCHAR NOT NULL, created_at TIMESTAMP NOT NULL, field VARCHAR NOT NULL, part BIGINT NOT NULL,
    text VARCHAR NOT NULL USING COMPRESSION zstd, following VARCHAR NOT NULL USING COMPRESSION zstd
  )`;
const FOURTH = `
  CREATE TABLE feedback (request_id VARCHAR NOT NULL, created_at TIMESTAMP NOT NULL, score DOUBLE NOT NULL,
    comment VARCHAR, given_at TIMESTAMP NOT NULL)`;
const FIFTH = ", reasoning_bytes BIGINT, reasoning_text VARCHAR USING COMPRESSION zstd";

const SIXTH = `, context_bytes BIGINT, context_text VARCHAR USING COMPRESSION zstd, messages_bytes BIGINT,
    messages JSON USING COMPRESSION zstd`;
const SEVENTH = ", tool_loop VARCHAR, tool_loop_figures JSON";
const ADDED = { 3: "", 4: "", 5: FIFTH, 6: `${FIFTH}${SIXTH}`, 7: `${FIFTH}${SIXTH}${SEVENTH}` } as const;

const typed = (version: keyof typeof ADDED): EarlierLayout => ({
  name: String(version),
  async write(connection, traces) {
    await connection.run([THIRD(ADDED[version]), ...(version > 3 ? [FOURTH] : [])].join("; "));
    await connection.run(`INSERT INTO sextant_schema VALUES (${version})`);
    for (const trace of traces) {
      const { requestId, createdAtMs, usage, error, attempts } = trace;
      const [prompt, answer] = [input(trace), output(trace)];
      const bytes = (text: string | null) => (text === null ? null : Buffer.byteLength(text));
      await insert(connection, "traces", [
        ...[
          requestId,
          new Date(createdAtMs),
          trace.kind,
          trace.status,
          trace.model,
          trace.provider,
          trace.source,
        ],
        ...[trace.principal, trace.streamed, trace.finishReason, usage?.prompt_tokens ?? null],
        ...[usage?.completion_tokens ?? null, usage?.total_cost_usd ?? null, trace.latencyMs, trace.ttftMs],
        ...[error?.code ?? null, error?.message ?? null, wellFormed(trace.metadata), wellFormed(usage)],
        ...[wellFormed(version === 3 ? attempts.map(withoutMessage) : attempts), wellFormed(trace.routing)],
        ...[bytes(prompt), bytes(answer), beginningOf(prompt), beginningOf(answer)],
        // The columns that were added to layout 3.
        ...Array.from(ADDED[version].matchAll(/,\s+\w+ (?:BIGINT|VARCHAR|JSON)/g), () => null),
      ]);
      for (const [field, text] of [["input_text", prompt] as const, ["output_text", answer] as const]) {
        for (const [part, [piece, following]] of partsOf(text).entries())
          await insert(connection, "long_texts", [
            requestId,
            new Date(createdAtMs),
            field,
            part,
            piece,
            following,
          ]);
      }
    }
  },
});

/** These versions replaced half a surrogate pair already. */
const wellFormed = (value: unknown): string | null =>
  json(value)?.replace(/\\ud[0-9a-f]{3}/g, "\ufffd") ?? null;

function partsOf(text: string | null): readonly (readonly [string, string])[] {
  if (text === null || Buffer.byteLength(text) <= LONG) return [];
  const parts = text.match(/.{1,4096}/gsu) ?? [];
  return parts.map((part, at) => [part, (parts[at + 1] ?? "").slice(0, 1024)]);
}

const beginningOf = (text: string | null): string | null => partsOf(text)[0]?.[0] ?? text;

export const EARLIER_LAYOUTS: readonly EarlierLayout[] = ([3, 4, 5, 6, 7] as const).map(typed);
