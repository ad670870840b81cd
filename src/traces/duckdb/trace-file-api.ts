/** What the store and its worker thread say to each other. */
import type { SeriesPoint, SeriesSteps } from "../series.js";
import type { StatsDimension, TraceFilter, TraceList, TracePage, TraceScope, TraceStats } from "../store.js";
import type { Feedback, Trace } from "../trace.js";
import type { TraceLoss } from "./acknowledged.js";
import type { DatabaseOptions } from "./database.js";
import type { AppendedRows } from "./rows.js";

/** Handed to the worker when it starts. */
export interface WorkerOptions extends DatabaseOptions {
  readonly path: string;
  /** Bytes of the write-ahead log from which on it is worked into the file. */
  readonly checkpointBytes: number;
}

/** Most traces in one part of an export, and about as many bytes of long texts, unless a single trace has more. */
export const EXPORT_BATCH = 1000;
export const EXPORT_BYTES = 16 * 1024 * 1024;

export interface ExportPart {
  readonly traces: readonly Trace[];
  readonly isLast: boolean;
}

/** Where an export goes on. */
export interface ExportCursor {
  readonly createdAtMs: number;
  readonly requestId: string;
}

/** A question, and below what it is answered with. */
export type Question =
  | { readonly kind: "append" }
  /** Which of these no trace has that arrived within that time. */
  | {
      readonly kind: "missing";
      readonly requestIds: readonly string[];
      readonly fromMs: number;
      readonly toMs: number;
    }
  | {
      readonly kind: "list";
      readonly filter: TraceFilter;
      readonly page: TracePage;
      readonly scope: TraceScope;
    }
  | { readonly kind: "find"; readonly requestId: string; readonly scope: TraceScope }
  | {
      readonly kind: "keepFeedback";
      readonly requestId: string;
      readonly feedback: Feedback;
      readonly scope: TraceScope;
    }
  | {
      readonly kind: "stats";
      readonly filter: TraceFilter;
      readonly by: readonly StatsDimension[];
      readonly scope: TraceScope;
    }
  | {
      readonly kind: "series";
      readonly filter: TraceFilter;
      readonly steps: SeriesSteps;
      readonly scope: TraceScope;
    }
  | {
      readonly kind: "export";
      readonly filter: TraceFilter;
      readonly scope: TraceScope;
      readonly after: ExportCursor | null;
    }
  | { readonly kind: "removeBefore"; readonly ms: number };

export interface Answers {
  readonly append: undefined;
  readonly missing: readonly string[];
  readonly list: TraceList;
  readonly find: Trace | undefined;
  readonly keepFeedback: boolean;
  readonly stats: readonly TraceStats[];
  readonly series: readonly SeriesPoint[];
  readonly export: ExportPart;
  readonly removeBefore: number;
}

export type Answer = Answers[keyof Answers];

export type ToWorker =
  /** Rows for the `append` of the same batch, which follows. */
  | { readonly kind: "rows"; readonly batch: number; readonly rows: AppendedRows }
  | { readonly kind: "ask"; readonly request: number; readonly question: Question }
  /** Nobody waits for this answer any more. */
  | { readonly kind: "cancel"; readonly request: number }
  /** Finish what was appended, interrupt the rest, close the file and end. */
  | { readonly kind: "close" };

/** `busy`: too much time or memory for one query. `broken`: the worker ends. `failed`: it goes on. */
export type FaultKind = "busy" | "failed" | "broken";

export type FromWorker =
  | { readonly kind: "ready"; readonly loss?: TraceLoss | undefined }
  /** The file cannot be used, for a reason that completes "the traces in <path> cannot be used: …"; the worker ends. */
  | { readonly kind: "unusable"; readonly reason: string }
  | { readonly kind: "answer"; readonly request: number; readonly value: Answer }
  | {
      readonly kind: "fault";
      readonly request: number;
      readonly fault: FaultKind;
      readonly reason: string;
    };
