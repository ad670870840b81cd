import { createHash } from "node:crypto";
import { SextantError } from "../../src/foundation/errors.js";
import { groupBy } from "../../src/foundation/group-by.js";
import { clockTime, momentOf, type ZoneOffset } from "../../src/foundation/time-zone.js";
import { ATTEMPT_PATTERNS, type Cause, PATTERN_CHARACTERS } from "../../src/gateway/traces/causes.js";
import type { LastFailure, LastFailuresQuestion } from "../../src/gateway/traces/last-failures.js";
import { metadataText } from "../../src/gateway/traces/metadata-pair.js";
import {
  type GroupDimension,
  metadataKeyOf,
  type SeriesPoint,
  stepOffsets,
} from "../../src/gateway/traces/series.js";
import type {
  AnswerTo,
  ArgumentOf,
  ExportSelection,
  QueryOptions,
  QuestionName,
  StoreHealth,
  TraceAnswers,
  TraceFilter,
  TraceList,
  TraceScope,
  TraceStats,
  TraceStore,
  TraceSummary,
} from "../../src/gateway/traces/store.js";
import {
  MOST_VALUES,
  type TraceOrder,
  type TraceValues,
  VALUED_TRACES,
  type ValuesQuestion,
} from "../../src/gateway/traces/store.js";
import type { Feedback, Trace } from "../../src/gateway/traces/trace.js";
import { inputText, withStrings } from "../../src/gateway/traces/traced-message.js";
import { isDecisionAlone, matches } from "./trace-matches.js";

/** The reference: what every store must answer, worked out in the plainest way. */
export class MemoryTraceStore implements TraceStore {
  #traces: Trace[];
  #closed = false;

  constructor(traces: readonly Trace[] = []) {
    this.#traces = traces.map(wellFormed);
  }

  async append(traces: readonly Trace[]): Promise<void> {
    this.#refuseWhenClosed();
    this.#traces.push(...traces.map(wellFormed));
  }

  async appendMissing(traces: readonly Trace[]): Promise<void> {
    for (const trace of traces) {
      if (!this.#traces.some(({ requestId }) => requestId === trace.requestId)) await this.append([trace]);
    }
  }

  ask<Name extends QuestionName>(
    name: Name,
    argument: ArgumentOf<Name>,
    options: QueryOptions,
  ): Promise<AnswerTo<Name>> {
    const answer: TraceAnswers<QueryOptions>[Name] = this.#answers[name];
    return answer(options, argument, options);
  }

  readonly #answers: TraceAnswers<QueryOptions> = {
    list: (options, argument) => this.#list(argument, options),
    find: (options, requestId) => this.#find(requestId, options),
    stats: (options, argument) => this.#stats(argument, options),
    feedback: (options, argument) => this.#feedback(argument, options),
    series: (options, argument) => this.#series(argument, options),
    causes: (options, argument) => this.#causes(argument, options),
    lastFailures: (options, argument) => this.#lastFailures(argument, options),
    values: (options, argument) => this.#values(argument, options),
  };

