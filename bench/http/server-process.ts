import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";

/** A server in a process of its own, so that its processor time is nobody else's. */
export interface ServerProcess {
  readonly address: string;
  /** What it printed until it listened. */
  readonly greeting: string;
  /** Milliseconds on a processor since it started: all threads, user and system. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 60_000;

/**
 * Starts `node` with these arguments and waits for a line `… listening on http://…`.
 *
 * @throws Error when it ends, or is silent for a minute
 */
export async function startServer(
  name: string,
  options: { readonly args: readonly string[]; readonly environment?: Readonly<Record<string, string>> },
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [...options.args], {
    env: { ...process.env, ...options.environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const greeting = await greetingOf(child, name);
  const address = /listening on (http:\/\/\S+)/.exec(greeting)?.[1] ?? "";
  return {
    address,
    greeting,
    cpuMs: () => cpuMsOf(child.pid ?? 0),
    async stop() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

async function greetingOf(child: ChildProcess, name: string): Promise<string> {
  let printed = "";
  const silent = setTimeout(() => child.kill("SIGKILL"), START_LIMIT_MS);
  try {
    for await (const chunk of child.stdout ?? []) {
      printed += String(chunk);
      if (/listening on http:\/\/\S+/.test(printed)) {
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
