import type { LengthCorrections } from "../../engine/lengths/length-corrections.js";
import { RpcError } from "../../foundation/workers/rpc-error.js";
import type { Counters } from "../access/limits/counters.js";
import type { ConversationMemory } from "../conversations/conversation-memory.js";
import type { ResponseMemory } from "../conversations/response-memory.js";
import type { GiveFeedback } from "../traces/feedback.js";
import type { TraceStore } from "../traces/store.js";
import type { Trace, TraceSink } from "../traces/trace.js";
import type { ExportRequest, LengthReport } from "./cluster-api.js";
import type { WorkerService } from "./worker-processes.js";

/** What all workers share in the supervisor process. */
export interface SharedParts {
  readonly sink: TraceSink;
  readonly store: TraceStore;
  readonly giveFeedback: GiveFeedback;
  /** Undefined when Redis counts: workers ask that themselves. */
  readonly counters: Counters | undefined;
  /** Undefined when lengths are not corrected: no worker asks then. */
  readonly lengths: LengthCorrections | undefined;
  readonly conversations: ConversationMemory;
  readonly responses: ResponseMemory;
}

/** Answers one worker's calls about traces, limits, lengths, conversations and responses. */
export function openWorkerService(parts: SharedParts): WorkerService {
  const { sink, store, giveFeedback, counters, lengths, conversations, responses } = parts;
  const exports = new Exports(store);
  const counting = (): Counters => {
    if (counters === undefined) throw new RpcError("limits are not counted here");
    return counters;
  };
  const learning = async ({ profileVersion, observations }: LengthReport) => {
    if (lengths === undefined) throw new RpcError("lengths are not corrected here");
    await lengths.useProfiles(profileVersion);
    for (const observation of observations) lengths.observe(observation);
    return lengths.corrections();
  };
  return {
    handlers: {
      record: (traces) => {
        for (const trace of traces) sink.record(trace);
      },
      claim: (claim) => counting().claim(claim),
      correct: (correction) => counting().correct(correction),
      usedBy: (principals) => counting().usedBy(principals),
      accounts: (prefix) => counting().accounts(prefix),
      noteRefusal: (refused) => counting().noteRefusal(refused),
      refusals: (principals) => counting().refusals(principals),
      health: () => ({ traces: store.health(), limits: counters?.health() ?? null }),
      lengths: (report) => learning(report),
      findConversation: (key) => conversations.find(key),
      rememberConversation: ({ key, record }) => conversations.remember(key, record),
      findResponse: ({ kind, key }) => responses.find(kind, key),
      keepResponse: (kept) => responses.keep(kept),
      claimRuns: () => responses.claimRuns(),
      ask: ({ name, argument, scope }, { signal }) => store.ask(name, argument, { scope, signal }),
      giveFeedback: ({ requestId, outcome, scope }, { signal }) =>
        giveFeedback(requestId, outcome, { scope, signal }),
      exportNext: (question) => exports.next(question),
      exportEnd: (id) => exports.end(id),
    },
    close: () => exports.endAll(),
  };
}

/** Traces in one message: a store's own batch would take both processes tens of milliseconds to copy. */
const PART = 64;

interface RunningExport {
  readonly batches: AsyncIterator<readonly Trace[]>;
  readonly abort: AbortController;
  /** Of the last batch, what is still to be sent. */
  rest: readonly Trace[];
}

/** The exports that one worker reads, batch by batch. */
class Exports {
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
