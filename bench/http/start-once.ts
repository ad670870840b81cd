import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Measurements of one start of a server. */
export interface Start {
  /** From the start of the process to its line `listening on …`, in milliseconds. */
  readonly readyMs: number;
  /** On a processor until then, of all threads, in milliseconds. */
  readonly cpuMs: number;
  /** Of the resident memory a while after, in MB: all of it, and what is not shared with files. */
  readonly residentMb: number;
  readonly anonymousMb: number;
}

export interface StartingServer {
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Memory is measured after work that was deferred at the start is done. */
const SETTLE_MS = 1500;

/** Starts the server in an empty folder, measures, and stops it. Linux only. @throws Error when it ends too soon */
export async function startOnce({ args, environment }: StartingServer): Promise<Start> {
  const folder = await mkdtemp(join(tmpdir(), "sextant-bench-start-"));
  const startedMs = performance.now();
  const child = spawn(process.execPath, args, {
    env: {
      ...process.env,
      SEXTANT_PORT: "0",
      SEXTANT_DATA_DIR: folder,
      SEXTANT_LOG_LEVEL: "silent",
      ...environment,
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exited = once(child, "exit");
  try {
    await listening(child.stdout);
    const readyMs = performance.now() - startedMs;
    const pid = child.pid ?? 0;
    const cpuMs = await cpuMsOf(pid);
    await wait(SETTLE_MS);
    return { readyMs, cpuMs, ...(await memoryOf(pid)) };
  } finally {
    child.kill("SIGTERM");
    await exited;
    await rm(folder, { recursive: true, force: true });
  }
}

async function listening(output: NodeJS.ReadableStream): Promise<void> {
  let printed = "";
  await new Promise<void>((resolve, reject) => {
    output.on("data", (piece) => {
      printed += String(piece);
      if (printed.includes("listening on http")) resolve();
    });
    output.on("end", () => reject(new Error(`a server ended before it listened: ${printed}`)));
  });
}

async function cpuMsOf(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(
    threads.map(async (thread) => {
      const [nanoseconds] = (await readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8")).split(" ");
      return Number(nanoseconds) / 1e6;
    }),
  );
  return times.reduce((sum, time) => sum + time, 0);
}

async function memoryOf(pid: number): Promise<Pick<Start, "residentMb" | "anonymousMb">> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  const megabytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(text)?.[1]) / 1024;
  return { residentMb: megabytes("Rss"), anonymousMb: megabytes("Anonymous") };
}
