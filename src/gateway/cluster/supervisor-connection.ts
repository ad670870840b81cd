import type { Timers } from "../../foundation/timers.js";
import { type MessageTransport, RpcChannel, type RpcHandlers } from "../../foundation/workers/rpc-channel.js";
import type { Counters } from "../access/limits/counters.js";
import type { ConversationMemory } from "../conversations/conversation-memory.js";
import type { ResponseMemory } from "../conversations/response-memory.js";
import type { ProcessHealth } from "../inference/inference.js";
import type { GiveFeedback } from "../traces/feedback.js";
import type { RecorderStats } from "../traces/recorder.js";
import type { AnswerTo, ArgumentOf, QueryOptions, QuestionName, TraceQueries } from "../traces/store.js";
import type { Trace } from "../traces/trace.js";
import type {
  ExportRequest,
  MetricsShare,
  SharedHealth,
  SupervisorApi,
  WorkerApi,
  WorkerCommand,
  WorkerReady,
} from "./cluster-api.js";
import {
  RemoteLengths,
  RemoteSink,
  remoteConversations,
  remoteCounters,
  remoteResponses,
} from "./remote-parts.js";

/** What a worker does on a call of the supervisor. */
interface WorkerHandlers {
  /** Carries out a command that another worker broadcasts. */
  command(command: WorkerCommand): Promise<void>;
  metrics(): Promise<MetricsShare>;
  health(): ProcessHealth;
}

/** A worker's view of what the processes behind one port share. */
export interface SupervisorConnection {
  readonly counters: Counters;
  readonly lengths: RemoteLengths;
  readonly conversations: ConversationMemory;
  readonly responses: ResponseMemory;
  readonly sink: RemoteSink;
  readonly queries: TraceQueries;
  readonly giveFeedback: GiveFeedback;
  /** Undefined when traces are switched off. */
  traceStats(): RecorderStats | undefined;
  health(): Promise<SharedHealth>;
  /** Broadcasts a command to all other workers. @throws the first error of any of them */
  everywhere(command: WorkerCommand): Promise<void>;
  /** Of each of the other workers, of every provider and model that it has called. */
  otherHealth(): Promise<readonly ProcessHealth[]>;
  /** @param own metrics of this worker, which stand for it should it end */
  otherMetrics(own: MetricsShare): Promise<readonly MetricsShare[]>;
  /** Sets what this worker does on calls of the supervisor from now on. */
  handleCalls(handlers: WorkerHandlers): void;
  ready(ready: WorkerReady): Promise<void>;
  failed(reason: string): Promise<void>;
  /** Resolves when the worker is to stop. */
  readonly stopped: Promise<void>;
}

export interface SupervisorConnectionOptions {
  readonly timers: Timers;
  readonly traces: { readonly kept: boolean; readonly content: boolean; readonly bufferTraces: number };
}

/** Connects this worker to the supervisor at the other end of the transport. */
export function connectToSupervisor(
  transport: MessageTransport,
  { timers, traces }: SupervisorConnectionOptions,
): SupervisorConnection {
  let own: WorkerHandlers | undefined;
  let stop: () => void = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const handlers: RpcHandlers<WorkerApi> = {
    // A worker that is still starting reads what there is now anyway.
    command: async (command) => own?.command(command),
    metrics: async () => (await own?.metrics()) ?? [],
    health: () => own?.health() ?? { models: [], keys: [] },
    stop: () => stop(),
  };
  const channel = new RpcChannel<SupervisorApi, WorkerApi>(transport, handlers);
  const sink = new RemoteSink({
    channel,
    timers,
    wantsContent: traces.kept && traces.content,
    bufferTraces: traces.kept ? traces.bufferTraces : 0,
  });
  return {
    counters: remoteCounters(channel),
    lengths: new RemoteLengths({ channel, timers }),
    conversations: remoteConversations(channel),
    responses: remoteResponses(channel),
    sink,
    queries: remoteQueries(channel),
    giveFeedback(requestId, outcome, { scope, signal }) {
      // On the same channel, so that the supervisor has the trace before the question.
      sink.handOver();
      return channel.call("giveFeedback", { requestId, outcome, scope }, signal);
    },
    traceStats: () => (traces.kept ? sink.stats() : undefined),
    health: () => channel.call("health", undefined),
    everywhere: async (command) => {
      await channel.call("everywhere", command);
    },
    otherHealth: () => channel.call("otherHealth", undefined),
    otherMetrics: (own) => channel.call("otherMetrics", own),
    handleCalls(given) {
      own = given;
    },
    ready: async (ready) => {
      await channel.call("ready", ready);
    },
    failed: async (reason) => {
      await channel.call("failed", reason);
    },
    stopped,
  };
}

/** Searches of traces, which the supervisor process runs. */
function remoteQueries(channel: RpcChannel<SupervisorApi, WorkerApi>): TraceQueries {
  let exports = 0;
  return {
    ask: <Name extends QuestionName>(
      name: Name,
      argument: ArgumentOf<Name>,
      { scope, signal }: QueryOptions,
    ) => channel.call("ask", { name, argument, scope }, signal) as Promise<AnswerTo<Name>>,
    export: (selection, { scope, signal }) =>
      remoteExport(channel, { id: exports++, ...selection, scope }, signal),
  };
}

async function* remoteExport(
  channel: RpcChannel<SupervisorApi, WorkerApi>,
  request: ExportRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly Trace[]> {
  try {
    for (;;) {
      const traces = await channel.call("exportNext", request, signal);
      if (traces === null) return;
      yield traces;
    }
  } finally {
    channel.notify("exportEnd", request.id);
  }
}
