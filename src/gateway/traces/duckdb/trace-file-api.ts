/** What the thread that keeps the file does for the store. */
import type { AnswerTo, QuestionName, SentQuestion, TraceFilter, TraceScope } from "../store.js";
import type { Feedback } from "../trace.js";
import type { TraceLoss } from "./acknowledged.js";
import type { DatabaseOptions } from "./database.js";
import type { AppendedRows } from "./rows.js";

/** Handed to the thread when it starts. */
export interface TraceFileOptions extends DatabaseOptions {
  readonly path: string;
  /** Bytes of the write-ahead log from which on it is worked into the file. */
  readonly checkpointBytes: number;
  /** Bytes of the file that stay in memory between queries. */
  readonly cacheBytes: number;
}

/** Most traces in one part of an export, and about as many bytes of long texts, unless a single trace has more. */
export const EXPORT_BATCH = 1000;
export const EXPORT_BYTES = 16 * 1024 * 1024;

/** Traces, and bytes of their long texts, that are taken apart at once: so few that whoever asks is not held up by it. */
export const TRACES_AT_ONCE = 16;
export const BYTES_AT_ONCE = 512 * 1024;

export interface ExportPart {
  /** Traces, serialized, some in each: a message with all of them would be taken apart at once. */
  readonly batches: readonly Uint8Array<ArrayBuffer>[];
  /** Null after the last part. */
  readonly next: ExportCursor | null;
}

/** Where an export goes on. */
export interface ExportCursor {
  readonly createdAtMs: number;
  readonly requestId: string;
}

interface BatchPart {
  readonly batch: number;
  readonly rows: AppendedRows;
}

interface MissingQuestion {
  readonly requestIds: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
}

export interface ExportQuestion {
  readonly filter: TraceFilter;
  readonly scope: TraceScope;
  readonly after: ExportCursor | null;
}

export interface SampleQuestion {
  readonly filter: TraceFilter;
  readonly scope: TraceScope;
  readonly most: number;
}

/** Queries and removals can be aborted; what writes a trace is always finished. Errors are those of the library. */
export type TraceFileApi = {
  /** Resolves when the file is open, with what was found missing in it. */
  opened(): TraceLoss | undefined;
  /** Rows for the `append` of the same batch, which follows. Those of a batch without one are given up. */
  collect(part: BatchPart): void;
  append(batch: number): void;
  /** Which of these no trace has that arrived within that time. */
  missing(question: MissingQuestion): readonly string[];
  ask(question: SentQuestion): AnswerTo<QuestionName>;
  keepFeedback(given: {
    readonly requestId: string;
    readonly feedback: Feedback;
    readonly scope: TraceScope;
  }): boolean;
  export(question: ExportQuestion): ExportPart;
  /** Which traces a sample has, oldest first. */
  sample(question: SampleQuestion): readonly ExportCursor[];
  /** The first of these traces, at most `EXPORT_BATCH`, as far as they are there, in this order. */
  samplePart(keys: readonly ExportCursor[]): ExportPart;
  /** How many traces were removed. */
  removeBefore(ms: number): number;
};
