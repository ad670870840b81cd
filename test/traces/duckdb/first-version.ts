import { Database } from "../../../src/traces/duckdb/database.js";
import { metadataHash } from "../../../src/traces/duckdb/metadata-hash.js";
import { MIGRATIONS, migrate } from "../../../src/traces/duckdb/schema.js";
import { timeOfRequestId } from "../../../src/traces/request-time.js";
import type { Trace } from "../../../src/traces/trace.js";

const LONG = 16_384;

/** Writes a file as the first version did. */
export async function writeFirstVersion(path: string, traces: readonly Trace[]): Promise<void> {
  const database = await Database.open(path, {
    threads: 1,
    memoryBytes: 2 ** 28,
    scratchDir: `${path}.tmp`,
  });
  const connection = await database.connect();
  await migrate(connection, MIGRATIONS.slice(0, 1));
  await connection.run("BEGIN");
  for (const trace of traces) {
    const texts: string[] = [];
    const value = (text: string | null | undefined): string => {
      if (text === null || text === undefined) return "NULL";
      texts.push(text);
      return `$${texts.length}`;
    };
    const json = (of: object | null): string => value(of === null ? null : JSON.stringify(of));
    const { usage, error, content, metadata } = trace;
    const hashes = Object.entries(metadata).map(([key, each]) => metadataHash(key, String(each)));
    const short = (text: string | undefined) =>
      value(text !== undefined && text.length <= LONG ? text : null);
    const long = (text: string | undefined) => value(text !== undefined && text.length > LONG ? text : null);
    const row = [
      value(trace.requestId),
      timeOfRequestId(trace.requestId),
      `make_timestamp(${trace.createdAtMs} * 1000)`,
      value(trace.kind),
      value(trace.status),
      value(trace.model),
      value(trace.provider),
      value(trace.source),
      value(trace.principal),
      trace.streamed,
      trace.latencyMs,
      trace.ttftMs ?? "NULL",
      value(trace.finishReason),
      usage?.prompt_tokens ?? "NULL",
      usage?.completion_tokens ?? "NULL",
      usage?.total_cost_usd ?? "NULL",
      value(error?.code),
      value(error?.message),
      json(metadata),
      `[${hashes.join(", ")}]::BIGINT[]`,
      json(usage),
      json(trace.attempts),
      json(trace.routing),
      short(content?.input),
      short(content?.output),
      long(content?.input),
      long(content?.output),
    ];
    await connection.rows(`INSERT INTO traces VALUES (${row.join(", ")})`, texts);
  }
  await connection.run("COMMIT");
  connection.close();
  database.close();
}
