import { Turns } from "../turns.js";
import type { Connection } from "./database.js";
import { interruptUntil } from "./interrupting.js";

type Query<Result> = (connection: Connection) => Promise<Result>;

/** Nobody waited for the query any more. */
export class Abandoned extends Error {
  override readonly name = "Abandoned";
}

/** Queries one after the other on a connection of their own, so that a long one holds up only those of its lane. */
export class QueryLane {
  readonly #connect: () => Promise<Connection>;
  readonly #turns = new Turns();
  readonly #wanted = new Set<number>();
  #connection: Connection | undefined;
  #running: number | undefined;

  constructor(connect: () => Promise<Connection>) {
    this.#connect = connect;
  }

  /** @throws Abandoned, or whatever the query throws */
  ask<Result>(request: number, query: Query<Result>): Promise<Result> {
    this.#wanted.add(request);
    return this.#turns.take(() => this.#run(request, query));
  }

  /** Interrupts the query of that request, or keeps it from running. Harmless when there is none. */
  abandon(request: number): void {
    if (!this.#wanted.delete(request) || this.#running !== request) return;
    interruptUntil(
      () => this.#running !== request,
      () => this.#connection?.interrupt(),
    );
  }

  /** Abandons everything that was asked. */
  abandonAll(): void {
    for (const request of this.#wanted) this.abandon(request);
  }

  /** Waits for what was asked, then runs the task while the lane has no connection and answers nothing. */
  pause<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#turns.take(() => {
      this.#disconnect();
      return task();
    });
  }

  async #run<Result>(request: number, query: Query<Result>): Promise<Result> {
    this.#running = request;
    try {
      if (!this.#wanted.has(request)) throw new Abandoned();
      this.#connection ??= await this.#connect();
      if (!this.#wanted.has(request)) throw new Abandoned();
      return await query(this.#connection);
    } catch (error) {
      // Whatever state it was left in, such as within a transaction: the next query gets a fresh one.
      this.#disconnect();
      throw this.#wanted.has(request) ? error : new Abandoned();
    } finally {
      this.#running = undefined;
      this.#wanted.delete(request);
    }
  }

  #disconnect(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}
