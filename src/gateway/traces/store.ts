import type { ZoneOffset } from "../../foundation/time-zone.js";
import type { Cause, CauseSteps } from "./causes.js";
import type { LastFailure, LastFailuresQuestion } from "./last-failures.js";
import type { GroupDimension, SeriesPoint, SeriesSteps, TraceFigures } from "./series.js";
import type { Feedback, ToolLoopState, Trace, TraceKind, TraceStatus } from "./trace.js";

/**
 * Whose traces a caller may see: all, or those of its own source. Every query names one, and no filter widens it: a filter
 * by another source finds nothing.
 */
export type TraceScope = "all" | { readonly source: string };

/** What traces must be like to be found: everything that is given must hold. */
export interface TraceFilter {
  /** Whole milliseconds since the epoch, inclusive: the earliest arrival. */
  readonly startMs?: number;
  /** Whole milliseconds since the epoch, exclusive. */
  readonly endMs?: number;
  readonly source?: string;
  readonly model?: string;
  /** Part of the name of the model that answered or that was asked for, in any case. */
  readonly modelPart?: string;
  readonly requestedModel?: string;
  readonly provider?: string;
  readonly status?: TraceStatus;
  readonly kind?: TraceKind;
  /** Ids of keys, or subjects of tokens: any of them. */
  readonly principals?: readonly string[];
  readonly errorCode?: string;
  /** Of an attempt, or of the error that ended the request; `model` and `provider` are then those of the same attempt or error. */
  readonly attemptCode?: string;
  /** False: decisions alone, which ran nothing. */
  readonly executed?: boolean;
  readonly hasFeedback?: boolean;
  /** Whether a reply named another model than was asked for. */
  readonly otherModel?: boolean;
  readonly toolLoop?: ToolLoopState;
  /** As it was asked for, such as `high`. */
  readonly effort?: string;
  /** Part of the prompt or of the answer, in any case: accents and spaces count, nothing is a wildcard. */
  readonly text?: string;
  readonly metadata?: readonly MetadataMatch[];
}

/** Filters by equality, each with the column that it compares. */
const EQUALITY_FILTERS = {
  source: "source",
  model: "model",
  requestedModel: "requested_model",
  provider: "provider",
  status: "status",
  kind: "kind",
  errorCode: "error_code",
  toolLoop: "tool_loop",
  effort: "effort",
} as const satisfies { readonly [Name in keyof TraceFilter]?: string };

/** Columns with the values that they must have. */
type Equalities = readonly (readonly [column: string, value: string])[];

/** What a filter compares, but for what `attemptOf` has. */
export const equalitiesOf = (filter: TraceFilter): Equalities =>
  Object.entries(EQUALITY_FILTERS).flatMap(([name, column]) => {
    const value = filter[name as keyof typeof EQUALITY_FILTERS];
    const isOfAttempt = filter.attemptCode !== undefined && (name === "model" || name === "provider");
    return value === undefined || isOfAttempt ? [] : [[column, value] as const];
  });

/** What one attempt must have, under the names of its members, the code first; nothing where no code of one is asked for. */
export const attemptOf = ({ attemptCode: code, model, provider }: TraceFilter): Equalities =>
  code === undefined
    ? []
    : Object.entries({ code, model, provider }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as const],
      );

/** Equality of one metadata value, compared as text: `3` finds the number 3 and the text "3", `true` finds both too. */
export interface MetadataMatch {
  readonly key: string;
  readonly value: string;
}

/** What lists can be ordered by. */
export const TRACE_SORTS = ["created_at", "cost_usd", "latency_ms", "tokens_in", "tokens_out"] as const;
export type TraceSort = (typeof TRACE_SORTS)[number];
export const SORT_DIRECTIONS = ["desc", "asc"] as const;

/** Unknown figures come last in both directions; of equal ones the newest first. By `created_at`, `asc` is the reverse of `desc`. */
export interface TraceOrder {
  readonly by: TraceSort;
  readonly direction: (typeof SORT_DIRECTIONS)[number];
}

