import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type WrittenSet, writeCanonical } from "./canonical-writer.js";
import { type Fetch, FetchError, haveFile, isFile, sha256OfFile } from "./fetch-file.js";
import type { Importer } from "./imported-row.js";
import type { KnownChecksums } from "./known-checksums.js";
import type { RegisteredSet } from "./registry.js";
import { joinTrees, openFolder, type SourceTree } from "./sources/source-tree.js";
import { openTarGz } from "./sources/tar.js";
import { openZip } from "./sources/zip.js";

export interface ImportSetOptions {
  /** Folder that gets the set, in the canonical layout. */
  readonly out: string;
  /** Folder with the files, or with `<set>/` that holds them, or an unpacked checkout; null = they are downloaded. */
  readonly mirror: string | null;
  /** Where downloads are kept. */
  readonly cache: string;
  readonly importer: Importer;
  readonly checksums: KnownChecksums;
  readonly fetch: Fetch;
  readonly signal?: AbortSignal;
  /** Called with a sentence for a person. */
  readonly onNote?: (note: string) => void;
  readonly onBytes?: (name: string, done: number, total: number | null) => void;
  readonly onRows?: (rows: number) => void;
}

/**
 * Fetches a registered set, or takes it from a mirror, checks it, and writes it in the canonical layout.
 *
 * @throws FetchError, ImportError, or an Error naming a checksum that differs
 */
export async function importSet(set: RegisteredSet, options: ImportSetOptions): Promise<WrittenSet> {
  const { out, importer, signal, onNote, onRows } = options;
  const tree = await openSource(set, options);
  const { name, title, url, commit, licence, figures_may_ship } = set;
  if (licence === null) {
    onNote?.(
      `${title} states no licence: measure with it and publish summaries, but pass no figure per prompt on.`,
    );
  }
  return writeCanonical(importer(tree), out, {
    source: { name, title, url, commit, licence, figures_may_ship },
    ...(signal === undefined ? {} : { signal }),
    ...(onRows === undefined ? {} : { onRows }),
  });
}

async function openSource(set: RegisteredSet, options: ImportSetOptions): Promise<SourceTree> {
  const { mirror } = options;
  const files = set.files ?? [];
  if (mirror === null) {
    const folder = join(options.cache, set.name);
    const trees: SourceTree[] = [];
    for (const file of files) {
      const { fetch, signal, onBytes } = options;
      const path = await haveFile(file, {
        folder,
        fetch,
        ...(signal === undefined ? {} : { signal }),
        ...(onBytes === undefined ? {} : { onBytes: (done, total) => onBytes(file.name, done, total) }),
      });
      trees.push(await openChecked(path, { set: set.name, file, folder, options }));
    }
    return joinTrees(trees);
  }
  return openMirror(set, mirror, options);
}

/** Files of the registered names where they are there; else the folder as somebody unpacked it. */
async function openMirror(
  set: RegisteredSet,
  mirror: string,
  options: ImportSetOptions,
): Promise<SourceTree> {
  const own = join(mirror, set.name);
  const folder = (await isFolder(own)) ? own : mirror;
  if (!(await isFolder(folder))) {
    throw new FetchError(`There is no folder ${mirror}; name one that holds the files of ${set.title}.`);
  }
  const trees: SourceTree[] = [];
  for (const file of set.files ?? []) {
    const path = join(folder, file.name);
    if (await isFile(path)) trees.push(await openChecked(path, { set: set.name, file, folder, options }));
  }
  if (trees.length === 0) {
    options.onNote?.(
      `None of the registered files lies in ${folder}; it is read as an unpacked copy, unchecked.`,
    );
  }
  return joinTrees([...trees, await openFolder(folder)]);
}

async function openChecked(
  path: string,
  about: {
    readonly set: string;
    readonly file: NonNullable<RegisteredSet["files"]>[number];
    readonly folder: string;
    readonly options: ImportSetOptions;
  },
): Promise<SourceTree> {
  const { set, file, folder, options } = about;
  const found = await sha256OfFile(path);
  const verdict = await options.checksums.check({ set, file }, found);
  if (verdict === "recorded") {
    options.onNote?.(
      `${file.name}: no checksum was known; ${found} is trusted from now on (datasets/checksums.json).`,
    );
  }
  if (path.endsWith(".zip")) return openZip(await readFile(path));
  if (/\.(tar\.gz|tgz)$/.test(path)) return openTarGz(await readFile(path));
  return {
    paths: [file.name],
    read: () => readFile(path),
    locate: () => join(folder, file.name),
  };
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
