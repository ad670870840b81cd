import { SerialQueue } from "../serial-queue.js";
import type { Connection } from "./database.js";
import { arrivalOf, exportPart, find, list } from "./queries.js";
import { QueryQueue } from "./query-queue.js";
import { Removals } from "./removals.js";
import type { AppendedRows } from "./rows.js";
import { series, stats } from "./statistics.js";
import type { TraceFile } from "./trace-file.js";
import type { Answer, Question } from "./trace-file-api.js";

/**
 * Answers the store's questions about one file. Whatever writes is done one after the other; queries run beside it, in one
 * queue for quick ones and one for long ones, so that no search holds up a page or a look at one trace.
 */
export class RequestHandler {
  readonly #file: TraceFile;
  readonly #writes = new SerialQueue();
  readonly #removals: Removals;
  readonly #quick: QueryQueue;
  readonly #long: QueryQueue;

  constructor(file: TraceFile) {
    this.#file = file;
    this.#quick = new QueryQueue(() => file.connect());
    this.#long = new QueryQueue(() => file.connect());
    this.#removals = new Removals({
      file,
      write: (task) => this.#writes.run(task),
      exclusively: (task) => this.#exclusively(task),
    });
  }

  /** `rows` is what an append adds. Rejects with Cancelled or with what the library throws. */
  answer(request: number, question: Question, rows: readonly AppendedRows[]): Promise<Answer> {
    switch (question.kind) {
      case "append":
        return this.#append(rows);
      case "missing":
        return this.#writes.run(() => this.#file.missing(question.requestIds, question));
      case "list": {
        const queue = question.filter.text === undefined ? this.#quick : this.#long;
        return queue.run(request, (connection: Connection) => list(connection, question));
      }
      case "find":
        return this.#quick.run(request, (connection) => find(connection, question));
      case "keepFeedback":
        return this.#keepFeedback(request, question);
      case "stats":
        return this.#long.run(request, (connection) => stats(connection, question));
      case "series":
        return this.#long.run(request, (connection) => series(connection, question));
      case "export":
        return this.#long.run(request, (connection) => exportPart(connection, question));
      case "removeBefore":
        return this.#removals.removeBefore(request, question.ms);
    }
  }

  /** Ends what is being done for that request, if that is possible. */
  cancel(request: number): void {
    this.#quick.cancel(request);
    this.#long.cancel(request);
    this.#removals.cancel(request);
  }

  /** Finishes the appends, cancels everything else and gives up the file. */
  async close(): Promise<void> {
    this.#quick.cancelAll();
    this.#long.cancelAll();
    await this.#removals.close();
    await this.#exclusively(async () => this.#file.close());
  }

  async #append(rows: readonly AppendedRows[]): Promise<undefined> {
    await this.#writes.run(() => this.#file.append(rows));
    this.#checkpointLater();
    return undefined;
  }

  /** The trace is looked for where no append waits for it. */
  async #keepFeedback(
    request: number,
    question: Extract<Question, { kind: "keepFeedback" }>,
  ): Promise<boolean> {
    const createdAtMs = await this.#quick.run(request, (connection) => arrivalOf(connection, question));
    if (createdAtMs === undefined) return false;
    await this.#writes.run(() => this.#file.keepFeedback({ ...question, createdAtMs }));
    this.#checkpointLater();
    return true;
  }

  /** Not part of an answer: the rows are safe already. While they are copied, it would only be in the way. */
  #checkpointLater(): void {
    if (!this.#removals.isCopying) void this.#writes.run(() => this.#file.checkpointIfDue());
  }

  /** Runs the task while nothing else happens. Appends wait last, so that a long query does not make them. */
  #exclusively(task: () => Promise<void>): Promise<void> {
    return this.#long.pause(() => this.#quick.pause(() => this.#writes.run(task)));
  }
}