  async #list(
    { filter, page: { limit, offset, order, inputCharacters = 0 } }: ArgumentOf<"list">,
    options: QueryOptions,
  ): Promise<TraceList> {
    const newest = this.#matching(filter, options).reverse();
    const found = order === undefined ? newest : ordered(newest, order);
    const traces = found.slice(offset, offset + limit).map((trace) => ({
      ...summaryOf(trace),
      inputStart: inputCharacters === 0 ? null : startOf(trace, inputCharacters),
      metadata: inputCharacters === 0 ? null : trace.metadata,
    }));
    return { traces, total: found.length, hasMore: offset + traces.length < found.length };
  }

  async #find(requestId: string, options: QueryOptions): Promise<Trace | undefined> {
    return this.#matching({}, options).find((trace) => trace.requestId === requestId);
  }

  async keepFeedback(requestId: string, feedback: Feedback, options: QueryOptions): Promise<boolean> {
    if ((await this.#find(requestId, options)) === undefined) return false;
    this.#traces = this.#traces.map((trace) =>
      trace.requestId === requestId ? { ...trace, feedback } : trace,
    );
    return true;
  }

  async #stats(
    { filter, by, offsets }: ArgumentOf<"stats">,
    options: QueryOptions,
  ): Promise<readonly TraceStats[]> {
    return grouped(this.#matching(filter, options), { by, offsets }).map(({ values, traces }) =>
      statsOf(traces, by, values),
    );
  }

  async #feedback({ filter, ...dimensions }: ArgumentOf<"feedback">, options: QueryOptions) {
    const rated = this.#matching(filter, options).filter((trace) => trace.feedback !== undefined);
    return grouped(rated, dimensions).map(({ values, traces }) => ({
      group: Object.fromEntries(dimensions.by.map((dimension, at) => [dimension, values[at] ?? null])),
      count: traces.length,
      sum: traces.reduce((sum, trace) => sum + (trace.feedback?.score ?? 0), 0),
    }));
  }

  async #series(
    { filter, steps }: ArgumentOf<"series">,
    options: QueryOptions,
  ): Promise<readonly SeriesPoint[]> {
    const { originMs, stepMs, offsets, by, top = Number.POSITIVE_INFINITY, percentiles } = steps;
    const clock = stepOffsets(steps, filter.endMs);
    const origin = clockTime(originMs, clock);
    const stepOf = ({ createdAtMs }: Trace) => Math.floor((clockTime(createdAtMs, clock) - origin) / stepMs);
    const groupOf = (trace: Trace) => (by === undefined ? null : dimensionOf(trace, by, offsets));
    const found = this.#matching(filter, options);
    const largest = [...groupBy(found, groupOf)]
      .map(([group, traces]) => ({ group, sums: sumsOf(traces) }))
      .sort(
        (left, right) =>
          right.sums.costUsd - left.sums.costUsd ||
          right.sums.requests - right.sums.decisions - (left.sums.requests - left.sums.decisions) ||
          compareValues([left.group], [right.group]),
      )
      .slice(0, top)
      .map(({ group }) => group);
    const shown = found.filter((trace) => largest.includes(groupOf(trace)));
    return [...groupBy(shown, (trace) => JSON.stringify([stepOf(trace), groupOf(trace)]))]
      .map(([key, traces]) => [...(JSON.parse(key) as [number, string | null]), traces] as const)
      .sort(([step, group], [other, next]) => step - other || compareValues([group], [next]))
      .map(([step, group, traces]) => ({
        startMs: momentOf(origin + step * stepMs, clock),
        group,
        ...sumsOf(traces),
        ...(percentiles === "none" ? NO_TIMES : timesOf(traces, percentilesOf(50, 95))),
      }));
  }

  async #causes(
    { filter, originMs, stepMs, steps }: ArgumentOf<"causes">,
    options: QueryOptions,
  ): Promise<readonly Cause[]> {
    const calls = this.#matching(filter, options).flatMap((trace) => failedCalls(trace));
    const groups = groupBy(calls, ({ cause, pattern }) => JSON.stringify([cause, pattern]));
    const found = [...groups.values()].flatMap((group): Cause[] => {
      const { cause, trace: last, said } = group.at(-1) as FailedCall;
      const traces = [...new Set(group.map(({ trace }) => trace))];
      const now = traces.filter(({ createdAtMs }) => createdAtMs >= originMs);
      const before = traces.filter(({ createdAtMs }) => createdAtMs < originMs);
      if (now.length === 0) return [];
      const failedOf = (some: readonly Trace[]) => some.filter(({ status }) => status !== "success");
      const series = new Array<number>(steps).fill(0);
      for (const { createdAtMs } of now) {
        const at = Math.floor((createdAtMs - originMs) / stepMs);
        series[at] = (series[at] ?? 0) + 1;
      }
      return [
        {
          ...cause,
          failed: failedOf(now).length,
          rescued: now.length - failedOf(now).length,
          elsewhere: now.filter(({ model }) => model !== cause.model).length,
          failedBefore: failedOf(before).length,
          rescuedBefore: before.length - failedOf(before).length,
          series,
          firstMs: Math.min(...now.map(({ createdAtMs }) => createdAtMs)),
          lastMs: last.createdAtMs,
          errorCode: failedOf(now).at(-1)?.error?.code ?? null,
          last: { requestId: last.requestId, message: said || null },
        },
      ];
    });
    return found.sort(
      (left, right) =>
        right.failed - left.failed || right.rescued - left.rescued || right.lastMs - left.lastMs,
    );
  }

  async #lastFailures(
    { principals, startMs }: LastFailuresQuestion,
    options: QueryOptions,
  ): Promise<readonly LastFailure[]> {
    const last = new Map<string, LastFailure>();
    for (const { principal, requestId, createdAtMs, status, error } of this.#matching({ startMs }, options)) {
      if (status === "success" || !principals.includes(principal)) continue;
      last.set(principal, { principal, requestId, createdAtMs, errorCode: error?.code ?? null });
    }
    return [...last.values()];
  }

  async #values({ containing }: ValuesQuestion, options: QueryOptions): Promise<TraceValues> {
    const all = this.#matching({}, options).reverse();
    if (containing !== undefined) return namedValues(all, containing.toLowerCase());
    const newest = all.slice(0, VALUED_TRACES);
    const of = (valuesIn: (trace: Trace) => readonly (string | null)[]) =>
      mostFrequent(newest.flatMap(valuesIn));
    return {
      model: of(({ model }) => [model]),
      provider: of(({ provider }) => [provider]),
      source: of(({ source }) => [source]),
      principal: of(({ principal }) => [principal]),
      error_code: of(({ error }) => [error?.code ?? null]),
      effort: of(({ effort }) => [effort ?? null]),
      metadata_key: of(({ metadata }) => Object.keys(metadata)),
      metadata: of(({ metadata }) =>
        Object.entries(metadata).map(([key, value]) => metadataText(key, String(value))),
      ),
      request_id: [],
    };
  }

  async *export({ filter, most }: ExportSelection, options: QueryOptions): AsyncIterable<readonly Trace[]> {
    const found = this.#matching(filter, options);
    const drawn = most === undefined ? found : sampled(found, most);
    for (let at = 0; at < drawn.length; at += 2) {
      options.signal?.throwIfAborted();
      yield drawn.slice(at, at + 2);
    }
  }

  async removeBefore(ms: number): Promise<number> {
    const before = this.#traces.length;
    this.#traces = this.#traces.filter(({ createdAtMs }) => createdAtMs >= ms);
    return before - this.#traces.length;
  }

  health(): StoreHealth {
    return this.#closed ? { ok: false, state: "closed" } : { ok: true, state: "open" };
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new SextantError("store_down", "The store is closed.");
  }

  /** Oldest first. */
  #matching(filter: TraceFilter, { scope, signal }: QueryOptions): Trace[] {
    signal?.throwIfAborted();
    this.#refuseWhenClosed();
    return this.#traces.filter((trace) => visible(trace, scope) && matches(filter, trace)).sort(byTime);
  }
}

