import { systemTimers, type Timers } from "../../../foundation/timers.js";
import type {
  AnswerTo,
  ArgumentOf,
  ExportSelection,
  QueryOptions,
  QuestionName,
  StoreHealth,
  TraceAnswers,
  TraceStore,
} from "../store.js";
import type { Feedback, Trace } from "../trace.js";
import { causes } from "./causes.js";
import { addressOf, ClickHouseClient } from "./client.js";
import { Connection } from "./connection.js";
import { asQueryError, asStoreDown, ClickHouseSilence, closed, tookTooLong } from "./fault.js";
import { keepFeedback } from "./feedback.js";
import { lastFailures } from "./last-failures.js";
import { exportBatches, list, sampleBatches } from "./pages.js";
import { find, QuerySession } from "./queries.js";
import { values } from "./recent-values.js";
import { removeBefore } from "./removal.js";
import { prepareTables, type Tables, tablesIn } from "./schema.js";
import { feedback, series, stats } from "./statistics.js";
import { Writer } from "./writer.js";

/** Longest time for one try to add traces, in milliseconds (a guess). */
const INSERT_TIMEOUT_MS = 10_000;

/** A server that works answers the least of questions in that time, whatever it is doing (a guess). */
const PING_TIMEOUT_MS = 3000;

/** The memory that reading an answer takes is many times its length (guess). */
const ANSWER_SHARE = 1 / 8;

export interface ClickHouseStoreOptions {
  /** Longest time for one query, and for each batch of an export, in milliseconds. */
  readonly queryTimeoutMs: number;
  /** Most memory of one query, of which its answer may take an eighth. */
  readonly memoryBytes: number;
  readonly insertTimeoutMs?: number;
  readonly timers?: Timers;
}

/**
 * Keeps traces in ClickHouse 24.8 or newer, which any number of instances may share. They need a database in which they may create
 * tables; it is created if it is missing and the user may do so.
 *
 * Returns at once and connects in the background; calls wait for the connection. While the server cannot be used, they reject with
 * `store_down`, each after its own try.
 *
 * @param url such as `http://user:password@host:8123/database`; its secrets appear in no message
 */
export function openClickHouseStore(url: string, options: ClickHouseStoreOptions): TraceStore {
  return new ClickHouseStore(url, options);
}

const ANSWERS: TraceAnswers<QuerySession> = {
  list,
  find,
  stats,
  feedback,
  series,
  causes,
  lastFailures,
  values,
};

class ClickHouseStore implements TraceStore {
  readonly #client: ClickHouseClient;
  readonly #tables: Tables;
  readonly #writer: Writer;
  readonly #connection: Connection;
  readonly #options: ClickHouseStoreOptions;
  readonly #timers: Timers;
  readonly #ending = new AbortController();
  readonly #appends = new Set<Promise<void>>();
  #closing: Promise<void> | undefined;

  constructor(url: string, options: ClickHouseStoreOptions) {
    const address = addressOf(url);
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#client = new ClickHouseClient(address, {
      maxAnswerBytes: options.memoryBytes * ANSWER_SHARE,
      timers: this.#timers,
    });
    this.#tables = tablesIn(address.database);
    this.#writer = new Writer({
      client: this.#client,
      tables: this.#tables,
      timeoutMs: options.insertTimeoutMs ?? INSERT_TIMEOUT_MS,
      timers: this.#timers,
    });
    this.#connection = new Connection({
      open: () => prepareTables(this.#client, this.#tables, this.#ending.signal),
      ping: () => this.#client.ping({ timeoutMs: PING_TIMEOUT_MS }),
      timers: this.#timers,
    });
  }

  append(traces: readonly Trace[]): Promise<void> {
    return this.#append(traces, "all");
  }

  appendMissing(traces: readonly Trace[]): Promise<void> {
    return this.#append(traces, "missing");
  }

  ask<Name extends QuestionName>(
    name: Name,
    argument: ArgumentOf<Name>,
    { scope, signal }: QueryOptions,
  ): Promise<AnswerTo<Name>> {
    const answer: TraceAnswers<QuerySession>[Name] = ANSWERS[name];
    return this.#query(signal, (session) => answer(session, argument, { scope }));
  }

  keepFeedback(requestId: string, feedback: Feedback, { scope, signal }: QueryOptions): Promise<boolean> {
    return this.#query(signal, (session) => keepFeedback(session, { requestId, feedback, scope }));
  }

  export(
    { filter, most }: ExportSelection,
    { scope, signal }: QueryOptions,
  ): AsyncGenerator<readonly Trace[]> {
    return this.#read(signal, (session) =>
      most === undefined
        ? exportBatches(session, { filter, scope })
        : sampleBatches(session, { filter, scope, most }),
    );
  }

  /** Each batch has the time of a query. */
  async *#read(
    signal: AbortSignal | undefined,
    batchesOf: (session: QuerySession) => AsyncGenerator<readonly Trace[]>,
  ): AsyncGenerator<readonly Trace[]> {
    const session = this.#session(signal);
    const batches = batchesOf(session);
    for (;;) {
      const batch = await this.#inTime(session, () => batches.next());
      if (batch.done === true) return;
      yield batch.value;
    }
  }

  removeBefore(ms: number, options?: { readonly signal?: AbortSignal }): Promise<number> {
    const session = this.#session(options?.signal);
    return this.#use(options?.signal, () => removeBefore(session, { ms, timers: this.#timers }));
  }

  health(): StoreHealth {
    return this.#connection.health();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const disconnected = this.#connection.close();
    this.#ending.abort(closed());
    await Promise.allSettled([disconnected, ...this.#appends]);
    await this.#client.close();
  }

  async #append(traces: readonly Trace[], only: "all" | "missing"): Promise<void> {
    const append = this.#connection.use(() => this.#writer.add(traces, only));
    this.#appends.add(append);
    try {
      await append;
    } catch (error) {
      throw asStoreDown(error);
    } finally {
      this.#appends.delete(append);
    }
  }

  #query<Result>(
    signal: AbortSignal | undefined,
    run: (session: QuerySession) => Promise<Result>,
  ): Promise<Result> {
    const session = this.#session(signal);
    return this.#inTime(session, () => run(session));
  }

  /** Runs one query of one caller within its time limit. */
  async #inTime<Result>(session: QuerySession, task: () => Promise<Result>): Promise<Result> {
    const { queryTimeoutMs } = this.#options;
    const { limit, signal } = session.options;
    const stop = this.#timers.after(queryTimeoutMs, () => limit.abort(new ClickHouseSilence(queryTimeoutMs)));
    try {
      return await this.#use(signal, task);
    } catch (error) {
      throw limit.signal.aborted && signal?.reason === limit.signal.reason ? tookTooLong() : error;
    } finally {
      stop();
    }
  }

  async #use<Result>(signal: AbortSignal | undefined, task: () => Promise<Result>): Promise<Result> {
    signal?.throwIfAborted();
    try {
      return await this.#connection.use(task, signal);
    } catch (error) {
      throw asQueryError(error);
    }
  }

  #session(signal: AbortSignal | undefined): QuerySession {
    const limit = new AbortController();
    const signals = [this.#ending.signal, limit.signal, ...(signal === undefined ? [] : [signal])];
    return new QuerySession(this.#client, this.#tables, {
      timeoutMs: this.#options.queryTimeoutMs,
      limit,
      signal: AbortSignal.any(signals),
    });
  }
}
