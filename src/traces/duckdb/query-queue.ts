import { SerialQueue } from "../serial-queue.js";
import type { Connection } from "./database.js";

type Query<Result> = (connection: Connection) => Promise<Result>;

/** The request was cancelled. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

/** Queries one after the other on a connection of their own, each of which can be cancelled by the number of its request. */
export class QueryQueue {
  readonly #connect: () => Promise<Connection>;
  readonly #queue = new SerialQueue();
  readonly #wanted = new Set<number>();
  #connection: Connection | undefined;
  #running: number | undefined;

  constructor(connect: () => Promise<Connection>) {
    this.#connect = connect;
  }

  /** @throws Cancelled, or whatever the query throws */
  run<Result>(request: number, query: Query<Result>): Promise<Result> {
    this.#wanted.add(request);
    return this.#queue.run(() => this.#runNow(request, query));
  }

  /** Interrupts the query of that request, or keeps it from running. Does nothing when there is none. */
  cancel(request: number): void {
    if (!this.#wanted.delete(request) || this.#running !== request) return;
    this.#connection?.interruptUntil(() => this.#running !== request);
  }

  cancelAll(): void {
    for (const request of this.#wanted) this.cancel(request);
  }

  /** Waits for the queries that were given before, then runs the task while there is no connection and no query runs. */
  pause<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#queue.run(() => {
      this.#disconnect();
      return task();
    });
  }

  async #runNow<Result>(request: number, query: Query<Result>): Promise<Result> {
    this.#running = request;
    try {
      this.#throwIfCancelled(request);
      this.#connection ??= await this.#connect();
      this.#throwIfCancelled(request);
      return await query(this.#connection);
    } catch (error) {
      // Whatever state it was left in: the next query gets a fresh one.
      this.#disconnect();
      throw this.#wanted.has(request) ? error : new Cancelled();
    } finally {
      this.#running = undefined;
      this.#wanted.delete(request);
    }
  }

  #throwIfCancelled(request: number): void {
    if (!this.#wanted.has(request)) throw new Cancelled();
  }

  #disconnect(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}
