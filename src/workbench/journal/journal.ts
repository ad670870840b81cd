import { constants, type FileHandle, open } from "node:fs/promises";
import { readLines } from "../outcomes/text-lines.js";
import { WorkbenchError } from "../workbench-error.js";
import { type JournalEntry, journalEntry, Ledger } from "./ledger.js";

/**
 * The calls of a collection, one JSON object a line, in a file that is only appended to. A line is on disk when `append`
 * resolves: what is appended at the same time shares one flush. A process that is killed leaves at most one incomplete
 * line, the last one, which is removed when the journal is opened again.
 */
export class Journal {
  readonly #file: FileHandle;
  readonly #path: string;
  /** Lines that wait for the flush under way. */
  #waiting: string[] = [];
  #flushing: Promise<void> = Promise.resolve();
  #nextFlush: Promise<void> | undefined;

  /** What all entries say together, those of earlier runs included. */
  readonly ledger: Ledger;
  /** Keys of the questions that were being asked when an earlier run was killed. */
  readonly lost: ReadonlySet<string>;

  private constructor(file: FileHandle, path: string, { ledger, lost }: Pick<Journal, "ledger" | "lost">) {
    this.#file = file;
    this.#path = path;
    this.ledger = ledger;
    this.lost = lost;
  }

  /** @throws WorkbenchError when the file cannot be read or written, or holds something else */
  static async open(path: string): Promise<Journal> {
    const file = await open(path, APPENDED).catch((cause: unknown) => {
      throw isLink(cause) ? linked(path, cause) : unusable(path, cause);
    });
    try {
      await dropIncompleteLine(file);
      const ledger = await readLedger(path);
      return new Journal(file, path, { ledger, lost: new Set(ledger.loseOpenCalls()) });
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /**
   * Adds an entry. It counts in the ledger at once.
   *
   * @throws WorkbenchError when it cannot be written; then nothing can be appended any more
   */
  append(entry: JournalEntry): Promise<void> {
    this.ledger.apply(entry);
    this.#waiting.push(`${JSON.stringify(entry)}\n`);
    this.#nextFlush ??= this.#flushing.then(() => this.#flush());
    this.#flushing = this.#nextFlush;
    return this.#nextFlush;
  }

  /** Resolves when all that was appended so far is on disk, or cannot be written. */
  flushed(): Promise<void> {
    return this.#flushing.catch(() => {});
  }

  async close(): Promise<void> {
    await this.flushed();
    await this.#file.close();
  }

  async #flush(): Promise<void> {
    const lines = this.#waiting.join("");
    this.#waiting = [];
    this.#nextFlush = undefined;
    try {
      await this.#file.appendFile(lines);
      await this.#file.datasync();
    } catch (cause) {
      throw unusable(this.#path, cause);
    }
  }
}

/** Of a link, the file that it leads to would lose what is taken for an incomplete line. Windows knows no such flag. */
const APPENDED = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/** FreeBSD says EMLINK. */
const isLink = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && (cause.code === "ELOOP" || cause.code === "EMLINK");

const linked = (path: string, cause: unknown): WorkbenchError =>
  new WorkbenchError(
    `${path} is a link, which is not followed: a journal is changed in place. Copy the file that it leads to here, or name its folder`,
    { cause },
  );

const LINE_FEED = 0x0a;
const TAIL_BYTES = 65_536;

/** Cuts off what follows the last line feed, which a process that was killed left. */
async function dropIncompleteLine(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
  for (let end = size; end > 0; end -= tail.length) {
    const start = Math.max(0, end - tail.length);
    const { bytesRead } = await file.read(tail, 0, end - start, start);
    const last = tail.subarray(0, bytesRead).lastIndexOf(LINE_FEED);
    if (last >= 0) return start + last + 1 < size ? file.truncate(start + last + 1) : undefined;
  }
  await file.truncate(0);
}

async function readLedger(path: string): Promise<Ledger> {
  const ledger = new Ledger();
  for await (const { text, row } of readLines(path)) ledger.apply(parseEntry(text, { path, line: row }));
  return ledger;
}

function parseEntry(
  text: string,
  { path, line }: { readonly path: string; readonly line: number },
): JournalEntry {
  try {
    return journalEntry.parse(JSON.parse(text));
  } catch (cause) {
    throw new WorkbenchError(
      `${path}, line ${line}: this is no entry of a journal. Remove the line if the file was edited, or name another folder: ` +
        "answers that only this file has would be paid again",
      { cause },
    );
  }
}

function unusable(path: string, cause: unknown): WorkbenchError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new WorkbenchError(
    `${path} cannot be written (${detail}). Make room or allow writing, and run the same again`,
    {
      cause,
    },
  );
}
