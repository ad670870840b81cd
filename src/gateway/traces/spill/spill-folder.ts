import { existsSync, readdirSync, statSync } from "node:fs";
import { type FileHandle, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makePrivateFolder } from "../../../foundation/private-folder.js";
import { SerialQueue } from "../../../foundation/serial-queue.js";
import type { Trace } from "../trace.js";
import { linesOf, type ReadTraces, tracesOfLines } from "./trace-lines.js";

/** Bytes above which a segment is closed and another started. */
const SEGMENT_BYTES = 4 * 1024 * 1024;

const SEGMENT = /\.jsonl$/;

export interface SpillOptions {
  /** Most bytes of all segments together. */
  readonly maxBytes: number;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  readonly segmentBytes?: number;
}

/** Whether the store may have stored a trace although it has not said so. */
export type Stored = "maybe" | "never";

/** A file of traces. */
export interface Segment {
  readonly path: string;
  bytes: number;
  /** `maybe` when that holds for one of its traces: whoever gives them to the store sets it. */
  stored: Stored;
  /** Whether an earlier process, of another version perhaps, wrote it. */
  readonly isLeft: boolean;
}

/**
 * Traces on disk that a store is still to take: files of JSON lines, read in the order in which they were written.
 *
 * One process at a time has the folder: what a crash leaves, the next start finds, but for the end of a line that was being
 * written.
 */
export class SpillFolder {
  readonly #folder: string;
  readonly #options: SpillOptions;
  readonly #queue = new SerialQueue();
  #closed: Segment[];
  #open: (Segment & { readonly handle: FileHandle }) | undefined;
  #bytes: number;
  #made = 0;

  /** Looks for what an earlier process left. The folder is made when it is needed. @throws what the system says */
  constructor(folder: string, options: SpillOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#closed = leftSegments(folder);
    this.#bytes = this.#closed.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Bytes of all segments. */
  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#closed.length === 0 && this.#open === undefined;
  }

  /**
   * Writes the traces after those written before, as many as there is room for.
   *
   * @returns how many of the first were written
   * @throws what the system says; then none of them was
   */
  append(traces: readonly Trace[], stored: Stored = "maybe"): Promise<number> {
    return this.#queue.run(async () => {
      const room = this.#options.maxBytes - this.#bytes;
      const { data, count } = fitting(await linesOf(traces), room);
      if (count > 0) await this.#write(data, stored);
      return count;
    });
  }

  /** The segment to read first, closed to further traces; undefined when there is none. */
  oldest(): Promise<Segment | undefined> {
    return this.#queue.run(async () => {
      if (this.#closed.length === 0) await this.#closeSegment();
      return this.#closed[0];
    });
  }

  async read(segment: Segment): Promise<ReadTraces> {
    return tracesOfLines(await readFile(segment.path), segment);
  }

  async remove(segment: Segment): Promise<void> {
    this.#forget(segment);
    await rm(segment.path, { force: true });
  }

  /** Keeps lines of a segment that is going to be removed in a file that is not read. @returns its path */
  async putAside(segment: Segment, lines: readonly Uint8Array[]): Promise<string> {
    const path = damagedName(segment);
    await writeFile(path, Buffer.concat(lines), { mode: 0o600 });
    return path;
  }

  /** Lets go of a segment that cannot be read, and keeps its file under another name where that is possible. @returns its path */
  async putAsideWhole(segment: Segment): Promise<string> {
    this.#forget(segment);
    const path = damagedName(segment);
    return rename(segment.path, path).then(
      () => path,
      () => segment.path,
    );
  }

  #forget(segment: Segment): void {
    this.#closed = this.#closed.filter((other) => other !== segment);
    this.#bytes -= segment.bytes;
  }

  /** Lets go of the file that is being written. */
  close(): Promise<void> {
    return this.#queue.run(() => this.#closeSegment());
  }

  async #write(data: Buffer, stored: Stored): Promise<void> {
    this.#open ??= await this.#begin();
    const segment = this.#open;
    if (stored === "maybe") segment.stored = "maybe";
    try {
      await writeAll(segment.handle, data);
    } catch (error) {
      // Half a line must not stand before the next one.
      await segment.handle.truncate(segment.bytes).catch(() => {});
      await this.#closeSegment();
      throw error;
    }
    segment.bytes += data.length;
    this.#bytes += data.length;
    if (segment.bytes >= (this.#options.segmentBytes ?? SEGMENT_BYTES)) await this.#closeSegment();
  }

  async #begin() {
    makePrivateFolder(this.#folder);
    const name = [this.#options.startedAtMs, this.#made++]
      .map((part) => String(part).padStart(10, "0"))
      .join("-");
    const path = join(this.#folder, `${name}.jsonl`);
    return {
      path,
      handle: await open(path, "wx", 0o600),
      bytes: 0,
      stored: "never" as Stored,
      isLeft: false,
    };
  }

  async #closeSegment(): Promise<void> {
    const segment = this.#open;
    if (segment === undefined) return;
    this.#open = undefined;
    if (segment.bytes > 0) this.#closed.push(segment);
    await segment.handle.close();
    if (segment.bytes === 0) await rm(segment.path, { force: true });
  }
}

const damagedName = ({ path }: Segment): string => path.replace(/\.\w+$/, ".damaged");

/** Lines from the first on, as long as there is room for them. */
function fitting(lines: readonly string[], room: number): { readonly data: Buffer; readonly count: number } {
  const parts: Buffer[] = [];
  let bytes = 0;
  for (const line of lines) {
    const part = Buffer.from(line);
    if (bytes + part.length > room) break;
    bytes += part.length;
    parts.push(part);
  }
  return { data: Buffer.concat(parts), count: parts.length };
}

async function writeAll(handle: FileHandle, data: Buffer): Promise<void> {
  for (let at = 0; at < data.length; ) {
    const { bytesWritten } = await handle.write(data, at);
    at += bytesWritten;
  }
}

/** What earlier processes left in the folder, oldest first. */
const leftSegments = (folder: string): Segment[] =>
  (existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [])
    .filter((entry) => entry.isFile() && SEGMENT.test(entry.name))
    .map(({ name }) => join(folder, name))
    .sort()
    .map((path) => ({ path, bytes: statSync(path).size, stored: "maybe", isLeft: true }));
