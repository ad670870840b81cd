import type { Cancel, Clock, Timers } from "../../foundation/timers.js";
import { type MessageTransport, RpcChannel, type RpcHandlers } from "../../foundation/workers/rpc-channel.js";
import { RpcError } from "../../foundation/workers/rpc-error.js";
import type { ProcessHealth } from "../inference/inference.js";
import type { MetricsShare, SupervisorApi, WorkerApi, WorkerCommand, WorkerReady } from "./cluster-api.js";

/** A process that was started to answer requests. */
export interface WorkerProcess {
  readonly transport: MessageTransport;
  /** Resolves when it has exited, with how: `exit code 1`, `SIGKILL`. */
  readonly ended: Promise<string>;
  /** Resolves when no connection waits to be handed to it, or after some seconds. */
  handedOver(): Promise<void>;
  kill(): void;
}

export type ForkWorker = () => WorkerProcess;

/** Methods that are implemented here and not by a worker's service. */
type OwnMethods = "ready" | "failed" | "everywhere" | "otherHealth" | "otherMetrics";

/** The supervisor's services for one worker. */
export interface WorkerService {
  readonly handlers: Omit<RpcHandlers<SupervisorApi>, OwnMethods>;
  /** Ends what the worker had started: it has exited. */
  close(): void;
}

export interface WorkerProcessesOptions {
  readonly count: number;
  readonly fork: ForkWorker;
  readonly openWorkerService: () => WorkerService;
  /** Called when all workers have carried out a command of one of them. */
  readonly onCommand?: (command: WorkerCommand) => void;
  /** Of the supervisor itself. */
  readonly metrics: () => Promise<MetricsShare>;
  /** What stays of the metrics of processes that have ended: the sum of what only grows. */
  readonly endedShare: (shares: readonly MetricsShare[]) => Promise<MetricsShare>;
  /** Those of restarts keep this process alive: without any worker, nothing else may. */
  readonly timers: Pick<Timers, "after">;
  /** Monotonic. */
  readonly clock: Clock;
  readonly log: { warn(details: object, message: string): void };
}

/** The workers cannot be started, for a reason that one of them gave. */
export class WorkerStartError extends Error {
  override readonly name = "WorkerStartError";
}

/** Milliseconds after which a worker that is asked for its metrics or its health is done without. */
const REPLY_WAIT_MS = 1000;

interface Worker {
  readonly process: WorkerProcess;
  readonly channel: RpcChannel<WorkerApi, SupervisorApi>;
  readonly pace: RestartPace;
  readonly startedMs: number;
  /** Its metrics when they were last asked for. */
  lastShare: MetricsShare;
}

/** The workers behind one port: started together, restarted when they exit unasked, stopped together. */
export class WorkerProcesses {
  readonly #options: WorkerProcessesOptions;
  readonly #workers = new Set<Worker>();
  readonly #restarts = new Set<Cancel>();
  /** What ended workers had counted: a sum that falls would be read as that of a gateway that was restarted. */
  #ended: Promise<MetricsShare> = Promise.resolve([]);
  #restarted = 0;
  #isStarting = true;
  #isStopping = false;
  #fail: (reason: WorkerStartError) => void = () => {};

  constructor(options: WorkerProcessesOptions) {
    this.#options = options;
  }

