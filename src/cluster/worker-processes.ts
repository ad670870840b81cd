import type { Cancel, Clock, Timers } from "../foundation/timers.js";
import { type MessageTransport, RpcChannel, type RpcHandlers } from "../workers/rpc-channel.js";
import { RpcError } from "../workers/rpc-error.js";
import type { MetricsShare, SupervisorApi, WorkerApi, WorkerCommand, WorkerReady } from "./cluster-api.js";
import { RestartPace } from "./restarts.js";

/** A process that was started to answer requests. */
export interface WorkerProcess {
  readonly transport: MessageTransport;
  /** Resolves when it has exited, with how: `exit code 1`, `SIGKILL`. */
  readonly ended: Promise<string>;
  kill(): void;
}

export type ForkWorker = () => WorkerProcess;

/** Methods that are implemented here and not by a worker's service. */
type OwnMethods = "ready" | "failed" | "everywhere" | "otherMetrics";

/** The supervisor's services for one worker. */
export interface WorkerService {
  readonly handlers: Omit<RpcHandlers<SupervisorApi>, OwnMethods>;
  /** Ends what the worker had begun: it has exited. */
  close(): void;
}

export interface WorkerProcessesOptions {
  readonly count: number;
  readonly fork: ForkWorker;
  readonly openWorkerService: () => WorkerService;
  /** Of the supervisor itself. */
  readonly metrics: () => Promise<MetricsShare>;
  readonly timers: Timers;
  /** Monotonic. */
  readonly clock: Clock;
  readonly log: { warn(details: object, message: string): void };
}

/** The workers cannot be started, for a reason that one of them gave. */
export class WorkerStartError extends Error {
  override readonly name = "WorkerStartError";
}

/** Milliseconds after which the metrics of a worker that does not reply are left out. */
const METRICS_WAIT_MS = 1000;

interface Worker {
  readonly process: WorkerProcess;
  readonly channel: RpcChannel<WorkerApi, SupervisorApi>;
  readonly pace: RestartPace;
  readonly startedMs: number;
}

/** The workers behind one port: started together, restarted when they exit unasked, stopped together. */
export class WorkerProcesses {
  readonly #options: WorkerProcessesOptions;
  readonly #workers = new Set<Worker>();
  readonly #restarts = new Set<Cancel>();
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

  /** Has all workers drain and exit; kills those that have not within `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    for (const cancel of this.#restarts) cancel();
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
        otherMetrics: () => this.#otherMetrics(worker),
      });
      const worker: Worker = { process, channel, pace, startedMs: this.#options.clock() };
      this.#workers.add(worker);
      void process.ended.then((how) => {
        this.#workers.delete(worker);
        channel.end(new RpcError("the worker process ended"));
        service.close();
        this.#ended(worker, how);
      });
    });
  }

  #failed(reason: string): void {
    if (this.#isStarting) this.#fail(new WorkerStartError(reason));
    else this.#options.log.warn({ reason }, "a worker process cannot start");
  }

  #ended({ pace, startedMs }: Worker, how: string): void {
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
      void this.#startOne(pace);
    });
    this.#restarts.add(cancel);
  }

  async #everywhere(command: WorkerCommand, asking: Worker): Promise<void> {
    await Promise.all(this.#others(asking).map((worker) => this.#carryOut(worker, command)));
  }

  async #carryOut(worker: Worker, command: WorkerCommand): Promise<void> {
    try {
      await worker.channel.call("command", command);
    } catch (error) {
      // One that has ended meanwhile finds everything as it is now when it is started again.
      if (this.#workers.has(worker)) throw error;
    }
  }

  async #otherMetrics(asking: Worker): Promise<readonly MetricsShare[]> {
    const shares = this.#others(asking).map(({ channel }) => this.#metricsOf(channel));
    return (await Promise.all([this.#options.metrics(), ...shares])).filter(({ length }) => length > 0);
  }

  /** Empty for a worker that exits, hangs or fails. */
  #metricsOf(channel: Worker["channel"]): Promise<MetricsShare> {
    return new Promise((resolve) => {
      const cancel = this.#options.timers.after(METRICS_WAIT_MS, () => resolve([]));
      channel
        .call("metrics", undefined)
        .then(resolve, () => resolve([]))
        .finally(cancel);
    });
  }

  #others(asking: Worker): readonly Worker[] {
    return [...this.#workers].filter((worker) => worker !== asking);
  }
}