/** Of so few traces that a store looks at all that match. */
const namedValues = (traces: readonly Trace[], part: string): TraceValues => ({
  ...{ model: [], provider: [], source: [], principal: [], error_code: [], effort: [], metadata_key: [] },
  metadata: mostFrequent(
    traces.flatMap(({ metadata }) =>
      Object.entries(metadata).flatMap(([key, value]) =>
        String(value).toLowerCase().includes(part) ? metadataText(key, String(value)) : [],
      ),
    ),
  ),
  request_id: mostFrequent(
    traces.map(({ requestId }) => (requestId.toLowerCase().endsWith(part) ? requestId : null)),
  ),
});

const byTime = (left: Trace, right: Trace): number =>
  left.createdAtMs - right.createdAtMs || compare(left.requestId, right.requestId);

const sampled = (traces: readonly Trace[], most: number): readonly Trace[] =>
  traces
    .map((trace) => ({ trace, order: createHash("sha256").update(trace.requestId).digest("hex") }))
    .sort((left, right) => compare(left.order, right.order))
    .slice(0, most)
    .map(({ trace }) => trace)
    .sort(byTime);

function mostFrequent(values: readonly (string | null)[]): readonly string[] {
  const groups = [
    ...groupBy(
      values.flatMap((value) => value ?? []),
      (value) => value,
    ),
  ];
  return groups
    .sort(([left, some], [right, others]) => others.length - some.length || compare(left, right))
    .slice(0, MOST_VALUES)
    .map(([value]) => value);
}

