import { join } from "node:path";
import { systemTimers } from "../../../src/foundation/timers.js";
import { Recorder, type RecorderOptions } from "../../../src/gateway/traces/recorder.js";
import { SpillFolder, type SpillOptions } from "../../../src/gateway/traces/spill/spill-folder.js";

/** The folder `spill` of a folder, of a process. */
export const spillIn = (folder: string, options: Partial<SpillOptions> = {}): SpillFolder =>
  new SpillFolder(join(folder, "spill"), {
    maxBytes: 2 ** 30,
    startedAtMs: 1000,
    ...options,
  });

const ignore = () => {};

/** A recorder with room for everything, which tells nobody what goes wrong. */
export const recorderOf = (
  options: Pick<RecorderOptions, "store" | "spill"> & Partial<RecorderOptions>,
): Recorder =>
  new Recorder({
    content: "stored",
    flushMs: 100,
    bufferTraces: 100_000,
    bufferBytes: 2 ** 30,
    timers: systemTimers,
    clock: () => performance.now(),
    log: { info: ignore, warn: ignore, error: ignore },
    ...options,
  });
