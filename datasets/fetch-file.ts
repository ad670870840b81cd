import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { RegisteredFile } from "./registry.js";

/** A file of a set that cannot be had; the message says from where, why, and what to do. */
export class FetchError extends Error {
  override readonly name = "FetchError";
}

/** Opens an address; the platform's `fetch`, or a test's own. */
export type Fetch = (url: string, options: { readonly signal?: AbortSignal }) => Promise<Response>;

export interface FetchFileOptions {
  /** Folder the file is kept in. */
  readonly folder: string;
  readonly fetch: Fetch;
  readonly signal?: AbortSignal;
  /** Bytes had so far, and of all where the server says. */
  readonly onBytes?: (done: number, total: number | null) => void;
}

/**
 * Has a file on disk: as it lies there, else downloaded beside its name first, so that a broken download leaves nothing
 * that looks whole.
 *
 * @returns its path
 * @throws FetchError when it cannot be had
 */
export async function haveFile(file: RegisteredFile, options: FetchFileOptions): Promise<string> {
  const path = join(options.folder, file.name);
  if (await isFile(path)) return path;
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.partial`;
  try {
    await download(file.url, partial, options);
    await rename(partial, path);
    return path;
  } finally {
    await rm(partial, { force: true });
  }
}

export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function download(
  url: string,
  path: string,
  { fetch, signal, onBytes }: FetchFileOptions,
): Promise<void> {
  const response = await request(url, { fetch, signal });
  const total = Number(response.headers.get("content-length")) || null;
  let done = 0;
  async function* counted(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])) {
      done += (chunk as Uint8Array).length;
      onBytes?.(done, total);
      yield chunk as Uint8Array;
    }
  }
  if (response.body === null) throw new FetchError(`${url} answered without a body; try again later.`);
  await pipeline(counted(response.body), createWriteStream(path), signal === undefined ? {} : { signal });
}

async function request(
  url: string,
  { fetch, signal }: { readonly fetch: Fetch; readonly signal: AbortSignal | undefined },
): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, signal === undefined ? {} : { signal });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new FetchError(
      `${url} cannot be reached. Without a way to it, fetch the file elsewhere, put it into a folder, and name that folder with --mirror DIR.`,
      { cause },
    );
  }
  if (response.ok) return response;
  throw new FetchError(
    `${url} answered ${response.status}. If the set has moved, mend its address in datasets/registry.json, or name a folder that holds it with --mirror DIR.`,
  );
}

/** SHA-256 (hex) of a file, read in pieces. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
