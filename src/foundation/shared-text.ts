import { SharedFile } from "./shared-file.js";

/** A small text that several processes share. Its methods reject when it cannot be read or written. */
export interface SharedText {
  /** Where it is, for messages. */
  readonly name: string;
  /** Undefined while there is none. */
  read(): Promise<string | undefined>;
  /**
   * Replaces the text by what `change` makes of it, while no other process can; undefined leaves it.
   *
   * @param change may be called again
   */
  update(change: (text: string | undefined) => string | undefined): Promise<void>;
  close(): Promise<void>;
}

/** In a file, for any number of processes of this machine. */
export function textInFile(path: string): SharedText {
  const file = new SharedFile(path);
  return {
    name: path,
    read: async () => (await file.read()).text,
    update: async (change) => void (await file.update(change)),
    close: async () => {},
  };
}
