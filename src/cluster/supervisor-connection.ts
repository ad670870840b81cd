import type { Counters } from "../access/limits/counters.js";
import type { Timers } from "../foundation/timers.js";
import type { RecorderStats } from "../traces/recorder.js";
import { type MessageTransport, RpcChannel, type RpcHandlers } from "../workers/rpc-channel.js";
import type {
  MetricsShare,
  SharedHealth,
  SupervisorApi,
  WorkerApi,
  WorkerCommand,
  WorkerReady,
} from "./cluster-api.js";
import { RemoteCounters } from "./remote-counters.js";
import { RemoteLengths } from "./remote-lengths.js";
import { remoteQueries, type TraceQueries } from "./remote-queries.js";
import { RemoteSink } from "./remote-sink.js";

/** What a worker does when it is told to. */
interface Duties {
  /** Does what another worker was asked to do for all. */
  command(command: WorkerCommand): Promise<void>;
  metrics(): Promise<MetricsShare>;
}

/** What the processes behind one port have in common, as one of the workers sees it. */
export interface SupervisorConnection {
  readonly counters: Counters;
  readonly lengths: RemoteLengths;
  readonly sink: RemoteSink;
  readonly queries: TraceQueries;
  /** Undefined when traces are switched off. */
  traceStats(): RecorderStats | undefined;
  health(): Promise<SharedHealth>;
  /** Has all other workers do it. @throws what the first of them that could not says */
  everywhere(command: WorkerCommand): Promise<void>;
  otherMetrics(): Promise<readonly MetricsShare[]>;
  /** What this worker does from now on when it is told to. */
  attend(duties: Duties): void;
  ready(ready: WorkerReady): Promise<void>;
  failed(reason: string): Promise<void>;
  /** Resolves when the worker is to stop. */
  readonly stopped: Promise<void>;
}

export interface SupervisorConnectionOptions {
  readonly timers: Timers;
  readonly traces: { readonly kept: boolean; readonly content: boolean; readonly bufferTraces: number };
}

/** Takes this process' place among the workers of the supervisor at the other end of the channel. */
export function connectToSupervisor(
  transport: MessageTransport,
  { timers, traces }: SupervisorConnectionOptions,
): SupervisorConnection {
  let duties: Duties | undefined;
  let stop: () => void = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const handlers: RpcHandlers<WorkerApi> = {
    // A worker that is still starting reads what there is now anyway.
    command: async (command) => duties?.command(command),
    metrics: async () => (await duties?.metrics()) ?? [],
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
    counters: new RemoteCounters(channel),
    lengths: new RemoteLengths({ channel, timers }),
    sink,
    queries: remoteQueries(channel),
    traceStats: () => (traces.kept ? sink.stats() : undefined),
    health: () => channel.call("health", null),
    everywhere: async (command) => {
      await channel.call("everywhere", command);
    },
    otherMetrics: () => channel.call("otherMetrics", null),
    attend(given) {
      duties = given;
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