/** @param newest first */
function ordered(newest: readonly Trace[], { by, direction }: TraceOrder): Trace[] {
  if (by === "created_at") return direction === "desc" ? [...newest] : newest.toReversed();
  const figureOf = (trace: Trace): number | null => {
    const { costUsd, latencyMs, tokensIn, tokensOut } = summaryOf(trace);
    return { cost_usd: costUsd, latency_ms: latencyMs, tokens_in: tokensIn, tokens_out: tokensOut }[by];
  };
  return newest.toSorted((left, right) => {
    const [one, other] = [figureOf(left), figureOf(right)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return direction === "desc" ? other - one : one - other;
  });
}

const visible = (trace: Trace, scope: TraceScope): boolean =>
  scope === "all" || trace.source === scope.source;

const startOf = ({ content }: Trace, characters: number): string | null =>
  content === null ? null : [...inputText(content.input)].slice(0, characters).join("");

/** Of all calls that used something; one that failed without using anything cost 0. */
function costOf({ attempts, status }: Trace): number | null {
  const used = attempts.flatMap(({ usage }) => usage ?? []);
  const known = used.flatMap(({ total_cost_usd: cost }) => cost ?? []);
  if (used.length === 0) return status === "success" ? null : 0;
  return known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0);
}

function summaryOf(trace: Trace): Omit<TraceSummary, "inputStart" | "metadata"> {
  const { requestId, kind, model, provider, usage, latencyMs, status, createdAtMs, source, principal } =
    trace;
  return {
    requestId,
    kind,
    model,
    requestedModel: trace.requestedModel ?? null,
    provider,
    tokensIn: usage?.prompt_tokens ?? null,
    tokensOut: usage?.completion_tokens ?? null,
    costUsd: costOf(trace),
    latencyMs,
    status,
    createdAtMs,
    source,
    principal,
    errorCode: trace.error?.code ?? null,
  };
}

export function dimensionOf(
  trace: Trace,
  dimension: GroupDimension,
  offsets: readonly ZoneOffset[] = [],
): string | null {
  const key = metadataKeyOf(dimension);
  if (key !== undefined) return Object.hasOwn(trace.metadata, key) ? String(trace.metadata[key]) : null;
  const { routing } = trace;
  const values: Readonly<Record<string, string | null | undefined>> = {
    day: new Date(clockTime(trace.createdAtMs, offsets)).toISOString().slice(0, 10),
    key: trace.principal,
    model: trace.model,
    provider: trace.provider,
    source: trace.source,
    kind: trace.kind,
    effort: trace.effort,
    preset: routing?.preset,
    baseline: trace.savings?.baseline_model,
  };
  return values[dimension] ?? null;
}

function grouped(
  traces: readonly Trace[],
  { by, offsets }: Pick<ArgumentOf<"stats">, "by" | "offsets">,
): readonly { readonly values: readonly (string | null)[]; readonly traces: readonly Trace[] }[] {
  const groups = groupBy(traces, (trace) =>
    JSON.stringify(by.map((dimension) => dimensionOf(trace, dimension, offsets))),
  );
  return [...groups]
    .map(([key, traces]) => ({ values: JSON.parse(key), traces }))
    .sort((left, right) => compareValues(left.values, right.values));
}

const isAnswer = (trace: Trace): boolean =>
  trace.status === "success" && trace.kind !== "embeddings" && !isDecisionAlone(trace);

function timesOf<Result>(traces: readonly Trace[], resultOf: (values: readonly number[]) => Result) {
  const answers = traces.filter(isAnswer);
  const streamed = answers.filter((trace) => trace.streamed && trace.ttftMs !== null);
  return {
    latencyMs: resultOf(answers.map(({ latencyMs }) => latencyMs)),
    ttftMs: resultOf(streamed.flatMap(({ ttftMs }) => ttftMs ?? [])),
    streamedLatencyMs: resultOf(streamed.map(({ latencyMs }) => latencyMs)),
  };
}

const NO_TIMES = { latencyMs: null, ttftMs: null, streamedLatencyMs: null };

const statsOf = (
  traces: readonly Trace[],
  by: readonly GroupDimension[],
  values: readonly (string | null)[],
): TraceStats => ({
  group: Object.fromEntries(by.map((dimension, at) => [dimension, values[at] ?? null])),
  ...sumsOf(traces),
  ...timesOf(traces, percentilesOf(50, 90, 99)),
});