export interface TracePage {
  /** At least 1. */
  readonly limit: number;
  /** Traces to pass over, from 0. */
  readonly offset: number;
  /** Newest first by default. */
  readonly order?: TraceOrder;
  /** Characters of each prompt to answer with, beside the metadata; neither by default. */
  readonly inputCharacters?: number;
}

/** A trace as lists show it. Unknown figures are null. */
export interface TraceSummary {
  readonly requestId: string;
  readonly kind: TraceKind;
  readonly model: string | null;
  readonly requestedModel: string | null;
  readonly provider: string | null;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly costUsd: number | null;
  readonly latencyMs: number;
  readonly status: TraceStatus;
  readonly createdAtMs: number;
  readonly source: string;
  readonly principal: string;
  readonly errorCode: string | null;
  /** Beginning of the prompt; null when it was not asked for, or not stored. */
  readonly inputStart: string | null;
  /** Null when it was not asked for. */
  readonly metadata: Trace["metadata"] | null;
}

export interface TraceList {
  /** In the order of the page. Newest first: of the same millisecond, the larger request id first. */
  readonly traces: readonly TraceSummary[];
  /** All that match, on this page or not. Exact, and of the same moment as the page. */
  readonly total: number;
  /** Whether any follow this page. */
  readonly hasMore: boolean;
}

/** A value that many percent of the requests stay within: one that occurred, at most one rank off the nearest. */
export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** Figures of the traces that share the values of the dimensions asked for. */
export interface TraceStats extends TraceFigures<Percentiles> {
  /** Only the dimensions asked for. `day` is a date, `2026-01-31`; null is a request without such a value. */
  readonly group: Readonly<Record<string, string | null>>;
}

/** Feedback of the traces that share the values of the dimensions asked for. */
export interface FeedbackSums extends Pick<TraceStats, "group"> {
  /** Traces with feedback, at least 1. */
  readonly count: number;
  /** Of their scores, each in [0, 1]. */
  readonly sum: number;
}

/** Traces that `values` looks at, the newest, and values of each field, the most frequent. */
export const VALUED_TRACES = 10_000;
export const MOST_VALUES = 100;

export const VALUE_FIELDS = [
  "model",
  "provider",
  "source",
  "principal",
  "error_code",
  "effort",
  "metadata_key",
  "metadata",
  "request_id",
] as const;
export type ValueField = (typeof VALUE_FIELDS)[number];

/** Which values are asked for. */
export interface ValuesQuestion {
  /** In any case: only values of metadata that contain it, and request ids that end in it, of the newest traces that have one. */
  readonly containing?: string | undefined;
}

/** What is asked for; of the others there are none. */
export const valueFields = ({ containing }: ValuesQuestion): readonly ValueField[] =>
  containing === undefined
    ? VALUE_FIELDS.filter((field) => field !== "request_id")
    : ["metadata", "request_id"];

/** The most frequent first; equally frequent ones by their text. `metadata`: keys with values, for `metadataPair`. */
export type TraceValues = Readonly<Record<ValueField, readonly string[]>>;

