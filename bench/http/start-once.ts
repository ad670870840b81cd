import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type StartOptions, startServer } from "./server-process.js";

/** Measurements of one start of a server. */
export interface Start {
  /** From the start of the process to its line `listening on …`, in milliseconds. */
  readonly readyMs: number;
  /** On a processor until it has settled, of all threads, in milliseconds. */
  readonly cpuMs: number;
  /** Resident memory then, in MB. */
  readonly residentMb: number;
}

/** After this, work that was deferred at the start is done. */
const SETTLE_MS = 1500;

/** Starts the server in an empty folder, measures, and stops it. Linux only. @throws Error when it ends too soon */
export async function startOnce(name: string, { args, environment }: StartOptions): Promise<Start> {
  const folder = await mkdtemp(join(tmpdir(), "sextant-bench-start-"));
  try {
    const server = await startServer(name, {
      args,
      environment: {
        SEXTANT_PORT: "0",
        SEXTANT_DATA_DIR: folder,
        SEXTANT_LOG_LEVEL: "silent",
        ...environment,
      },
    });
    try {
      await wait(SETTLE_MS);
      return { readyMs: server.readyMs, cpuMs: await server.cpuMs(), residentMb: await server.residentMb() };
    } finally {
      await server.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
