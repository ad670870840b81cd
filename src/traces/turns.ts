/** One task at a time, in the order they came. A task that fails does not stop the next one. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the task when all before it are done. */
  take<Result>(task: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(task);
    this.#last = turn.catch(() => {});
    return turn;
  }
}
