import { existsSync } from "node:fs";
import { createPrivately } from "../foundation/private-folder.js";
import { LOSS_MESSAGE, openTraceStore, traceFile } from "../gateway/index.js";
import type { Settings } from "../gateway/settings.js";
import type { TraceStore } from "../gateway/traces/store.js";
import { CommandFailure } from "./context.js";

/**
 * The store that the settings name, to be read: a file that is not there is not created, because it would hide that the folder is
 * the wrong one.
 */
export const openStoredTraces = (settings: Settings): TraceStore => {
  const file = traceFile(settings);
  if (settings.chEnabled && settings.traceStore === "duckdb" && !existsSync(file)) {
    throw new CommandFailure(
      `there is no file ${file}. Name the data folder with SEXTANT_DATA_DIR, or a running server with --url.`,
    );
  }
  createPrivately();
  // A loss is found by whoever opens the file first.
  const onLoss = (loss: object) =>
    void process.stderr.write(`sextant: ${LOSS_MESSAGE}: ${JSON.stringify(loss)}\n`);
  return openTraceStore(settings, { onLoss });
};
