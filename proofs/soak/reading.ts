import { readdir } from "node:fs/promises";
import { memoryOf } from "../../bench/memory.js";
import { folderBytes } from "../../bench/traces/bench-store.js";

/** What the server holds at one moment. Memory in MB (10^6 bytes). */
export interface Reading {
  readonly minute: number;
  readonly residentMb: number;
  /** Used by JavaScript objects of the main thread. */
  readonly heapMb: number;
  /** Buffers and native objects that JavaScript of the main thread holds, among them the token table and the profiles. */
  readonly externalMb: number;
  /** Files, sockets and pipes. */
  readonly handles: number;
  readonly filesMb: number;
}

export interface Server {
  readonly pid: number;
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly dataFolder: string;
  /** On a processor since its start: all threads, and processes that it started. */
  readonly cpuMs: () => Promise<number>;
}

/** Linux only. */
export async function readServer(
  { pid, address, headers, dataFolder }: Omit<Server, "cpuMs">,
  minute: number,
): Promise<Reading> {
  const [memory, handles, files, metrics] = await Promise.all([
    memoryOf(pid),
    readdir(`/proc/${pid}/fd`),
    folderBytes(dataFolder),
    fetch(`${address}/metrics`, { headers }).then((reply) => reply.text()),
  ]);
  const metricMb = (name: string) =>
    Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, "m").exec(metrics)?.[1] ?? Number.NaN) / 1e6;
  return {
    minute,
    residentMb: memory.nowMb,
    heapMb: metricMb("nodejs_heap_size_used_bytes"),
    externalMb: metricMb("nodejs_external_memory_bytes"),
    handles: handles.length,
    filesMb: files / 1e6,
  };
}