  /** Resolves when all workers answer requests. @returns what the first one reported. @throws WorkerStartError */
  async start(): Promise<WorkerReady> {
    const failed = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    const ready = Array.from({ length: this.#options.count }, () => this.#startOne(new RestartPace()));
    const [first] = await Promise.race([Promise.all(ready), failed]);
    this.#isStarting = false;
    return first as WorkerReady;
  }

  /** Has all workers carry out a command, one after another: what the first refuses changes nothing. @throws its error */
  async command(command: WorkerCommand): Promise<void> {
    for (const worker of this.#workers) await this.#carryOut(worker, command);
  }

  /** Workers that are running. */
  get running(): number {
    return this.#workers.size;
  }

  /** Workers that ended unasked and were started again. */
  get restarted(): number {
    return this.#restarted;
  }

  /** Has all workers drain and exit; kills those that have not within `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    for (const cancel of this.#restarts) cancel();
    // Connections that no worker has taken when the last one stops listening would be reset.
    await Promise.all([...this.#workers].map(({ process }) => process.handedOver()));
    const ends = [...this.#workers].map(async ({ channel, process }) => {
      channel.notify("stop", undefined);
      const cancel = this.#options.timers.after(graceMs, () => process.kill());
      await process.ended;
      cancel();
    });
    await Promise.all(ends);
  }

  /** Resolves when the worker first answers requests. */
  #startOne(pace: RestartPace): Promise<WorkerReady> {
    return new Promise((ready) => {
      const service = this.#options.openWorkerService();
      const process = this.#options.fork();
      const channel = new RpcChannel<WorkerApi, SupervisorApi>(process.transport, {
        ...service.handlers,
        ready: (report) => ready(report),
        failed: (reason) => this.#failed(reason),
        everywhere: (command) => this.#everywhere(command, worker),
        otherHealth: () => this.#otherHealth(worker),
        otherMetrics: (own) => this.#otherMetrics(worker, own),
      });
      const worker: Worker = { process, channel, pace, startedMs: this.#options.clock(), lastShare: [] };
      this.#workers.add(worker);
      void process.ended.then((how) => {
        this.#workers.delete(worker);
        this.#keepCounts(worker);
        channel.end(new RpcError("the worker process ended"));
        service.close();
        this.#handleEnd(worker, how);
      });
    });
  }

  #failed(reason: string): void {
    if (this.#isStarting) this.#fail(new WorkerStartError(reason));
    else this.#options.log.warn({ reason }, "a worker process cannot start");
  }

  /** What it counted after its metrics were last asked for is lost. */
  #keepCounts({ lastShare }: Worker): void {
    this.#ended = this.#ended.then((sum) => this.#options.endedShare([sum, lastShare]));
  }

  #handleEnd({ pace, startedMs }: Worker, how: string): void {
    if (this.#isStopping) return;
    if (this.#isStarting) {
      this.#fail(new WorkerStartError(`a worker process ended while it started: ${how}`));
      return;
    }
    const { timers, clock, log } = this.#options;
    const waitMs = pace.waitAfter(clock() - startedMs);
    log.warn({ how, restart_in_ms: waitMs }, "a worker process ended and is started again");
    const cancel = timers.after(waitMs, () => {
      this.#restarts.delete(cancel);
      this.#restarted += 1;
      void this.#startOne(pace);
    });
    this.#restarts.add(cancel);
  }

  async #everywhere(command: WorkerCommand, asking: Worker): Promise<void> {
    await Promise.all(this.#others(asking).map((worker) => this.#carryOut(worker, command)));
    this.#options.onCommand?.(command);
  }

  async #carryOut(worker: Worker, command: WorkerCommand): Promise<void> {
    try {
      await worker.channel.call("command", command);
    } catch (error) {
      // One that has ended meanwhile finds everything as it is now when it is started again.
      if (this.#workers.has(worker)) throw error;
    }
  }

  async #otherHealth(asking: Worker): Promise<readonly ProcessHealth[]> {
    const replies = this.#others(asking).map(({ channel }) =>
      this.#replyWithin(REPLY_WAIT_MS, channel.call("health", undefined)),
    );
    return (await Promise.all(replies)).filter((reply) => reply !== null);
  }

  async #otherMetrics(asking: Worker, own: MetricsShare): Promise<readonly MetricsShare[]> {
    asking.lastShare = own;
    const others = await Promise.all(this.#others(asking).map((worker) => this.#metricsOf(worker)));
    // Those that ended meanwhile are among the others or among the ended, never in both.
    const running = others.filter(({ worker }) => this.#workers.has(worker)).map(({ share }) => share);
    const shares = [await this.#options.metrics(), await this.#ended, ...running];
    return shares.filter(({ length }) => length > 0);
  }

  async #metricsOf(worker: Worker): Promise<{ readonly worker: Worker; readonly share: MetricsShare }> {
    const share = await this.#replyWithin(REPLY_WAIT_MS, worker.channel.call("metrics", undefined));
    if (share !== null) worker.lastShare = share;
    return { worker, share: worker.lastShare };
  }

  /** Null without a reply in time, and when the call fails. */
  #replyWithin<Reply>(ms: number, reply: Promise<Reply>): Promise<Reply | null> {
    return new Promise((resolve) => {
      const cancel = this.#options.timers.after(ms, () => resolve(null));
      reply.then(resolve, () => resolve(null)).finally(cancel);
    });
  }

  #others(asking: Worker): readonly Worker[] {
    return [...this.#workers].filter((worker) => worker !== asking);
  }
}

/** Waits before a process that ended is started again: the first, and the longest. */
const FIRST_MS = 100;
const LONGEST_MS = 10_000;
/** A process that ran that long did not end because of how it starts. */
const SETTLED_MS = 30_000;

/** How long to wait before a process that ends again and again is started anew. */
class RestartPace {
  #waitMs = FIRST_MS;

  /** @param ranMs how long it ran, in milliseconds */
  waitAfter(ranMs: number): number {
    if (ranMs >= SETTLED_MS) this.#waitMs = FIRST_MS;
    const waitMs = this.#waitMs;
    this.#waitMs = Math.min(waitMs * 2, LONGEST_MS);
    return waitMs;
  }
}
