import { SerialQueue } from "../../../foundation/serial-queue.js";
import type { Connection } from "./database.js";

type Query<Result> = (connection: Connection) => Promise<Result>;

/** Queries one after the other, on a connection of their own. */
export class QueryQueue {
  readonly #connect: () => Promise<Connection>;
  readonly #queue = new SerialQueue();
  #connection: Connection | undefined;
  #tasks = 0;
  #count = 0;

  constructor(connect: () => Promise<Connection>) {
    this.#connect = connect;
  }

  /** Whether no query runs or waits, and none is held up. */
  get isIdle(): boolean {
    return this.#tasks === 0;
  }

  /** Queries so far. */
  get count(): number {
    return this.#count;
  }

  /** The signal interrupts the query, or keeps it from running. @throws the signal's reason, or whatever the query throws */
  run<Result>(query: Query<Result>, signal: AbortSignal): Promise<Result> {
    return this.hold(() => this.#runNow(query, signal));
  }

  /** Waits for the queries that were given before, then runs the task while no query runs. */
  async hold<Result>(task: () => Promise<Result>): Promise<Result> {
    this.#tasks += 1;
    try {
      return await this.#queue.run(task);
    } finally {
      this.#tasks -= 1;
    }
  }

  /** As `hold`, and there is no connection while the task runs. */
  pause<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.hold(() => {
      this.#disconnect();
      return task();
    });
  }

  async #runNow<Result>(query: Query<Result>, signal: AbortSignal): Promise<Result> {
    let isOver = false;
    const interrupt = () => this.#connection?.interruptUntil(() => isOver);
    signal.addEventListener("abort", interrupt, { once: true });
    try {
      signal.throwIfAborted();
      this.#connection ??= await this.#connect();
      this.#count += 1;
      signal.throwIfAborted();
      return await query(this.#connection);
    } catch (error) {
      // Whatever state it was left in: the next query gets a fresh one.
      this.#disconnect();
      throw signal.aborted ? signal.reason : error;
    } finally {
      isOver = true;
      signal.removeEventListener("abort", interrupt);
    }
  }

  #disconnect(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}
