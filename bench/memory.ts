import { readFile } from "node:fs/promises";

export interface Memory {
  /** Resident, in MB (10^6 bytes). */
  readonly nowMb: number;
  /** The most since the start. */
  readonly peakMb: number;
}

/** Of a process, by its id or `self`. Linux only. */
export async function memoryOf(process: number | "self"): Promise<Memory> {
  const status = await readFile(`/proc/${process}/status`, "utf8");
  const megabytes = (name: string) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024) / 1e6;
  return { nowMb: megabytes("VmRSS"), peakMb: megabytes("VmHWM") };
}
