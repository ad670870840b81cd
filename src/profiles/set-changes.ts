import { stat } from "node:fs/promises";
import { join } from "node:path";
import { findSets } from "./load.js";
import { MANIFEST_FILE, MODELS_FOLDER } from "./manifest.js";

/**
 * Notices when profile sets are built again, replaced, added, removed, or given other models. Looks at the times of the files that
 * every such change touches, which works on network file systems and with folders behind links, where notifications do not.
 */
export class SetChanges {
  readonly #folders: readonly string[];
  /** As of the first look, then as of the last change that was reported. */
  #known: string | undefined;
  #last: string | undefined;

  /** @param folders sets, or folders of sets */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /**
   * Looks at the files. The first look reports nothing.
   *
   * @returns true once for each change, when two looks in a row found the same: sets that are being copied are not complete
   */
  async look(): Promise<boolean> {
    const now = await stateOf(this.#folders);
    const hasSettled = now !== undefined && now === this.#last;
    this.#last = now;
    this.#known ??= now;
    if (!hasSettled || now === this.#known) return false;
    this.#known = now;
    return true;
  }
}

/** Changes with the sets on disk; undefined while there is none, or one is being replaced. */
async function stateOf(folders: readonly string[]): Promise<string | undefined> {
  try {
    const sets = (await Promise.all(folders.map(findSets))).flat();
    if (sets.length === 0) return undefined;
    const paths = sets.flatMap((set) => [set, join(set, MANIFEST_FILE), join(set, MODELS_FOLDER)]);
    return (await Promise.all(paths.map(fileState))).join("\n");
  } catch {
    return undefined;
  }
}

async function fileState(path: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(path, { bigint: true });
  return `${path} ${ino} ${size} ${mtimeNs}`;
}