export function sumsOf(traces: readonly Trace[]) {
  const sum = (figureOf: (summary: ReturnType<typeof summaryOf>) => number | null): number =>
    traces.reduce((total, trace) => total + (figureOf(summaryOf(trace)) ?? 0), 0);
  const count = (isCounted: (trace: Trace) => boolean): number => traces.filter(isCounted).length;
  return {
    requests: traces.length,
    errors: count(({ status, error }) => status === "error" && error?.code !== "model_paused"),
    timeouts: count(({ status }) => status === "timeout"),
    decisions: count(isDecisionAlone),
    tokensIn: sum(({ tokensIn }) => tokensIn),
    tokensOut: sum(({ tokensOut }) => tokensOut),
    tokensCached: traces.reduce((total, { usage }) => total + cachedTokensIn(usage), 0),
    costUsd: sum(({ costUsd }) => costUsd),
    requestsWithoutCost: count((trace) => summaryOf(trace).costUsd === null && !isDecisionAlone(trace)),
    ...baselineSums(traces),
  };
}

const cachedTokensIn = (usage: Trace["usage"]): number =>
  (usage?.prompt_tokens_details as { readonly cached_tokens?: number } | undefined)?.cached_tokens ?? 0;

/** Exact, as whole picodollars. */
function baselineSums(traces: readonly Trace[]) {
  const compared = traces.flatMap(({ savings }) => savings ?? []);
  const sum = (figure: "baseline_cost_usd" | "saved_usd"): number =>
    Number(compared.reduce((total, one) => total + BigInt(Math.round(one[figure] * 1e12)), 0n)) / 1e12;
  return {
    requestsWithBaseline: compared.length,
    baselineCostUsd: sum("baseline_cost_usd"),
    savedUsd: sum("saved_usd"),
  };
}

const percentilesOf =
  <Percent extends number>(...percents: readonly Percent[]) =>
  (values: readonly number[]): Readonly<Record<`p${Percent}`, number>> | null => {
    if (values.length === 0) return null;
    const sorted = values.toSorted((left, right) => left - right);
    const at = (percent: number): number => sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0;
    const entries = percents.map((percent) => [`p${percent}`, at(percent)]);
    return Object.fromEntries(entries);
  };

function compareValues(left: readonly (string | null)[], right: readonly (string | null)[]): number {
  for (const [at, value] of left.entries()) {
    const other = right[at] ?? null;
    if (value === other) continue;
    if (value === null || other === null) return value === null ? 1 : -1;
    return compare(value, other);
  }
  return 0;
}

/** By Unicode code point, as databases order text. */
const compare = (left: string, right: string): number =>
  Buffer.compare(Buffer.from(left), Buffer.from(right));

/** Half a surrogate pair is no Unicode text. */
const unicode = (text: string): string => Buffer.from(text).toString();

function wellFormed(trace: Trace): Trace {
  const { content } = trace;
  if (content === null) return trace;
  const { input, output, reasoning } = content;
  return {
    ...trace,
    content: {
      input: withStrings(input, unicode),
      output: unicode(output),
      ...(reasoning !== undefined && { reasoning: unicode(reasoning) }),
    },
  };
}

interface FailedCall {
  readonly trace: Trace;
  readonly said: string;
  readonly pattern: string;
  readonly cause: Pick<Cause, "code" | "provider" | "model" | "status">;
}

/** The calls of a trace that failed; itself where it failed without one. */
function failedCalls(trace: Trace): readonly FailedCall[] {
  const { attempts, error, status, provider, model } = trace;
  const failed = attempts.filter(({ code }) => !["ok", "circuit_open", "paused"].includes(code));
  const whole = { provider, model, status: null, code: error?.code ?? "" };
  if (failed.length === 0 && status !== "success")
    return [{ trace, said: error?.message ?? "", cause: whole, pattern: patternOf(error?.message ?? "") }];
  // As stores do, which read no others of what was answered.
  if (status === "success" && !JSON.stringify(attempts).includes("},{")) return [];
  return failed.map(({ code, message, provider, model, status }) => ({
    trace,
    said: message ?? "",
    // As it is written in JSON, which is what stores compare.
    pattern: patternOf(JSON.stringify(message ?? "").slice(1, -1)),
    cause: { code, provider, model, status },
  }));
}

const patternOf = (said: string): string =>
  [...said.replaceAll(new RegExp(ATTEMPT_PATTERNS.varying, "g"), "#")].slice(0, PATTERN_CHARACTERS).join("");
