import { join } from "node:path";
import { SharedFile } from "../../foundation/shared-file.js";

/** The text of the state that all processes share. */
export interface AlertStore {
  read(): Promise<string | undefined>;
  /** Replaces the text by what `change` makes of it, while no other process can; it may be called again. Undefined leaves it. */
  update(change: (text: string | undefined) => string | undefined): Promise<void>;
  close(): Promise<void>;
}

/** `alerts.json` in the data folder, shared by any number of processes of this machine. */
export function alertFile(dataDir: string): AlertStore {
  const file = new SharedFile(join(dataDir, "alerts.json"));
  return {
    read: async () => (await file.read()).text,
    update: async (change) => void (await file.update(change)),
    close: async () => {},
  };
}
