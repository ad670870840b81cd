import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { crc32 } from "node:zlib";
import { z } from "zod";

/** Traces that had been stored and are not there any more. */
export interface TraceLoss {
  readonly traces: number;
  /** Path of a copy of the write-ahead log as it was found; null when it is not damaged, or not there. */
  readonly damagedLog: string | null;
}

const recordSchema = z.object({
  traces: z.int().nonnegative(),
  /** The bytes of the write-ahead log that hold what was acknowledged; null when the log may be worked into the file. */
  log: z.object({ bytes: z.int().nonnegative(), crc32: z.int().nonnegative() }).nullable(),
});

type AcknowledgedRecord = z.infer<typeof recordSchema>;
type LogPart = NonNullable<AcknowledgedRecord["log"]>;

/** Longer than any record, so that each is written over the one before as a whole. */
const RECORD_BYTES = 128;
const READ_BYTES = 1024 * 1024;
const NO_LOG: LogPart = { bytes: 0, crc32: 0 };

/**
 * How many traces a database file holds that were acknowledged, and a checksum of its write-ahead log, in a file beside it
 * (`<path>.acknowledged`). The library leaves out silently what it takes for the end of a log that a crash cut off; this tells
 * a loss from that.
 *
 * Nothing is flushed but before the log is worked into the file: the record may be behind the log, never ahead of it. A record
 * that cannot be written is removed, and then nothing is checked. Blocks the thread, some tens of microseconds for each append.
 */
export class Acknowledged {
  readonly #filePath: string;
  readonly #path: string;
  readonly #logPath: string;
  #traces = 0;
  #log = NO_LOG;
  #descriptor: number | undefined;

  /** @param path of the database file */
  constructor(path: string) {
    this.#filePath = path;
    this.#path = `${path}.acknowledged`;
    this.#logPath = `${path}.wal`;
  }

  /**
   * Call before the library opens the file, which may shorten a damaged log.
   *
   * @returns what is to be expected of the file; undefined when nothing is known
   */
  expected(): ExpectedFile | undefined {
    // A file that was moved away, which is the remedy for one that cannot be used, is no loss.
    const record = existsSync(this.#filePath) ? readRecord(this.#path) : undefined;
    if (record === undefined) return undefined;
    const { traces, log } = record;
    const isIntact = log === null || this.#crcOf({ ...NO_LOG }, log.bytes) === log.crc32;
    this.#log = isIntact && log !== null ? log : NO_LOG;
    if (isIntact || !existsSync(this.#logPath)) return { traces, damagedLog: null };
    const damagedLog = `${this.#logPath}.damaged-${Date.now()}`;
    copyFileSync(this.#logPath, damagedLog);
    return { traces, damagedLog };
  }

  /** The file is open and has that many traces. */
  begin(traces: number): void {
    this.#traces = traces;
    if (this.#logBytes() < this.#log.bytes) this.#log = NO_LOG;
    this.#write({ traces, log: this.#log });
  }

  /** A transaction was committed that added so many traces, or one that would have removed them was not. */
  committed(traces: number): void {
    this.#traces += traces;
    const bytes = this.#logBytes();
    if (bytes < this.#log.bytes) this.#log = NO_LOG;
    const sum = this.#crcOf(this.#log, bytes);
    this.#log = sum === undefined ? NO_LOG : { bytes, crc32: sum };
    this.#write({ traces: this.#traces, log: this.#log });
  }

  /** From now on until the next commit, the log may be worked into the file and begin anew. */
  expectCheckpoint(): void {
    this.#log = NO_LOG;
    this.#write({ traces: this.#traces, log: null });
    // Or a power failure could leave a record of a log that is gone.
    this.#flush();
  }

  /** A transaction is going to be committed that removes so many traces: a crash from now on loses none of them. */
  removing(traces: number): void {
    this.#traces -= traces;
    this.expectCheckpoint();
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #write(record: AcknowledgedRecord): void {
    try {
      this.#descriptor ??= openSync(this.#path, "w", 0o600);
      writeSync(this.#descriptor, JSON.stringify(record).padEnd(RECORD_BYTES), 0);
    } catch {
      this.#giveUp();
    }
  }

  #flush(): void {
    try {
      if (this.#descriptor !== undefined) fsyncSync(this.#descriptor);
    } catch {
      this.#giveUp();
    }
  }

  /** A record that is behind by more than a moment would hide a loss: better none. */
  #giveUp(): void {
    try {
      this.close();
      rmSync(this.#path, { force: true });
    } catch {
      this.#descriptor = undefined;
    }
  }

  /** 0 while there is no log. */
  #logBytes(): number {
    return withFile(this.#logPath, (descriptor) => fstatSync(descriptor).size) ?? 0;
  }

  /** The checksum of the log up to a byte, given that of its beginning; undefined when it is shorter than that. */
  #crcOf({ bytes, crc32: before }: LogPart, end: number): number | undefined {
    if (end === bytes) return before;
    return withFile(this.#logPath, (descriptor) => {
      const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, end - bytes));
      let [sum, at] = [before, bytes];
      while (at < end) {
        const read = readSync(descriptor, buffer, 0, Math.min(buffer.length, end - at), at);
        if (read === 0) return undefined;
        sum = crc32(buffer.subarray(0, read), sum);
        at += read;
      }
      return sum;
    });
  }
}

/** What a file should hold that is going to be opened. */
export interface ExpectedFile {
  readonly traces: number;
  readonly damagedLog: string | null;
}

/** What is missing in a file that was opened; undefined when nothing is. */
export function lossOf(expected: ExpectedFile | undefined, found: number): TraceLoss | undefined {
  if (expected === undefined) return undefined;
  const traces = Math.max(0, expected.traces - found);
  return traces === 0 && expected.damagedLog === null ? undefined : { ...expected, traces };
}

function readRecord(path: string): AcknowledgedRecord | undefined {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return undefined;
  }
}

/** Undefined when there is no such file, or it cannot be read. */
function withFile<Result>(path: string, use: (descriptor: number) => Result): Result | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, "r");
    return use(descriptor);
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
