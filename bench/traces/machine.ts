import { open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const WRITES = 200;
const BLOCK = Buffer.alloc(4096, 1);

/** Milliseconds for appending a block of 4 kB to a file in that folder and making it last. */
export async function fsyncTimes(folder: string): Promise<number[]> {
  const path = join(folder, "fsync-probe");
  const file = await open(path, "w");
  const times: number[] = [];
  for (let write = 0; write < WRITES; write++) {
    await file.write(BLOCK);
    const started = performance.now();
    await file.datasync();
    times.push(performance.now() - started);
  }
  await file.close();
  await rm(path);
  return times;
}

export interface Memory {
  /** Resident, in MB (10^6 bytes). */
  readonly nowMb: number;
  /** The most since the start, or since `forgetPeak`. */
  readonly peakMb: number;
}

/** Of a process, by its id or `self`. Linux only. */
export async function memoryOf(process: number | "self"): Promise<Memory> {
  const status = await readFile(`/proc/${process}/status`, "utf8");
  const megabytes = (name: string) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024) / 1e6;
  return { nowMb: megabytes("VmRSS"), peakMb: megabytes("VmHWM") };
}

/** Has this process's peak begin anew at what it uses now. */
export const forgetPeak = (): Promise<void> => writeFile("/proc/self/clear_refs", "5");
