import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { ClickHouseClient as Driver } from "@clickhouse/client";
import type { Timers } from "../../../foundation/timers.js";
import { ClickHouseSilence, faultOf } from "./fault.js";
import { type Sql, sql } from "./sql.js";

/** Address of a ClickHouse server, credentials and database. */
export interface Address {
  /** Without user, password, path and query. */
  readonly endpoint: string;
  /** Empty when the URL has no user: the server's own default. */
  readonly username: string;
  readonly password: string;
  readonly database: string;
}

const DEFAULT_DATABASE = "default";

/** Takes a URL such as `http://user:password@host:8123/database` apart. */
export function addressOf(url: string): Address {
  const { protocol, host, pathname, username, password } = new URL(url);
  const database = decodeURIComponent(pathname.replace(/^\/+|\/+$/g, ""));
  return {
    endpoint: `${protocol}//${host}`,
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: database === "" ? DEFAULT_DATABASE : database,
  };
}

/** A row by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

export interface Rows {
  readonly rows: readonly Row[];
}

export interface QueryRequest {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Query id at the server; default a new one. */
  readonly queryId?: string;
}

export interface ClientOptions {
  /** The server refuses a longer answer with error 396. */
  readonly maxAnswerBytes: number;
  readonly timers: Timers;
}

const KILL_TIMEOUT_MS = 5000;
/** Longer queries are refused by the server: a list of a few thousand ids, or a long text, fits. */
const MAX_QUERY_BYTES = 16 * 1024 * 1024;
/** Added to `timeoutMs` for the server's own limit, so that this side times out first and can report the reason. */
const SERVER_LIMIT_EXTRA_S = 1;
/** Questions that are asked at the same time; further ones wait (a guess). */
const MOST_CONNECTIONS = 100;
/** The driver's own time limit must never be the first. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/**
 * Asks one ClickHouse server by the vendor's client, each question within its own time. Rejects with ClickHouseFault, or with
 * the signal's reason; the query is then ended on the server too.
 */
export class ClickHouseClient {
  readonly #address: Address;
  readonly #options: ClientOptions;
  readonly #endings = new Set<Promise<void>>();
  #driver: Promise<Driver> | undefined;

  constructor(address: Address, options: ClientOptions) {
    this.#address = address;
    this.#options = options;
  }

  /** Reads: the server refuses whatever would change something. */
  query(query: Sql, options: QueryRequest): Promise<Rows> {
    return this.#request(options, async (driver, request) => {
      const result = await driver.query({
        ...request,
        query: query.text,
        format: "JSON",
        clickhouse_settings: {
          readonly: "2",
          output_format_json_quote_64bit_integers: 0,
          max_query_size: String(MAX_QUERY_BYTES),
          max_execution_time: Math.ceil(options.timeoutMs / 1000) + SERVER_LIMIT_EXTRA_S,
          max_result_bytes: String(Math.floor(this.#options.maxAnswerBytes)),
          result_overflow_mode: "throw",
          // A failure is then the whole answer, not the end of one that began well.
          wait_end_of_query: 1,
        },
      });
      const { data } = await result.json<Row>();
      return { rows: data };
    });
  }

  /** Changes something, and has done so when it resolves. */
  command(command: Sql, options: QueryRequest): Promise<void> {
    return this.#request(options, async (driver, request) => {
      await driver.command({ ...request, query: command.text });
    });
  }

  /** @param statement ends in `FORMAT JSONEachRow` @param lines a JSON object each */
  insert(statement: Sql, lines: readonly string[], options: QueryRequest): Promise<void> {
    return this.#request(options, async (driver, request) => {
      const values = Readable.from(
        lines.map((line) => `${line}\n`),
        { objectMode: false },
      );
      const { stream } = await driver.exec({ ...request, query: statement.text, values });
      await finished(stream.resume());
    });
  }

  /** Resolves when the server answers a question. */
  async ping(options: QueryRequest): Promise<void> {
    await this.query(sql`SELECT 1`, options);
  }

  /** Ends a query, if it is still going on, and resolves when it has ended. Rejects as everything does. */
  async kill(queryId: string): Promise<void> {
    await this.command(sql`KILL QUERY WHERE query_id = ${queryId} SYNC`, { timeoutMs: KILL_TIMEOUT_MS });
  }

  /** Resolves when every cancelled query has ended on the server. */
  async close(): Promise<void> {
    await Promise.all(this.#endings);
    await (await this.#driver?.catch(() => undefined))?.close();
  }

  async #request<Result>(
    { timeoutMs, signal, queryId = randomUUID() }: QueryRequest,
    ask: (
      driver: Driver,
      request: { readonly query_id: string; readonly abort_signal: AbortSignal },
    ) => Promise<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted();
    const limit = new AbortController();
    const stop = this.#options.timers.after(timeoutMs, () => limit.abort(new ClickHouseSilence(timeoutMs)));
    const either = signal === undefined ? limit.signal : AbortSignal.any([limit.signal, signal]);
    try {
      this.#driver ??= this.#connect().catch((fault: unknown) => {
        this.#driver = undefined;
        throw fault;
      });
      return await ask(await this.#driver, { query_id: queryId, abort_signal: either });
    } catch (error) {
      if (!either.aborted) throw faultOf(error);
      this.#endLater(queryId);
      throw either.reason;
    } finally {
      stop();
    }
  }

  /** Loads the driver: most servers keep their traces elsewhere. */
  async #connect(): Promise<Driver> {
    const { createClient, ClickHouseLogLevel } = await import("@clickhouse/client");
    const { endpoint, username, password } = this.#address;
    return createClient({
      url: endpoint,
      ...(username !== "" && { username }),
      ...(password !== "" && { password }),
      application: "sextant",
      request_timeout: NO_LIMIT_MS,
      max_open_connections: MOST_CONNECTIONS,
      // It would log queries, and so prompts.
      log: { level: ClickHouseLogLevel.OFF },
    });
  }

  /** Needed because a server goes on with a query whose connection was closed. */
  #endLater(queryId: string): void {
    const ending = this.kill(queryId)
      .catch(() => {})
      .finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }
}
