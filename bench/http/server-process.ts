import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";

/** A server in a process of its own, so that its processor time is nobody else's. */
export interface ServerProcess {
  readonly address: string;
  /** What it printed until it listened. */
  readonly greeting: string;
  /** For signals, and for messages where they are asked for. */
  readonly child: ChildProcess;
  /** Milliseconds on a processor since it started: all threads, user and system. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 60_000;

export interface StartOptions {
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** What a server prints when it is ready, its address as the first group. Default: `listening on http://…`. */
  readonly ready?: RegExp;
  /** `ipc`: the server and this process can send each other messages. */
  readonly messages?: "ipc";
}

const LISTENING = /listening on (http:\/\/\S+)/;

/**
 * Starts `node` with these arguments and waits until it says that it is ready.
 *
 * @throws Error when it ends, or is silent for a minute
 */
export async function startServer(name: string, options: StartOptions): Promise<ServerProcess> {
  const ready = options.ready ?? LISTENING;
  const child = spawn(process.execPath, [...options.args], {
    env: { ...process.env, ...options.environment },
    stdio: ["ignore", "pipe", "inherit", ...(options.messages === undefined ? [] : [options.messages])],
  });
  const greeting = await greetingOf(child, { name, ready });
  const address = ready.exec(greeting)?.[1] ?? "";
  return {
    address,
    greeting,
    child,
    cpuMs: () => cpuMsOf(child.pid ?? 0),
    async stop() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

async function greetingOf(
  child: ChildProcess,
  { name, ready }: { readonly name: string; readonly ready: RegExp },
): Promise<string> {
  let printed = "";
  const silent = setTimeout(() => child.kill("SIGKILL"), START_LIMIT_MS);
  try {
    for await (const chunk of child.stdout ?? []) {
      printed += String(chunk);
      if (ready.test(printed)) {
        // What follows, such as a first key, comes with the next chunk at the latest.
        await new Promise((resolve) => setTimeout(resolve, 200));
        return printed + String(child.stdout?.read() ?? "");
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
