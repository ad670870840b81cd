import { SerialQueue } from "../../../foundation/serial-queue.js";
import type { Cancel, Timers } from "../../../foundation/timers.js";
import { type RpcHandlers, Transferred } from "../../../foundation/workers/thread-messages.js";
import type { AnswerTo, ArgumentOf, QuestionName, SentQuestion, TraceAnswers } from "../store.js";
import { causes } from "./causes.js";
import type { Connection } from "./database.js";
import { lastFailures } from "./last-failures.js";
import { arrivalOf, exportPart, find, list, sampleKeys, samplePart } from "./queries.js";
import { QueryQueue } from "./query-queue.js";
import { values } from "./recent-values.js";
import type { AppendedRows } from "./rows.js";
import { feedback, series, stats } from "./statistics.js";
import type { TraceFile } from "./trace-file.js";
import type { ExportPart, TraceFileApi } from "./trace-file-api.js";

/** Between two looks at how much of the file is in memory, and at what has been freed: 40 ms each at 2,000 requests a second. */
const TIDY_EVERY_MS = 10_000;

/** A day, and the running hour. */
const QUICK_SUMS_MS = 25 * 3_600_000;

/**
 * Answers the store's questions about one file. Whatever writes is done one after the other; queries run beside it, in one
 * queue for quick ones and one for long ones, so that no search holds up a page or a look at one trace.
 */
export class RequestHandler {
  readonly #file: TraceFile;
  readonly #writes = new SerialQueue();
  readonly #quick: QueryQueue;
  readonly #long: QueryQueue;
  readonly #cancelTidying: Cancel;
  #collected: { readonly batch: number; readonly rows: AppendedRows[] } = { batch: -1, rows: [] };

  constructor(file: TraceFile, timers: Pick<Timers, "every">) {
    this.#file = file;
    this.#cancelTidying = timers.every(TIDY_EVERY_MS, () => this.#tidyMemory());
    this.#quick = new QueryQueue(() => file.connect());
    this.#long = new QueryQueue(() => file.connect());
  }

  readonly methods: RpcHandlers<TraceFileApi> = {
    opened: () => this.#file.loss,
    collect: ({ batch, rows }) => {
      if (this.#collected.batch !== batch) this.#collected = { batch, rows: [] };
      this.#collected.rows.push(rows);
    },
    append: (batch) => this.#append(batch),
    missing: (question) => this.#writes.run(() => this.#file.missing(question.requestIds, question)),
    ask: (question, { signal }) => this.#ask(question, signal),
    keepFeedback: async (given, { signal }) => {
      // The trace is looked for where no append waits for it.
      const createdAtMs = await this.#quick.run(
        (connection) => arrivalOf(connection, given.requestId, given),
        signal,
      );
      if (createdAtMs === undefined) return false;
      await this.#writes.run(() => this.#file.keepFeedback({ ...given, createdAtMs }));
      this.#checkpointLater();
      return true;
    },
    export: async (question, { signal }) =>
      transferred(await this.#long.run((connection) => exportPart(connection, question), signal)),
    sample: (question, { signal }) =>
      this.#long.run((connection) => sampleKeys(connection, question), signal),
    samplePart: async (keys, { signal }) =>
      transferred(await this.#long.run((connection) => samplePart(connection, keys), signal)),
    removeBefore: (ms, { signal }) =>
      this.#writes.run(() => {
        signal.throwIfAborted();
        return this.#file.removeBefore(ms);
      }),
  };

  /** Finishes what writes, waits for queries, which have been aborted, and gives up the file. */
  async close(): Promise<void> {
    this.#cancelTidying();
    // Appends wait last, so that a long query does not make them.
    await this.#long.pause(() => this.#quick.pause(() => this.#writes.run(async () => this.#file.close())));
  }

  #ask<Name extends QuestionName>(
    { name, argument, scope }: SentQuestion<Name>,
    signal: AbortSignal,
  ): Promise<AnswerTo<Name>> {
    const answer: TraceAnswers<Connection>[Name] = ANSWERS[name];
    const queue = isQuick(name, argument) ? this.#quick : this.#long;
    return queue.run((connection) => answer(connection, argument, { scope }), signal);
  }

  async #append(batch: number): Promise<void> {
    const rows = this.#collected.batch === batch ? this.#collected.rows : [];
    this.#collected = { batch: -1, rows: [] };
    await this.#writes.run(() => this.#file.append(rows));
    this.#checkpointLater();
  }

  /** Not part of an answer: the rows are safe already. */
  #checkpointLater(): void {
    void this.#writes.run(async () => {
      // At once, while there are no rows outside the file: evicting those writes them to the disk.
      if (await this.#file.checkpointIfDue()) await this.#evict();
    });
  }

  #tidyMemory(): void {
    void this.#writes.run(async () => {
      await this.#file.returnFreed();
      await this.#evict();
    });
  }

  /** Evicts beside nothing else: what is needed next would be read again, and for a moment there is little memory to work in. */
  async #evict(): Promise<void> {
    if (!this.#quick.isIdle || !this.#long.isIdle) return;
    const queries = this.#quick.count + this.#long.count;
    await this.#long.hold(() => this.#quick.hold(() => this.#file.evict(queries)));
  }
}

const transferred = (part: ExportPart) =>
  new Transferred(
    part,
    part.batches.map(({ buffer }) => buffer),
  );

const ANSWERS: TraceAnswers<Connection> = {
  list,
  find,
  stats,
  feedback,
  series,
  causes,
  lastFailures,
  values,
};

/** Pages and single traces, unless texts are searched, and sums of a day, which the overview asks for beside longer ones. */
function isQuick(name: QuestionName, argument: ArgumentOf<QuestionName>): boolean {
  if (name === "find") return true;
  if (name === "list") return (argument as ArgumentOf<"list">).filter.text === undefined;
  if (name !== "series") return false;
  const { filter, steps } = argument as ArgumentOf<"series">;
  return steps.percentiles === "none" && (filter.endMs ?? Infinity) - (filter.startMs ?? 0) <= QUICK_SUMS_MS;
}
