import type { LengthCorrections } from "../../engine/lengths/length-corrections.js";
import { RpcError } from "../../foundation/workers/rpc-error.js";
import type { Counters } from "../access/limits/counters.js";
import type { ConversationMemory } from "../conversations/conversation-memory.js";
import type { ResponseMemory } from "../conversations/response-memory.js";
import type { GiveFeedback } from "../traces/feedback.js";
import type { TraceStore } from "../traces/store.js";
import type { TraceSink } from "../traces/trace.js";
import type { LengthReport } from "./cluster-api.js";
import { Exports } from "./exports.js";
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
