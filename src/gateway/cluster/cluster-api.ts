/** The RPC interfaces of the supervisor process and of its workers. */

import type { CorrectionTable, LengthObservation } from "../../engine/lengths/length-corrections.js";
import type {
  Claim,
  Correction,
  CountersHealth,
  RefusalCount,
  RefusedRequest,
  Tally,
  Used,
} from "../access/limits/counters.js";
import type { ConversationRecord } from "../conversations/conversation-memory.js";
import type { KeptKinds, KeptValue, StoredResponse } from "../conversations/response-memory.js";
import type { ProcessHealth } from "../inference/inference.js";
import type { Outcome } from "../traces/feedback.js";
import type {
  AnswerTo,
  ExportSelection,
  QuestionName,
  SentQuestion,
  StoreHealth,
  TraceScope,
} from "../traces/store.js";
import type { Feedback, Trace } from "../traces/trace.js";

/** A command that one process broadcasts to all others. */
export type WorkerCommand = "refreshKeys" | "refreshPauses" | "reload";

/** What a worker reports once it answers requests. */
export interface WorkerReady {
  readonly address: string;
  /** As of the composed server. */
  readonly summary: string;
  readonly example: {
    readonly models: readonly string[];
    readonly costWeight: number;
    readonly isRunnable: boolean;
  } | null;
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
  ready(report: WorkerReady): Acknowledgement;
  /** The worker reports why it cannot start, and exits. */
  failed(reason: string): Acknowledgement;
  /** Records traces; resolves when the supervisor has them. */
  record(traces: readonly Trace[]): Acknowledgement;
  claim(claim: Claim): Tally;
  correct(correction: Correction): Acknowledgement;
  usedBy(principals: readonly string[]): readonly Used[];
  accounts(prefix: string): readonly string[];
  noteRefusal(refused: RefusedRequest): void;
  refusals(principals: readonly string[]): readonly RefusalCount[];
  health(): SharedHealth;
  /** Observations of answers' lengths; answered with what those of all workers come to. */
  lengths(report: LengthReport): CorrectionTable;
  findConversation(key: string): ConversationRecord | undefined;
  rememberConversation(answered: {
    readonly key: string;
    readonly record: ConversationRecord;
  }): Acknowledgement;
  findResponse(question: {
    readonly kind: keyof KeptKinds;
    readonly key: string;
  }): KeptKinds[keyof KeptKinds] | undefined;
  keepResponse(kept: KeptValue): Acknowledgement;
  claimRuns(): readonly { readonly key: string; readonly stored: StoredResponse }[];
  ask(question: SentQuestion): AnswerTo<QuestionName>;
  giveFeedback(given: {
    readonly requestId: string;
    readonly outcome: Outcome;
    readonly scope: TraceScope;
  }): Feedback | undefined;
  /** The next traces of an export, which begins with its first question; null after the last. */
  exportNext(question: ExportRequest): readonly Trace[] | null;
  /** Ends an export early. */
  exportEnd(id: number): Acknowledgement;
  /** Resolves when all other workers have carried out the command. */
  everywhere(command: WorkerCommand): Acknowledgement;
  /** Of each of the other workers that reply in time. */
  otherHealth(): readonly ProcessHealth[];
  /** Of the supervisor, of all other workers, and of those that have ended. The share of the asking worker is kept for its end. */
  otherMetrics(own: MetricsShare): readonly MetricsShare[];
};

export interface LengthReport {
  /** Of the profiles that expected the lengths. */
  readonly profileVersion: string;
  readonly observations: readonly LengthObservation[];
}

export interface ExportRequest extends ExportSelection {
  /** Number of the export, the worker's own. */
  readonly id: number;
  readonly scope: TraceScope;
}

/** Methods of a worker. */
export type WorkerApi = {
  command(command: WorkerCommand): Acknowledgement;
  metrics(): MetricsShare;
  /** Of what the worker has called. */
  health(): ProcessHealth;
  /** Drain, hand over traces and exit. Resolves at once; the exit of the process shows that it is done. */
  stop(): Acknowledgement;
};