export interface QueryOptions {
  readonly scope: TraceScope;
  /** Ends the query; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** The questions that every store answers: the argument of each, and its answer. Both are plain data. */
interface TraceQuestions {
  list: [argument: { readonly filter: TraceFilter; readonly page: TracePage }, answer: TraceList];
  /** By request id. Undefined when there is none, or none within the scope. */
  find: [argument: string, answer: Trace | undefined];
  /** One entry for each group, in the order of the dimensions' values, null last; at most 10,000. One without dimensions. */
  stats: [
    argument: {
      readonly filter: TraceFilter;
      readonly by: readonly GroupDimension[];
      /** Whose days `day` means. Default: UTC. */
      readonly offsets?: readonly ZoneOffset[] | undefined;
    },
    answer: readonly TraceStats[],
  ];
  /** Grouped and ordered as `stats`; without a group of traces that have none. */
  feedback: [argument: TraceQuestions["stats"][0], answer: readonly FeedbackSums[]];
  /** One point for each step that has traces, by time; of one step by value, null last. At most `MOST_POINTS`. */
  series: [
    argument: { readonly filter: TraceFilter; readonly steps: SeriesSteps },
    answer: readonly SeriesPoint[],
  ];
  /**
   * What went wrong, call by call: causes that occurred in the steps, the one with most failed requests first, then by
   * rescued ones, then by the last arrival. At most `MOST_FOUND_CAUSES`.
   */
  causes: [argument: { readonly filter: TraceFilter } & CauseSteps, answer: readonly Cause[]];
  /** The last failed request of each of these that has any; of several that arrived in the same millisecond, any. In no order. */
  lastFailures: [argument: LastFailuresQuestion, answer: readonly LastFailure[]];
  /** Values that the newest traces have. */
  values: [argument: ValuesQuestion, answer: TraceValues];
}

export type QuestionName = keyof TraceQuestions;
export type ArgumentOf<Name extends QuestionName> = TraceQuestions[Name][0];
export type AnswerTo<Name extends QuestionName> = TraceQuestions[Name][1];

type AskTraces = <Name extends QuestionName>(
  name: Name,
  argument: ArgumentOf<Name>,
  options: QueryOptions,
) => Promise<AnswerTo<Name>>;

/** How a store answers each question, on its own kind of connection. */
export type TraceAnswers<Connection> = {
  readonly [Name in QuestionName]: (
    connection: Connection,
    argument: ArgumentOf<Name>,
    options: Pick<QueryOptions, "scope">,
  ) => Promise<AnswerTo<Name>>;
};

/** A question as it is sent to the thread that has the store. */
export interface SentQuestion<Name extends QuestionName = QuestionName> {
  readonly name: Name;
  readonly argument: ArgumentOf<Name>;
  readonly scope: TraceScope;
}

export interface ExportSelection {
  readonly filter: TraceFilter;
  /**
   * At most that many, in small batches: drawn evenly, by their ids, so that the same ones come again as long as none is added
   * or removed. Default: all.
   */
  readonly most?: number;
}

/** What searches traces. */
export type TraceQueries = Pick<TraceStore, "ask" | "export">;

/** State of a store as `GET /readyz` shows it. */
export interface StoreHealth {
  readonly ok: boolean;
  /** `opening`, `open`, or why it cannot be used. */
  readonly state: string;
  /** Traces that had been stored and were missing when this process opened the store; absent when none were. */
  readonly lost?: number;
  /** Traces of this process that could not be kept; absent when all were. */
  readonly dropped?: number;
  /** Name of the file, beside the store's, in which the damaged write-ahead log is kept. */
  readonly damaged_log?: string;
}

/**
 * Where traces are kept and searched.
 *
 * Texts are kept as Unicode: half a surrogate pair becomes U+FFFD, everything else comes back as it was. Every method may
 * reject with SextantError `store_down`, whose message says why and what to do; queries also with `query_timeout`. Calls
 * may overlap.
 */
export interface TraceStore {
  /** Resolves when the traces are where a crash cannot lose them: all of them, or it rejects. Fastest to search when oldest first. */
  append(traces: readonly Trace[]): Promise<void>;
  /** As `append`, without those whose request id is stored already. For what may have been written before. */
  appendMissing(traces: readonly Trace[]): Promise<void>;
  /** Answers one of the questions of `TraceQuestions`. */
  ask: AskTraces;
  /**
   * Keeps feedback with its trace, in the place of an earlier one, where a crash cannot lose it.
   *
   * @returns whether there is such a trace within the scope
   */
  keepFeedback(requestId: string, feedback: Feedback, options: QueryOptions): Promise<boolean>;
  /** Oldest first, in batches; of all that match, what is added meanwhile comes along if it is newer. */
  export(selection: ExportSelection, options: QueryOptions): AsyncIterable<readonly Trace[]>;
  /**
   * Removes traces that arrived before that many milliseconds since the epoch, with their feedback, and their content from
   * the disk as far as the store governs it.
   *
   * @returns how many
   */
  removeBefore(ms: number, options?: { readonly signal?: AbortSignal }): Promise<number>;
  /** Immediate: the state as it is known. */
  health(): StoreHealth;
  /** Finishes what was appended, rejects what waits, lets go of files and connections. May be called twice. */
  close(): Promise<void>;
}
