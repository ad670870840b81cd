/** The RPC interfaces of the supervisor process and of its workers. */
import type { Claim, Correction, CountersHealth, Tally } from "../access/limits/counters.js";
import type { CorrectionTable, LengthObservation } from "../lengths/length-corrections.js";
import type { Outcome } from "../traces/feedback.js";
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
import type { Feedback, Trace } from "../traces/trace.js";

/** A command that one process broadcasts to all others. */
export type WorkerCommand = "refreshKeys" | "reloadProfiles";

/** What a worker reports once it answers requests. */
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

/** The call has been carried out; the value means nothing. */
type Acknowledgement = unknown;

/** Methods of the supervisor. */
export type SupervisorApi = {
  readonly ready: { readonly parameters: WorkerReady; readonly result: Acknowledgement };
  /** The worker reports why it cannot start, and exits. */
  readonly failed: { readonly parameters: string; readonly result: Acknowledgement };
  /** Records traces; resolves when the supervisor has them. */
  readonly record: { readonly parameters: readonly Trace[]; readonly result: Acknowledgement };
  readonly claim: { readonly parameters: Claim; readonly result: Tally };
  readonly correct: { readonly parameters: Correction; readonly result: Acknowledgement };
  readonly health: { readonly parameters: null; readonly result: SharedHealth };
  /** Observations of answers' lengths; answered with what those of all workers come to. */
  readonly lengths: { readonly parameters: LengthReport; readonly result: CorrectionTable };
  readonly list: {
    readonly parameters: {
      readonly filter: TraceFilter;
      readonly page: TracePage;
      readonly scope: TraceScope;
    };
    readonly result: TraceList;
  };
  readonly find: {
    readonly parameters: { readonly requestId: string; readonly scope: TraceScope };
    readonly result: Trace | undefined;
  };
  readonly giveFeedback: {
    readonly parameters: {
      readonly requestId: string;
      readonly outcome: Outcome;
      readonly scope: TraceScope;
    };
    readonly result: Feedback | undefined;
  };
  readonly stats: {
    readonly parameters: {
      readonly filter: TraceFilter;
      readonly by: readonly StatsDimension[];
      readonly scope: TraceScope;
    };
    readonly result: readonly TraceStats[];
  };
  readonly series: {
    readonly parameters: {
      readonly filter: TraceFilter;
      readonly steps: SeriesSteps;
      readonly scope: TraceScope;
    };
    readonly result: readonly SeriesPoint[];
  };
  /** The next traces of an export, which begins with its first question; null after the last. */
  readonly exportNext: { readonly parameters: ExportRequest; readonly result: readonly Trace[] | null };
  /** Ends an export early. */
  readonly exportEnd: { readonly parameters: number; readonly result: Acknowledgement };
  /** Resolves when all other workers have carried out the command. */
  readonly everywhere: { readonly parameters: WorkerCommand; readonly result: Acknowledgement };
  /** Of the supervisor and of all other workers. */
  readonly otherMetrics: { readonly parameters: null; readonly result: readonly MetricsShare[] };
};

export interface LengthReport {
  /** Of the profiles that expected the lengths. */
  readonly profileVersion: string;
  readonly observations: readonly LengthObservation[];
}

export interface ExportRequest {
  /** Number of the export, the worker's own. */
  readonly id: number;
  readonly filter: TraceFilter;
  readonly scope: TraceScope;
}

/** Methods of a worker. */
export type WorkerApi = {
  readonly command: { readonly parameters: WorkerCommand; readonly result: Acknowledgement };
  readonly metrics: { readonly parameters: null; readonly result: MetricsShare };
  /** Drain, hand over traces and exit. Resolves at once; the exit of the process shows that it is done. */
  readonly stop: { readonly parameters: null; readonly result: Acknowledgement };
};
