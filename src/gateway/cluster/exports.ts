import type { TraceStore } from "../traces/store.js";
import type { Trace } from "../traces/trace.js";
import type { ExportRequest } from "./cluster-api.js";

/** Traces in one message: a store's own batch would take both processes tens of milliseconds to copy. */
const PART = 64;

interface RunningExport {
  readonly batches: AsyncIterator<readonly Trace[]>;
  readonly abort: AbortController;
  /** Of the last batch, what is still to be sent. */
  rest: readonly Trace[];
}

/** The exports that one worker reads, batch by batch. */
export class Exports {
  readonly #store: Pick<TraceStore, "export">;
  readonly #running = new Map<number, RunningExport>();

  constructor(store: Pick<TraceStore, "export">) {
    this.#store = store;
  }

  /** The next traces of the export, started when it is not running; null after the last. */
  async next(question: ExportRequest): Promise<readonly Trace[] | null> {
    const running = this.#running.get(question.id) ?? this.#start(question);
    while (running.rest.length === 0) {
      const next = await running.batches.next();
      if (next.done === true) return null;
      running.rest = next.value;
    }
    const part = running.rest.slice(0, PART);
    running.rest = running.rest.slice(PART);
    return part;
  }

  end(id: number): void {
    const running = this.#running.get(id);
    this.#running.delete(id);
    running?.abort.abort(new Error("The export is not wanted any more."));
    running?.batches.return?.().catch(() => {});
  }

  endAll(): void {
    for (const id of [...this.#running.keys()]) this.end(id);
  }

  #start({ id, scope, ...selection }: ExportRequest): RunningExport {
    const abort = new AbortController();
    const batches = this.#store.export(selection, { scope, signal: abort.signal })[Symbol.asyncIterator]();
    const running: RunningExport = { batches, abort, rest: [] };
    this.#running.set(id, running);
    return running;
  }
}
