import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { Settings } from "../settings.js";

/** From the start of a streamed reply to its first content: reasoning models think for a minute and longer before it (guess). */
const FIRST_CONTENT_TIMEOUT_MS = 120_000;

export type LimitSettings = Pick<
  Settings,
  "upstreamHeadersTimeoutMs" | "upstreamIdleTimeoutMs" | "modelLimits"
>;

type Entry = Settings["modelLimits"][number];

/** A time limit, with the setting that it is from: `model_limits[0].idle_timeout_ms`. */
export interface TimeAllowed {
  readonly ms: number;
  readonly name: string;
}

/** How many calls an entry of `model_limits` allows at once, of all that it applies to. */
export interface ConcurrencyLimit {
  readonly entry: number;
  readonly most: number;
}

/** What limits the calls of a deployment at an effort. */
export interface AppliedLimits {
  /** To the start of a reply. */
  readonly headers: TimeAllowed;
  /** From the start of a streamed reply to its first content. */
  readonly firstContent: TimeAllowed;
  /** From the start of a call to the first content of its stream. */
  readonly firstToken?: TimeAllowed | undefined;
  /** Between two pieces of a stream. */
  readonly idle: TimeAllowed;
  /** Of the whole call. */
  readonly total?: TimeAllowed | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly concurrency?: ConcurrencyLimit | undefined;
}

/** Deployments at an effort whose limits are remembered; from then on all are found anew. */
const MOST_REMEMBERED = 4096;

/**
 * The table of the settings' `model_limits`. Of the entries that apply to a call, each limit is that of the most specific
 * one that has it: a model counts more than a provider, and a provider more than an effort.
 */
export class ModelLimits {
  /** What applies without an entry of the table. */
  readonly usual: AppliedLimits;
  /** The most specific first. */
  readonly #entries: readonly (readonly [Entry, index: number])[];
  readonly #known = new Map<string, AppliedLimits>();

  constructor(settings: LimitSettings) {
    this.usual = {
      headers: { ms: settings.upstreamHeadersTimeoutMs, name: "upstream_headers_timeout_ms" },
      firstContent: { ms: FIRST_CONTENT_TIMEOUT_MS, name: "first_token_timeout_ms" },
      idle: { ms: settings.upstreamIdleTimeoutMs, name: "upstream_idle_timeout_ms" },
    };
    this.#entries = settings.modelLimits
      .map((entry, index) => [entry, index] as const)
      .sort(([left], [right]) => specificity(right) - specificity(left));
  }

  /** Whether limits depend on the effort of a request. */
  get byEffort(): boolean {
    return this.#entries.some(([{ effort }]) => effort !== undefined);
  }

