import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

/** The key of the gateways that benchmarks start. */
export const KEY = "pk_live_benchmarkbenchmarkbenchmarkbenchmark";
export const AUTHORIZATION = { authorization: `Bearer ${KEY}` };

/** A server in a process of its own, so that its processor time can be measured separately. */
export interface ServerProcess {
  readonly address: string;
  /** What it printed until it listened. */
  readonly greeting: string;
  /** Milliseconds from its start until it said that it is ready. */
  readonly readyMs: number;
  /** For signals, and for messages where they are asked for. */
  readonly child: ChildProcess;
  /** Milliseconds on a processor since it started: all its threads, user and system. */
  cpuMs(): Promise<number>;
  /** Resident memory of its process alone, in MB. */
  residentMb(): Promise<number>;
  /** Delay of its event loop during `load`, in milliseconds. Only with `loopDelay` (loop-delay.ts). */
  loopDelayDuring(load: () => Promise<unknown>): Promise<LoopDelay>;
  stop(): Promise<void>;
}

export interface LoopDelay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 15_000;
const PROBE_LIMIT_MS = 5_000;

export interface StartOptions {
  /** Default: this Node. */
  readonly program?: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** What a server prints when it is ready, its address as the first group. Default: `listening on http://…`. */
  readonly ready?: RegExp;
  /** `ipc`: the server and this process can send each other messages. */
  readonly messages?: "ipc";
  /** The compiled loop-delay.js to load into it, and the file through which it answers. */
  readonly loopDelay?: { readonly probe: string; readonly file: string };
}

const LISTENING = /listening on (http:\/\/\S+)/;

/**
 * Starts a program with these arguments and waits until it says that it is ready.
 *
 * @throws Error when it ends, or is silent for a minute
 */
export async function startServer(name: string, options: StartOptions): Promise<ServerProcess> {
  const ready = options.ready ?? LISTENING;
  const { loopDelay } = options;
  const startedMs = performance.now();
  const child = spawn(
    options.program ?? process.execPath,
    [...(loopDelay === undefined ? [] : ["--import", loopDelay.probe]), ...options.args],
    {
      env: {
        ...process.env,
        ...(loopDelay === undefined ? {} : { BENCH_LOOP_DELAY: loopDelay.file }),
        ...options.environment,
      },
      stdio: ["ignore", "pipe", "inherit", ...(options.messages === undefined ? [] : [options.messages])],
    },
  );
  const { greeting, readyAtMs } = await greetingOf(child, { name, ready });
  const address = ready.exec(greeting)?.[1] ?? "";
  return {
    address,
    greeting,
    readyMs: readyAtMs - startedMs,
    child,
    cpuMs: () => cpuMsOf(child.pid ?? 0),
    residentMb: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8");
      return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
    },
    async loopDelayDuring(load) {
      if (loopDelay === undefined) throw new Error(`${name} was started without a probe of its event loop`);
      child.kill("SIGUSR2");
      await load();
      child.kill("SIGUSR2");
      return answerIn(loopDelay.file, name);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      const kill = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
      await once(child, "exit");
      clearTimeout(kill);
    },
  };
}

async function answerIn(file: string, name: string): Promise<LoopDelay> {
  const deadline = performance.now() + PROBE_LIMIT_MS;
  for (;;) {
    try {
      const answer = JSON.parse(await readFile(file, "utf8")) as LoopDelay;
      await rm(file);
      return answer;
    } catch (error) {
      if (performance.now() > deadline)
        throw new Error(`${name} did not say how late its timers were`, { cause: error });
      await wait(20);
    }
  }
}

async function greetingOf(
  child: ChildProcess,
  { name, ready }: { readonly name: string; readonly ready: RegExp },
): Promise<{ readonly greeting: string; readonly readyAtMs: number }> {
  let printed = "";
  const silent = setTimeout(() => child.kill("SIGKILL"), START_LIMIT_MS);
  try {
    for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
      printed += String(chunk);
      if (ready.test(printed)) {
        const readyAtMs = performance.now();
        // What follows, such as a first key, comes with the next chunk at the latest.
        await new Promise((resolve) => setTimeout(resolve, 200));
        printed += String(child.stdout?.read() ?? "");
        // So that it is read on: `resume()` does nothing while an iterator listens.
        child.stdout?.on("data", () => {});
        return { greeting: printed, readyAtMs };
      }
    }
  } finally {
    clearTimeout(silent);
  }
  throw new Error(`${name} ended before it listened: ${printed}`);
}

/** Linux only: nanoseconds on a processor, of every thread (/proc/<pid>/task/<thread>/schedstat). */
async function cpuMsOf(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = threads.map(async (thread) => {
    const [onProcessor] = (await readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8")).split(" ");
    return Number(onProcessor) / 1e6;
  });
  return (await Promise.all(times)).reduce((sum, time) => sum + time, 0);
}
