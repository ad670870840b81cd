/** What the primary process and its workers ask each other. */
import type { Claim, Correction, CountersHealth, Tally } from "../access/limits/counters.js";
import type { CorrectionTable, LengthObservation } from "../lengths/length-corrections.js";
import type { SeriesPoint, SeriesSteps } from "../traces/series.js";
import type {
  StatsDimension,
  StoreHealth,
  TraceFilter,
  TraceList,
  TracePage,
  TraceScope,
  TraceStats,
} from "../traces/store.js";
import type { Trace } from "../traces/trace.js";

/** Something that every process has to do because one of them was asked to. */
export type WorkerCommand = "refreshKeys" | "reloadProfiles";

/** What a worker tells when it answers requests. */
export interface WorkerReady {
  readonly address: string;
  /** As of the composed server. */
  readonly summary: string;
  readonly notes: readonly string[];
}

/** Figures of one process, in a form that can be summed up with those of others. */
export type MetricsShare = readonly object[];

export interface SharedHealth {
  readonly traces: StoreHealth;
  readonly limits: CountersHealth | null;
}

/** The answer says that it is done, and nothing else. */
type Done = unknown;

/** Questions of a worker to the primary. */
export type PrimaryApi = {
  readonly ready: { readonly body: WorkerReady; readonly answer: Done };
  /** The worker cannot start, for this reason, and ends. */
  readonly failed: { readonly body: string; readonly answer: Done };
  /** Traces to be recorded; answered when they are in the primary's hands. */
  readonly record: { readonly body: readonly Trace[]; readonly answer: Done };
  readonly claim: { readonly body: Claim; readonly answer: Tally };
  readonly correct: { readonly body: Correction; readonly answer: Done };
  readonly health: { readonly body: null; readonly answer: SharedHealth };
  /** Observations of answers' lengths; answered with what those of all workers come to. */
  readonly lengths: { readonly body: LengthReport; readonly answer: CorrectionTable };
  readonly list: {
    readonly body: { readonly filter: TraceFilter; readonly page: TracePage; readonly scope: TraceScope };
    readonly answer: TraceList;
  };
  readonly find: {
    readonly body: { readonly requestId: string; readonly scope: TraceScope };
    readonly answer: Trace | undefined;
  };
  readonly stats: {
    readonly body: {
      readonly filter: TraceFilter;
      readonly by: readonly StatsDimension[];
      readonly scope: TraceScope;
    };
    readonly answer: readonly TraceStats[];
  };
  readonly series: {
    readonly body: { readonly filter: TraceFilter; readonly steps: SeriesSteps; readonly scope: TraceScope };
    readonly answer: readonly SeriesPoint[];
  };
  /** The next traces of an export, which begins with its first question; null after the last. */
  readonly exportNext: { readonly body: ExportQuestion; readonly answer: readonly Trace[] | null };
  /** The export is not wanted any more. */
  readonly exportEnd: { readonly body: number; readonly answer: Done };
  /** Answered when all other workers have done it. */
  readonly everywhere: { readonly body: WorkerCommand; readonly answer: Done };
  /** Of the primary and of all other workers. */
  readonly otherMetrics: { readonly body: null; readonly answer: readonly MetricsShare[] };
};

export interface LengthReport {
  /** Of the profiles that expected the lengths. */
  readonly profileVersion: string;
  readonly observations: readonly LengthObservation[];
}

export interface ExportQuestion {
  /** Number of the export, the worker's own. */
  readonly id: number;
  readonly filter: TraceFilter;
  readonly scope: TraceScope;
}

/** Questions of the primary to a worker. */
export type WorkerApi = {
  readonly command: { readonly body: WorkerCommand; readonly answer: Done };
  readonly metrics: { readonly body: null; readonly answer: MetricsShare };
  /** Drain, hand everything over, and end. Answered at once; the end of the process says that it is done. */
  readonly stop: { readonly body: null; readonly answer: Done };
};