  of(deployment: Deployment, effort: string | undefined): AppliedLimits {
    if (this.#entries.length === 0) return this.usual;
    const { provider, model, upstreamModel } = deployment;
    const key = `${provider}\n${model}\n${upstreamModel}\n${effort}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = this.#find(deployment, effort);
    if (this.#known.size < MOST_REMEMBERED) this.#known.set(key, found);
    return found;
  }

  #find({ provider, model, upstreamModel }: Deployment, effort: string | undefined): AppliedLimits {
    const applying = this.#entries.filter(
      ([entry]) =>
        (entry.provider ?? provider) === provider &&
        (entry.effort ?? effort) === effort &&
        (entry.model === undefined || entry.model === model || entry.model === upstreamModel),
    );
    const first = <Name extends keyof Entry>(name: Name) => {
      const [entry, index] = applying.find(([one]) => one[name] !== undefined) ?? [];
      return entry === undefined || index === undefined ? undefined : { value: entry[name], index };
    };
    const time = (name: "first_token_timeout_ms" | "idle_timeout_ms" | "total_timeout_ms") => {
      const { value: ms, index } = first(name) ?? {};
      return ms === undefined ? undefined : { ms, name: `model_limits[${index}].${name}` };
    };
    const concurrency = first("max_concurrency");
    const firstToken = time("first_token_timeout_ms");
    return {
      ...this.usual,
      firstContent: firstToken ?? this.usual.firstContent,
      idle: time("idle_timeout_ms") ?? this.usual.idle,
      firstToken,
      total: time("total_timeout_ms"),
      maxOutputTokens: first("max_output_tokens")?.value,
      ...(concurrency?.value !== undefined && {
        concurrency: { entry: concurrency.index, most: concurrency.value },
      }),
    };
  }
}

const specificity = ({ model, provider, effort }: Entry): number =>
  (model === undefined ? 0 : 4) + (provider === undefined ? 0 : 2) + (effort === undefined ? 0 : 1);

/** Calls that are remembered, and of which there must be so many before a limit follows from them (guesses). */
const REMEMBERED = 128;
const ENOUGH = 50;
/** How often the limit is computed anew, in calls. */
const EVERY = 16;
/** What a call may take of the 99th percentile of the others (guess). */
const TIMES_P99 = 5;

/** The times of recent calls of one kind, and the limit that follows from them. */
export class MeasuredLimit {
  #times: Float64Array | undefined;
  #recorded = 0;
  /** 5 times the 99th percentile of the last 128 calls, at least the least; undefined before the 50th. */
  limit: TimeAllowed | undefined;

  /** @param leastMs what a call may take in any case */
  constructor(private readonly leastMs: number) {}

  add(milliseconds: number): void {
    this.#times ??= new Float64Array(REMEMBERED);
    this.#times[this.#recorded % REMEMBERED] = milliseconds;
    this.#recorded += 1;
    if (this.#recorded < ENOUGH || (this.#recorded - ENOUGH) % EVERY !== 0) return;
    const sorted = this.#times.slice(0, Math.min(this.#recorded, REMEMBERED)).sort();
    const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
    this.limit = { ms: Math.ceil(Math.max(this.leastMs, TIMES_P99 * p99)), name: "measured" };
  }
}

/** Calls whose times are compared: streams or whole replies, at an effort. */
export interface CallKind {
  readonly reply: "stream" | "whole";
  readonly effort: string | undefined;
}

/** Of the calls of one kind at a deployment. The least times are guesses. */
export class CallTimes {
  /** To the first content of a stream. */
  readonly firstToken = new MeasuredLimit(20_000);
  /** The longest silence in a stream after that. */
  readonly idle = new MeasuredLimit(30_000);
  /** To the end of a reply that is not streamed; a stream that goes on is never too long. */
  readonly total = new MeasuredLimit(60_000);

  constructor(private readonly reply: CallKind["reply"]) {}

  add(firstContentMs: number, silenceMs: number | undefined): void {
    (this.reply === "stream" ? this.firstToken : this.total).add(firstContentMs);
    if (silenceMs !== undefined) this.idle.add(silenceMs);
  }
}

/** The limits with those that are measured, where these are shorter; the times to an answer only where others can give one. */
export function withMeasured(
  limits: AppliedLimits,
  times: CallTimes | undefined,
  { hasAnother }: { readonly hasAnother: () => boolean },
): AppliedLimits {
  if (times === undefined) return limits;
  const firstToken = shorter(times.firstToken.limit, limits.firstToken);
  const total = shorter(times.total.limit, limits.total);
  const idle = shorter(times.idle.limit, limits.idle);
  const answer = (firstToken ?? total) !== undefined && hasAnother();
  if (idle === undefined && !answer) return limits;
  return {
    ...limits,
    ...(idle && { idle }),
    ...(answer && firstToken && { firstToken }),
    ...(answer && total && { total }),
  };
}

const shorter = (measured: TimeAllowed | undefined, set: TimeAllowed | undefined): TimeAllowed | undefined =>
  measured !== undefined && measured.ms < (set?.ms ?? Number.POSITIVE_INFINITY) ? measured : undefined;
