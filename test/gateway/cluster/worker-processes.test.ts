import { describe, expect, it } from "vitest";
import type { MetricsShare, WorkerCommand } from "../../../src/gateway/cluster/cluster-api.js";
import {
  connectToSupervisor,
  type SupervisorConnection,
} from "../../../src/gateway/cluster/supervisor-connection.js";
import { WorkerProcesses, type WorkerService } from "../../../src/gateway/cluster/worker-processes.js";
import type { ProcessHealth } from "../../../src/gateway/inference/inference.js";
import { ManualTime, quiet } from "../../fakes/manual-time.js";
import { transportPair } from "../../fakes/transport.js";

/** A worker without a process: its supervisor, and the end that a test chooses. */
interface FakeWorker {
  readonly supervisor: SupervisorConnection;
  readonly commands: WorkerCommand[];
  share: MetricsShare | "hangs";
  health: ProcessHealth;
  isKilled: boolean;
  end(how: string): void;
}

const READY = {
  address: "http://127.0.0.1:8080",
  summary: "Configured providers: sandbox.",
  example: null,
  notes: ["a note"],
};
const HEALTHY = { state: "closed", error_rate: 0, p50_ttft_ms: 80 } as const;
const TRACES = { kept: true, content: true, bufferTraces: 100 };

function started(count: number) {
  const time = new ManualTime();
  const workers: FakeWorker[] = [];
  const warnings: object[] = [];
  const services = { open: 0 };
  const processes = new WorkerProcesses({
    count,
    fork: () => {
      const [transport, own] = transportPair();
      let end: (how: string) => void = () => {};
      const ended = new Promise<string>((resolve) => {
        end = resolve;
      });
      const supervisor = connectToSupervisor(own, { timers: time.timers, traces: TRACES });
      const worker: FakeWorker = {
        supervisor,
        commands: [],
        share: [{ of: workers.length }],
        health: { models: [{ provider: "lab", model: `m${workers.length}`, health: HEALTHY }], keys: [] },
        isKilled: false,
        end,
      };
      supervisor.handleCalls({
        command: async (command) => {
          worker.commands.push(command);
        },
        metrics: async () => (worker.share === "hangs" ? new Promise(() => {}) : worker.share),
        health: () => worker.health,
      });
      workers.push(worker);
      const kill = () => {
        worker.isKilled = true;
        end("SIGKILL");
      };
      return { transport, ended, kill, handedOver: async () => {} };
    },
    openWorkerService: () => {
      services.open += 1;
      return {
        handlers: {} as WorkerService["handlers"],
        close: () => {
          services.open -= 1;
        },
      };
    },
    metrics: async () => [{ of: "supervisor" }],
    endedShare: async (shares) => [{ ended: shares.flat() }],
    timers: time.timers,
    clock: time.clock,
    log: { warn: (details) => warnings.push(details) },
  });
  return { processes, workers, time, warnings, services };
}

/** All of them answer requests. */
async function running(count: number) {
  const parts = started(count);
  const ready = parts.processes.start();
  for (const { supervisor } of parts.workers) await supervisor.ready(READY);
  await ready;
  return parts;
}

describe("WorkerProcesses", () => {
  it("are ready when every worker is", async () => {
    const { processes, workers } = started(2);
    let isReady = false;
    const ready = processes.start().then((told) => {
      isReady = true;
      return told;
    });
    await workers[0]?.supervisor.ready(READY);
    await quiet();
    expect(isReady).toBe(false);
    await workers[1]?.supervisor.ready({ ...READY, notes: [] });
    expect(await ready).toEqual(READY);
  });

  it("fail to start when a worker cannot, with the reason that it gives", async () => {
    const { processes, workers } = started(2);
    const ready = processes.start();
    await workers[1]?.supervisor.failed("the port is in use");
    await expect(ready).rejects.toThrow("the port is in use");
  });

  it("restart workers that end, with increasing delays while that repeats, and at once after a long run", async () => {
    const { workers, time, warnings, services } = await running(1);
    const waits: number[] = [];
    for (let crash = 0; crash < 9; crash++) {
      workers.at(-1)?.end("SIGKILL");
      await quiet();
      const before = workers.length;
      let waited = 0;
      for (; workers.length === before; waited += 50) await time.advance(50);
      waits.push(waited);
    }
    expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    await time.advance(30_000);
    workers.at(-1)?.end("exit code 1");
    await quiet();
    await time.advance(100);
    expect(workers.length).toBe(11);
    expect(warnings.at(-1)).toEqual({ how: "exit code 1", restart_in_ms: 100 });
    expect(services.open).toBe(1);
  });

  it("run a broadcast command in every worker", async () => {
    const { workers } = await running(3);
    await workers[1]?.supervisor.everywhere("reload");
    expect(workers.map(({ commands }) => commands)).toEqual([["reload"], [], ["reload"]]);
  });

  it("collect metrics, with the last known ones of a worker that does not answer within a second", async () => {
    const { workers, time } = await running(3);
    expect(await workers[0]?.supervisor.otherMetrics([{ of: 0 }])).toEqual([
      [{ of: "supervisor" }],
      [{ of: 1 }],
      [{ of: 2 }],
    ]);
    if (workers[1] !== undefined) workers[1].share = "hangs";
    const shares = workers[0]?.supervisor.otherMetrics([{ of: 0 }]);
    await time.advance(1000);
    expect(await shares).toEqual([[{ of: "supervisor" }], [{ of: 1 }], [{ of: 2 }]]);
  });

  it("stop workers, wait for them, kill those that take too long, and restart none", async () => {
    const { processes, workers, time } = await running(2);
    const stopped = processes.stop(5000);
    await Promise.all(workers.map(({ supervisor }) => supervisor.stopped));
    workers[0]?.end("exit code 0");
    await time.advance(5000);
    await stopped;
    expect(workers.map(({ isKilled }) => isKilled)).toEqual([false, true]);
    await time.advance(60_000);
    expect(workers.length).toBe(2);
    expect(time.running).toBe(0);
  });
});
