import { Turns } from "../turns.js";
import type { Connection } from "./database.js";
import type { FileReader } from "./file-reader.js";
import type { Answers, Question } from "./messages.js";
import { exportBatch, find, list, stats } from "./queries.js";
import { QueryLane } from "./query-lane.js";
import { Removals } from "./removal.js";
import { series } from "./series.js";
import type { TraceBlock } from "./trace-block.js";
import type { TraceFile } from "./trace-file.js";

type Answer = Answers[keyof Answers];

/**
 * Answers questions about one file. Whatever writes takes turns; queries run beside it, quick ones and long ones on a lane
 * each, so that no search holds up a page or a look at one trace.
 */
export class TraceDesk {
  readonly #file: TraceFile;
  readonly #writes = new Turns();
  readonly #removals: Removals;
  readonly #quick: QueryLane;
  readonly #long: QueryLane;

  constructor(file: TraceFile) {
    this.#file = file;
    this.#quick = new QueryLane(() => file.connect());
    this.#long = new QueryLane(() => file.connect("in the background"));
    this.#removals = new Removals({
      file,
      write: (task) => this.#writes.take(task),
      alone: (task) => this.#alone(task),
    });
  }

  /** `blocks` is what an append is about. Rejects with Abandoned or with what the library throws. */
  answer(request: number, question: Question, blocks: readonly TraceBlock[]): Promise<Answer> {
    switch (question.kind) {
      case "append":
        return this.#append(blocks);
      case "missing":
        return this.#writes.take(() => this.#file.missing(question.requestIds));
      case "list": {
        const lane = question.filter.text === undefined ? this.#quick : this.#long;
        return lane.ask(request, this.#asked(list, question));
      }
      case "find":
        return this.#quick.ask(request, this.#asked(find, question));
      case "stats":
        return this.#long.ask(request, this.#asked(stats, question));
      case "series":
        return this.#long.ask(request, this.#asked(series, question));
      case "export":
        return this.#long.ask(request, this.#asked(exportBatch, question));
      case "removeBefore":
        return this.#removals.removeBefore(request, question.ms);
    }
  }

  /** Ends what is being done for that request, if that is possible. */
  abandon(request: number): void {
    this.#quick.abandon(request);
    this.#long.abandon(request);
    this.#removals.abandon(request);
  }

  /** Finishes the appends, ends everything else and gives up the file. */
  async close(): Promise<void> {
    this.#quick.abandonAll();
    this.#long.abandonAll();
    await this.#removals.close();
    await this.#alone(async () => this.#file.close());
  }

  async #append(blocks: readonly TraceBlock[]): Promise<undefined> {
    await this.#writes.take(() => this.#file.append(blocks));
    // Not part of the answer: the rows are safe already. While they are copied, it would only be in the way.
    if (!this.#removals.isCopying) void this.#writes.take(() => this.#file.checkpointIfDue());
    return undefined;
  }

  #asked<Asked, Result>(
    query: (reader: FileReader, question: Asked) => Promise<Result>,
    question: Asked,
  ): (connection: Connection) => Promise<Result> {
    return (connection) => query(this.#file.reader(connection), question);
  }

  /** Runs the task while nothing else happens. Appends wait last, so that a long query does not make them. */
  #alone(task: () => Promise<void>): Promise<void> {
    return this.#long.pause(() => this.#quick.pause(() => this.#writes.take(task)));
  }
}
