import type { Counters } from "../access/counters.js";
import type { TraceStore } from "../traces/store.js";
import type { TraceSink } from "../traces/trace.js";
import { Exports } from "./exports.js";
import { LinkError } from "./link.js";
import type { WorkerDesk } from "./worker-processes.js";

/** What the primary keeps for all workers. */
export interface Kept {
  readonly sink: TraceSink;
  readonly store: TraceStore;
  /** Undefined when Redis counts: workers ask that themselves. */
  readonly counters: Counters | undefined;
}

/** Answers one worker's questions about traces and limits. */
export function openDesk({ sink, store, counters }: Kept): WorkerDesk {
  const exports = new Exports(store);
  const counting = (): Counters => {
    if (counters === undefined) throw new LinkError("limits are not counted here");
    return counters;
  };
  return {
    answers: {
      record: (traces) => {
        for (const trace of traces) sink.record(trace);
      },
      claim: (claim) => counting().claim(claim),
      correct: (correction) => counting().correct(correction),
      health: () => ({ traces: store.health(), limits: counters?.health() ?? null }),
      list: ({ filter, page, scope }, signal) => store.list(filter, page, { scope, signal }),
      find: ({ requestId, scope }, signal) => store.find(requestId, { scope, signal }),
      stats: ({ filter, by, scope }, signal) => store.stats(filter, by, { scope, signal }),
      series: ({ filter, steps, scope }, signal) => store.series(filter, steps, { scope, signal }),
      exportNext: (question) => exports.next(question),
      exportEnd: (id) => exports.end(id),
    },
    close: () => exports.endAll(),
  };
}
