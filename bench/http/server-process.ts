import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";

/** The key of the gateways that benchmarks start. */
export const KEY = "pk_live_benchmarkbenchmarkbenchmarkbenchmark";
export const AUTHORIZATION = { authorization: `Bearer ${KEY}` };

/** A server in a process of its own, so that its processor time can be measured separately. */
export interface ServerProcess {
  readonly address: string;
  /** Milliseconds from its start until it said that it is ready. */
  readonly readyMs: number;
  readonly child: ChildProcess;
  /** Milliseconds on a processor since it started: all its threads, user and system. */
  cpuMs(): Promise<number>;
  /** Resident memory of its process alone, in MB. */
  residentMb(): Promise<number>;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 15_000;

export interface StartOptions {
  /** Default: this Node. */
  readonly program?: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** What a server prints when it is ready, its address as the first group. Default: `listening on http://…`. */
  readonly ready?: RegExp;
}

const LISTENING = /listening on (http:\/\/\S+)/;

/**
 * Starts a program with these arguments and waits until it says that it is ready.
 *
 * @throws Error when it ends, or is silent for a minute
 */
export async function startServer(name: string, options: StartOptions): Promise<ServerProcess> {
  const ready = options.ready ?? LISTENING;
  const startedMs = performance.now();
  const child = spawn(options.program ?? process.execPath, options.args, {
    env: { ...process.env, ...options.environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const address = await addressOf(child, { name, ready });
  return {
    address,
    readyMs: performance.now() - startedMs,
    child,
    cpuMs: () => cpuMsOf(child.pid ?? 0),
    residentMb: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8");
      return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
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

async function addressOf(
  child: ChildProcess,
  { name, ready }: { readonly name: string; readonly ready: RegExp },
): Promise<string> {
  const silent = setTimeout(() => child.kill("SIGKILL"), START_LIMIT_MS);
  let printed: string | undefined = "";
  try {
    return await new Promise((resolve, reject) => {
      child.stdout?.on("data", (chunk) => {
        // It is read on after that, since a full pipe would stop the server.
        if (printed === undefined) return;
        printed += String(chunk);
        const found = ready.exec(printed);
        if (found === null) return;
        printed = undefined;
        resolve(found[1] ?? "");
      });
      child.stdout?.once("end", () => reject(new Error(`${name} ended before it listened: ${printed}`)));
    });
  } finally {
    clearTimeout(silent);
  }
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
