import { stat } from "node:fs/promises";

/**
 * Notices when files are changed, replaced, added or removed, by looking at their times: that works on network file systems and with
 * folders behind links, where notifications do not.
 */
export class FileChanges {
  readonly #stateOf: () => Promise<string | undefined>;
  /** As of the first look, then as of the last change that was reported. */
  #known: string | undefined;
  #last: string | undefined;

  /** @param stateOf changes with the files; undefined while they are being replaced */
  constructor(stateOf: () => Promise<string | undefined>) {
    this.#stateOf = stateOf;
  }

  /**
   * Looks at the files. The first look reports nothing.
   *
   * @returns true once for each change, when two looks in a row found the same: files that are being copied are not complete
   */
  async look(): Promise<boolean> {
    const now = await this.#stateOf();
    const hasSettled = now !== undefined && now === this.#last;
    this.#last = now;
    this.#known ??= now;
    if (!hasSettled || now === this.#known) return false;
    this.#known = now;
    return true;
  }
}

/** Changes with the file. @throws what the system says, such as ENOENT */
export async function fileState(path: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(path, { bigint: true });
  return `${path} ${ino} ${size} ${mtimeNs}`;
}
