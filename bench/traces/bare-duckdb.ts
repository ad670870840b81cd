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
import type { Trace } from "../../src/gateway/traces/trace.js";
import { inputText } from "../../src/gateway/traces/traced-message.js";

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

/**
 * The columns of a trace in the simplest form. Independent of the store's schema, so that the reference does not change
 * with it.
 */
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
  varchar("input_text", ({ content }) => content && inputText(content.input)),
  varchar("output_text", ({ content }) => content?.output ?? null),
];

/** How often the sample is appended, one lap after the other. */
const LAPS = 5;

/** The bare library with its default settings: the reference for speeds. */
export class BareDuckDb {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  /** Columns of each chunk. */
  readonly #chunks: readonly (readonly DuckDBValue[][])[];
  /** That one `append` adds. */
  readonly rows: number;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection, sample: readonly Trace[]) {
    this.#instance = instance;
    this.#connection = connection;
    this.#chunks = chunksOf(sample);
    this.rows = LAPS * sample.length;
  }

  /** A file in that folder with one lot of rows, made of the sample. */
  static async open(folder: string, sample: readonly Trace[]): Promise<BareDuckDb> {
    const instance = await DuckDBInstance.create(join(folder, "bare.duckdb"));
    const bare = new BareDuckDb(instance, await instance.connect(), sample);
    await bare.append();
    return bare;
  }

  /**
   * Appends that many rows to an empty table, 2,048 at a time, each of them committed, and works the log in.
   *
   * @returns rows a second, working the log in not counted
   */
  async append(): Promise<number> {
    const columns = COLUMNS.map(({ name, type }) => `${name} ${type}`).join(", ");
    await this.#connection.run(`CREATE OR REPLACE TABLE bare (${columns})`);
    const types = COLUMNS.map(({ type }) => type);
    const appender = await this.#connection.createAppender("bare");
    const started = performance.now();
    for (let lap = 0; lap < LAPS; lap++) {
      for (const values of this.#chunks) {
        const chunk = DuckDBDataChunk.create(types, values[0]?.length ?? 0);
        chunk.setColumns(values);
        appender.appendDataChunk(chunk);
        appender.flushSync();
      }
    }
    const seconds = (performance.now() - started) / 1000;
    appender.closeSync();
    await this.#connection.run("CHECKPOINT");
    return this.rows / seconds;
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

function chunksOf(traces: readonly Trace[]): DuckDBValue[][][] {
  const chunks: DuckDBValue[][][] = [];
  for (let from = 0; from < traces.length; from += CHUNK) {
    const part = traces.slice(from, from + CHUNK);
    chunks.push(COLUMNS.map(({ valueIn }) => part.map(valueIn)));
  }
  return chunks;
}
