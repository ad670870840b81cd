import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

/** A server in a process of its own, so that its processor time can be measured separately. */
export interface ServerProcess {
  readonly address: string;
  /** What it printed until it listened. */
  readonly greeting: string;
  /** Milliseconds from its start until it said that it is ready. */
  readonly readyMs: number;
  /** For signals, and for messages where they are asked for. */
  readonly child: ChildProcess;
  /** Milliseconds on a processor since it started: all threads of it and of the processes it started, user and system. */
  cpuMs(): Promise<number>;
  /** Resident memory of its process alone, in MB. */
  residentMb(): Promise<number>;
  /** Processes it started and that still run. */
  workers(): Promise<number>;
  /**
   * Delay of event loops during `load`, in milliseconds; the maximum over several processes. Only with `loopDelay`
   * (loop-delay.ts).
   */
  loopDelayDuring(load: () => Promise<unknown>): Promise<LoopDelay>;
  stop(): Promise<void>;
}

export interface LoopDelay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const START_LIMIT_MS = 60_000;
const PROBE_LIMIT_MS = 5_000;

export interface StartOptions {
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** What a server prints when it is ready, its address as the first group. Default: `listening on http://…`. */
  readonly ready?: RegExp;
  /** `ipc`: the server and this process can send each other messages. */
  readonly messages?: "ipc";
  /** The compiled loop-delay.js to load into it, and the beginning of the files through which its processes answer. */
  readonly loopDelay?: { readonly probe: string; readonly file: string };
}

const LISTENING = /listening on (http:\/\/\S+)/;

/**
 * Starts `node` with these arguments and waits until it says that it is ready.
 *
 * @throws Error when it ends, or is silent for a minute
 */
export async function startServer(name: string, options: StartOptions): Promise<ServerProcess> {
  const ready = options.ready ?? LISTENING;
  const { loopDelay } = options;
  const startedMs = performance.now();
  const child = spawn(
    process.execPath,
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
    cpuMs: async () => sumOf((await familyOf(child.pid ?? 0)).map(cpuMsOf)),
    residentMb: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8");
      return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
    },
    workers: async () => (await familyOf(child.pid ?? 0)).length - 1,
    async loopDelayDuring(load) {
      if (loopDelay === undefined) throw new Error(`${name} was started without a probe of its event loop`);
      const watched = await watchedProcesses(child.pid ?? 0, loopDelay.probe);
      for (const pid of watched) process.kill(pid, "SIGUSR2");
      await load();
      for (const pid of watched) process.kill(pid, "SIGUSR2");
      return worstOf(await Promise.all(watched.map((pid) => answerIn(`${loopDelay.file}.${pid}`, name))));
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** Those that loaded the probe: the signal would end any other. */
async function watchedProcesses(pid: number, probe: string): Promise<number[]> {
  const family = await familyOf(pid);
  const commands = await Promise.all(family.map((member) => readFile(`/proc/${member}/cmdline`, "utf8")));
  return family.filter((_, index) => commands[index]?.split("\0").includes(probe));
}

function worstOf(delays: readonly LoopDelay[]): LoopDelay {
  const worst = (key: keyof LoopDelay) => Math.max(...delays.map((delay) => delay[key]));
  return { p50: worst("p50"), p99: worst("p99"), max: worst("max") };
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
        child.stdout?.resume();
        return { greeting: printed, readyAtMs };
      }
    }
  } finally {
    clearTimeout(silent);
  }
  throw new Error(`${name} ended before it listened: ${printed}`);
}

/** The process and all that it started, by /proc/<pid>/task/<thread>/children. Linux only. */
async function familyOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, "utf8").catch(() => "")),
  );
  const children = lists.flatMap((list) => list.trim().split(" ").filter(Boolean).map(Number));
  return [pid, ...(await Promise.all(children.map(familyOf))).flat()];
}

/** Linux only: nanoseconds on a processor, of every thread (/proc/<pid>/task/<thread>/schedstat). */
async function cpuMsOf(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  return sumOf(
    threads.map(async (thread) => {
      const [onProcessor] = (await readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8")).split(" ");
      return Number(onProcessor) / 1e6;
    }),
  );
}

async function sumOf(values: readonly Promise<number>[]): Promise<number> {
  return (await Promise.all(values)).reduce((sum, value) => sum + value, 0);
}
