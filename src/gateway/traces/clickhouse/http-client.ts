import { randomUUID } from "node:crypto";
import { replyText } from "../../../foundation/reply-text.js";
import type { Timers } from "../../../foundation/timers.js";
import { ClickHouseSilence, faultOfAnswer, faultOfConnection, isTooMuchMemory, tooLong } from "./fault.js";
import { type Sql, sql } from "./sql.js";

/** Address of a ClickHouse server, credentials and database. */
export interface Address {
  /** Without user, password, path and query. */
  readonly endpoint: string;
  /** Header `Authorization`; undefined when the URL has no user. */
  readonly authorization: string | undefined;
  readonly database: string;
}

const DEFAULT_DATABASE = "default";

/** Takes a URL such as `http://user:password@host:8123/database` apart. Its secrets are in `authorization` only. */
export function addressOf(url: string): Address {
  const { protocol, host, pathname, username, password } = new URL(url);
  const database = decodeURIComponent(pathname.replace(/^\/+|\/+$/g, ""));
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    endpoint: `${protocol}//${host}/`,
    authorization: credentials === ":" ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`,
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
  /** A longer answer is not read. */
  readonly maxAnswerBytes: number;
  readonly timers: Timers;
}

const KILL_TIMEOUT_MS = 5000;
/** Longer queries are refused by the server: a list of a few thousand ids, or a long text, fits. */
const MAX_QUERY_BYTES = 16 * 1024 * 1024;
/** Characters at the end of a broken answer in which the server says why. */
const LONGEST_MESSAGE = 10_000;
/** Added to `timeoutMs` for the server's own limit, so that this side times out first and can report the reason. */
const SERVER_LIMIT_EXTRA_S = 1;

/**
 * Speaks to one ClickHouse server over its HTTP interface, in the dialect of version 18.16 and later.
 *
 * Why not `@clickhouse/client`: docs/decisions/trace-stores.md. It uses Node's `fetch`, because nothing here is on the
 * way of a request. Rejects with ClickHouseFault, or with the signal's reason; the query is then ended on the server too.
 */
export class ClickHouseClient {
  readonly #address: Address;
  readonly #options: ClientOptions;
  readonly #endings = new Set<Promise<void>>();

  constructor(address: Address, options: ClientOptions) {
    this.#address = address;
    this.#options = options;
  }

  /** Reads: the server refuses whatever would change something. */
  async query(query: Sql, options: QueryRequest): Promise<Rows> {
    const settings = {
      readonly: "2",
      output_format_json_quote_64bit_integers: "0",
      max_query_size: String(MAX_QUERY_BYTES),
      max_execution_time: String(Math.ceil(options.timeoutMs / 1000) + SERVER_LIMIT_EXTRA_S),
    };
    const body = await this.#request(settings, `${query.text}\nFORMAT JSON`, options);
    return rowsOf(body);
  }

  /** Changes something, and has done so when it resolves. */
  async command(command: Sql, options: QueryRequest): Promise<void> {
    await this.#request({}, command.text, options);
  }

  /** Adds rows to the columns that the statement names. */
  async insert(statement: Sql, rows: Uint8Array, options: QueryRequest): Promise<void> {
    await this.#request({ query: statement.text }, rows, options);
  }

  /** Resolves when the server answers a ping. */
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
  }

  async #request(
    settings: Readonly<Record<string, string>>,
    body: string | Uint8Array,
    { timeoutMs, signal, queryId = randomUUID() }: QueryRequest,
  ): Promise<string> {
    signal?.throwIfAborted();
    const limit = new AbortController();
    const stop = this.#options.timers.after(timeoutMs, () => limit.abort(new ClickHouseSilence(timeoutMs)));
    const either = signal === undefined ? limit.signal : AbortSignal.any([limit.signal, signal]);
    try {
      return await this.#send({ ...settings, query_id: queryId }, body, either);
    } catch (error) {
      if (either.aborted || isTooMuchMemory(error)) this.#endLater(queryId);
      throw either.aborted ? either.reason : faultOfConnection(error);
    } finally {
      stop();
    }
  }

  async #send(
    parameters: Readonly<Record<string, string>>,
    body: string | Uint8Array,
    signal: AbortSignal,
  ): Promise<string> {
    const { endpoint, authorization } = this.#address;
    const answer = await fetch(`${endpoint}?${new URLSearchParams(parameters)}`, {
      method: "POST",
      body,
      signal,
      // Redirects are not followed: they would send the password to another address.
      redirect: "error",
      headers: authorization === undefined ? {} : { authorization },
    });
    const { maxAnswerBytes } = this.#options;
    const text = await replyText(answer, maxAnswerBytes);
    if (text === null) throw tooLong(maxAnswerBytes);
    if (answer.status !== 200) throw faultOfAnswer(answer.status, text);
    return text;
  }

  /** Needed because old servers go on with a query whose connection was closed. */
  #endLater(queryId: string): void {
    const ending = this.kill(queryId)
      .catch(() => {})
      .finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }
}

function rowsOf(body: string): Rows {
  try {
    const { data } = JSON.parse(body);
    return { rows: data };
  } catch {
    // The server can fail after it began to answer; its error is then inside the body.
    throw faultOfAnswer(200, /Code: \d{1,5}\b/.exec(body.slice(-LONGEST_MESSAGE))?.[0] ?? "");
  }
}
