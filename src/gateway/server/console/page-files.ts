import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";

/** One file of the page, in all the forms in which it can be sent. */
export interface PageFile {
  readonly type: string;
  readonly etag: string;
  /** Whether its name changes whenever its content does. */
  readonly isHashed: boolean;
  readonly plain: Buffer;
  readonly brotli: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** What the build puts there carries a hash of its content in its name. */
const HASHED_FOLDER = "assets/";

/**
 * Everything that the build of the page left in a folder, by path with `/`; empty when it was not built. Read once and kept:
 * it is small, and nothing outside of it can be asked for.
 */
export async function readPageFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>();
  for (const path of await pathsIn(folder)) {
    const type = TYPES[extname(path)];
    if (type === undefined) continue;
    const read = (suffix: string) => readFile(join(folder, path + suffix)).catch(() => undefined);
    const [plain, brotli, gzip] = await Promise.all([read(""), read(".br"), read(".gz")]);
    if (plain === undefined) continue;
    const isHashed = path.startsWith(HASHED_FOLDER);
    files.set(path, { type, etag: etagOf(plain), isHashed, plain, brotli, gzip });
  }
  return files;
}

async function pathsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
}

const etagOf = (bytes: Buffer): string =>
  `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;

/** The smallest form that the client takes, and the name of its encoding. */
export function chooseForm(
  file: PageFile,
  acceptEncoding: string | undefined,
): { readonly body: Buffer; readonly encoding: "br" | "gzip" | undefined } {
  const accepted = (acceptEncoding ?? "").split(",").map((encoding) => encoding.trim().split(";", 1)[0]);
  if (file.brotli !== undefined && accepted.includes("br")) return { body: file.brotli, encoding: "br" };
  if (file.gzip !== undefined && accepted.includes("gzip")) return { body: file.gzip, encoding: "gzip" };
  return { body: file.plain, encoding: undefined };
}
