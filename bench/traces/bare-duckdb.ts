import { join } from "node:path";
import {
  BIGINT,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBTimestampValue,
  type DuckDBType,
  type DuckDBValue,
  TIMESTAMP,
  VARCHAR,
} from "@duckdb/node-api";
import type { Trace } from "../../src/traces/trace.js";

const CHUNK = 2048;

interface Column {
  readonly name: string;
  readonly type: DuckDBType;
  readonly valueIn: (trace: Trace) => DuckDBValue;
}

const varchar = (name: string, valueIn: (trace: Trace) => string | null): Column => ({
  name,
  type: VARCHAR,
  valueIn,
});

/** What a trace holds, in the plainest form. It does not follow the store's schema: a reference must stay as it is. */
const COLUMNS: readonly Column[] = [
  varchar("request_id", ({ requestId }) => requestId),
  {
    name: "created_at",
    type: TIMESTAMP,
    valueIn: ({ createdAtMs }) => new DuckDBTimestampValue(BigInt(createdAtMs) * 1000n),
  },
  varchar("kind", ({ kind }) => kind),
  varchar("status", ({ status }) => status),
  varchar("model", ({ model }) => model),
  varchar("provider", ({ provider }) => provider),
  varchar("source", ({ source }) => source),
  varchar("principal", ({ principal }) => principal),
  { name: "latency_ms", type: DOUBLE, valueIn: ({ latencyMs }) => latencyMs },
  {
    name: "tokens",
    type: BIGINT,
    valueIn: ({ usage }) => (usage === null ? null : BigInt(usage.total_tokens)),
  },
  { name: "cost_usd", type: DOUBLE, valueIn: ({ usage }) => usage?.total_cost_usd ?? null },
  varchar("metadata", ({ metadata }) => JSON.stringify(metadata)),
  varchar("usage", ({ usage }) => JSON.stringify(usage)),
  varchar("attempts", ({ attempts }) => JSON.stringify(attempts)),
  varchar("routing", ({ routing }) => (routing === null ? null : JSON.stringify(routing))),
  varchar("input_text", ({ content }) => content?.input ?? null),
  varchar("output_text", ({ content }) => content?.output ?? null),
];

/** The library without the store around it, with its own settings: what speeds are to be compared with. */
export class BareDuckDb {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(folder: string): Promise<BareDuckDb> {
    const instance = await DuckDBInstance.create(join(folder, "bare.duckdb"));
    const connection = await instance.connect();
    const types = COLUMNS.map(({ name, type }) => `${name} ${type}`).join(", ");
    await connection.run(`CREATE TABLE bare (${types})`);
    return new BareDuckDb(instance, connection);
  }

  /**
   * Appends the traces laps over, 2,048 at a time, each of them committed.
   *
   * @returns rows a second, without the time in which traces become columns
   */
  async append(traces: readonly Trace[], laps: number): Promise<number> {
    const types = COLUMNS.map(({ type }) => type);
    const chunks: DuckDBValue[][][] = [];
    for (let from = 0; from < traces.length; from += CHUNK) {
      const part = traces.slice(from, from + CHUNK);
      chunks.push(COLUMNS.map(({ valueIn }) => part.map(valueIn)));
    }
    const appender = await this.#connection.createAppender("bare");
    const started = performance.now();
    for (let lap = 0; lap < laps; lap++) {
      for (const columns of chunks) {
        const chunk = DuckDBDataChunk.create(types, columns[0]?.length ?? 0);
        chunk.setColumns(columns);
        appender.appendDataChunk(chunk);
        appender.flushSync();
      }
    }
    const seconds = (performance.now() - started) / 1000;
    appender.closeSync();
    await this.#connection.run("CHECKPOINT");
    return (laps * traces.length) / seconds;
  }

  /** Milliseconds to count the rows of one source, which reads a whole column. */
  async timeCount(source: string): Promise<number> {
    const started = performance.now();
    await this.#connection.runAndReadAll("SELECT count(*) FROM bare WHERE source = $1", [source]);
    return performance.now() - started;
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}
